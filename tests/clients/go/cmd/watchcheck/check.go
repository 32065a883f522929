package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Each so many restarts the log of changes is compacted.
const compactEvery = 3

type options struct {
	watchers, writes, restarts int
	seed                       uint64
}

// The whole run.
type checker struct {
	options
	server    *server
	counts    counts
	reference *watcher // no selector, never cut: what it saw is what was done
	watchers  []*watcher
	writers   []*writer
	gate      sync.RWMutex
	goal      atomic.Int64
}

func check(s *server, o options) error {
	c := &checker{options: o, server: s}
	for i := range namespaces {
		body := map[string]any{"apiVersion": "v1", "kind": "Namespace",
			"metadata": map[string]any{"name": namespaceName(i)}}
		if code, err := s.insist("POST", "/api/v1/namespaces", body, nil); err != nil || code != 201 {
			return fmt.Errorf("namespace: %d %v", code, err)
		}
	}
	c.reference = newWatcher(0, s, &c.counts)
	c.reference.slow, c.reference.log = false, []change{}
	for i := range o.watchers {
		c.watchers = append(c.watchers, newWatcher(i, s, &c.counts))
	}
	c.goal.Store(int64(o.writes))
	for i := range writers {
		c.writers = append(c.writers, newWriter(i, s, &c.gate, &c.goal, o.seed))
	}
	return c.run()
}

func (c *checker) run() error {
	began := time.Now()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	failed := make(chan error, c.options.watchers+writers+4)
	var watching sync.WaitGroup
	watching.Go(func() { report(failed, c.reference.run(ctx)) })
	if err := c.awaitReference(failed); err != nil {
		return err
	}
	for _, w := range c.watchers {
		watching.Go(func() { report(failed, w.run(ctx)) })
	}
	var writing sync.WaitGroup
	for _, w := range c.writers {
		writing.Go(func() { report(failed, w.run()) })
	}
	written := make(chan struct{})
	go func() { writing.Wait(); close(written) }()
	cutting, stopCutting := context.WithCancel(ctx)
	defer stopCutting()
	go c.cutConnections(cutting)
	go func() { report(failed, c.restart(written)) }()
	select {
	case err := <-failed:
		return err
	case <-written:
	}
	stopCutting()
	fmt.Printf("written after %.1f s\n", time.Since(began).Seconds())
	if err := c.settle(failed); err != nil {
		return err
	}
	fmt.Printf("settled after %.1f s\n", time.Since(began).Seconds())
	cancel()
	watching.Wait()
	return c.judge()
}

// The reference knows what was done only if it is there before anything is.
func (c *checker) awaitReference(failed <-chan error) error {
	for c.reference.at.Load() == 0 {
		select {
		case err := <-failed:
			return err
		case <-time.After(5 * time.Millisecond):
		}
	}
	if held := c.reference.snapshots[0].held; len(held) > 0 {
		return fmt.Errorf("there is something before anything was done: %v", held)
	}
	return nil
}

func report(failed chan<- error, err error) {
	if err != nil {
		failed <- err
	}
}

func (c *checker) cutConnections(ctx context.Context) {
	for ctx.Err() == nil {
		c.watchers[rand.IntN(len(c.watchers))].cut()
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Kills the server each time another part of the writes is done.
func (c *checker) restart(written <-chan struct{}) error {
	for turn := 1; turn <= c.restarts; turn++ {
		left := int64(c.writes - c.writes*turn/(c.restarts+1))
		for c.goal.Load() > left {
			select {
			case <-written:
				return errors.New("the writes ended before the last restart")
			case <-time.After(5 * time.Millisecond):
			}
		}
		if turn%compactEvery != 0 {
			if err := c.server.ask("RESTART"); err != nil {
				return err
			}
			continue
		}
		if err := c.compact(); err != nil {
			return err
		}
	}
	return nil
}

// The log of changes goes, but for what the reference has seen: it stands at the newest revision.
func (c *checker) compact() error {
	c.gate.Lock()
	defer c.gate.Unlock()
	if err := c.awaitQuiet(); err != nil {
		return err
	}
	c.counts.compactions.Add(1)
	return c.server.ask("RESTART-LONG-AFTER")
}

// Waits until nothing is written any more, and the reference has seen all that was.
func (c *checker) awaitQuiet() error {
	deadline := time.Now().Add(60 * time.Second)
	last, since := int64(-1), time.Now()
	for time.Now().Before(deadline) {
		var list struct {
			Metadata struct{ ResourceVersion string }
			Items    []object
		}
		if _, err := c.server.insist("GET", selector{}.path(), nil, &list); err != nil {
			return err
		}
		revision, err := strconv.ParseInt(list.Metadata.ResourceVersion, 10, 64)
		if err != nil {
			return err
		}
		newest := int64(0)
		for i := range list.Items {
			of, _ := list.Items[i].revision()
			newest = max(newest, of)
		}
		if revision != last {
			last, since = revision, time.Now()
		} else if time.Since(since) > 500*time.Millisecond && c.reference.at.Load() >= newest {
			c.reference.at.Store(revision)
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("no quiet: the store is at %d, the reference at %d", last,
		c.reference.at.Load())
}

// Waits until each watcher has what it is to see; what is late then is missed.
func (c *checker) settle(failed <-chan error) error {
	for _, w := range c.watchers {
		w.hurryUp()
	}
	if err := c.awaitQuiet(); err != nil {
		return err
	}
	log := c.reference.log
	deadline := time.Now().Add(60 * time.Second)
	for _, w := range c.watchers {
		last := lastExpected(log, w)
		for w.at.Load() < last && time.Now().Before(deadline) {
			select {
			case err := <-failed:
				return err
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	return nil
}

func (c *checker) judge() error {
	if len(c.reference.snapshots) != 1 {
		return errors.New("the watcher without a selector was told 410 where nothing was compacted")
	}
	checked, problems := compare(c.reference.log, c.watchers)
	acks := 0
	for _, w := range c.writers {
		acks += len(w.acks)
		problems = append(problems, missingAcks(c.reference.log, w.acks)...)
	}
	n := &c.counts
	fmt.Printf("%d changes, %d writes acknowledged; %d watchers compared %d events of %d streams\n",
		len(c.reference.log), acks, len(c.watchers), checked, n.streams.Load())
	fmt.Printf("%d connections cut, %d restarts after kill -9 (%d compacted), %d streams ended by the "+
		"server, %d times 410 and a list, %d WatchLists (refused to %d watchers), %d bookmarks, "+
		"%d pauses of slow readers\n",
		n.kills.Load(), c.restarts, n.compactions.Load(), n.endedByServer.Load(), n.expired.Load(), n.watchLists.Load(),
		n.refusedLists.Load(), n.bookmarks.Load(), n.pauses.Load())
	if len(problems) > 0 {
		return fmt.Errorf("%d problems:\n  %s", len(problems),
			strings.Join(problems[:min(len(problems), 40)], "\n  "))
	}
	fmt.Println("none missed, doubled or out of order")
	return nil
}

// Acknowledged writes that the log of changes does not know.
func missingAcks(log []change, acks []acknowledged) []string {
	type at struct {
		key      string
		revision int64
	}
	known := map[at]bool{}
	deletions := map[string]int{}
	for _, each := range log {
		known[at{each.key, each.revision}] = true
		if each.deleted {
			deletions[each.key]++
		}
	}
	var problems []string
	for _, ack := range acks {
		if ack.deleted {
			if deletions[ack.key]--; deletions[ack.key] < 0 {
				problems = append(problems, "the deletion of "+ack.key+" was acknowledged, not seen")
			}
		} else if !known[at{ack.key, ack.revision}] {
			problems = append(problems,
				fmt.Sprintf("%s at %d was acknowledged and never seen", ack.key, ack.revision))
		}
	}
	return problems
}
