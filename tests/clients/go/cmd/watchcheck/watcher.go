package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Small enough that the server feels a reader that does not read.
const slowBuffer = 16 * 1024

// What happened to all watchers.
type counts struct {
	streams, kills, expired, bookmarks, pauses, endedByServer atomic.Int64
	watchLists, refusedLists, compactions                     atomic.Int64
}

// One client that lists, watches, resumes where it was, and lists again only where it is told to.
type watcher struct {
	number    int
	selector  selector
	server    *server
	counts    *counts
	slow      bool
	bookmarks bool
	watchList bool
	seconds   int // timeoutSeconds, 0: none

	events    []event
	snapshots []snapshot
	gaps      []gap
	log       []change // of the watcher that tells what was done; nil in others
	at        atomic.Int64
	hurry     atomic.Bool // slow readers catch up

	mutex sync.Mutex // guards what follows
	http  *http.Client
	kill  context.CancelFunc // of the stream that is open
}

var errExpired = errors.New("410")

func newWatcher(number int, s *server, c *counts) *watcher {
	w := &watcher{number: number, selector: selectorOf(number), server: s, counts: c,
		slow: number%10 == 3 || number%20 == 10, bookmarks: number%3 == 1, watchList: number%5 == 2}
	if number%4 == 3 {
		w.seconds = 3 + number%7
	}
	w.connect(0)
	if w.slow {
		w.connect(slowBuffer)
	}
	return w
}

// Each stream of it has a connection of its own.
func (w *watcher) connect(buffer int) {
	transport := w.server.transport(buffer)
	transport.DisableKeepAlives = true
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.http = &http.Client{Transport: transport}
}

// A slow reader reads as fast as it can from now on, on a connection that lets it.
func (w *watcher) hurryUp() {
	if w.slow {
		w.hurry.Store(true)
		w.connect(0)
		w.cut()
	}
}

// Goes on until the context ends; an error is a fault of the server.
func (w *watcher) run(ctx context.Context) error {
	listed := false
	for ctx.Err() == nil {
		var err error
		if !listed {
			if err = w.list(ctx); err == nil {
				listed = true
			}
		} else {
			err = w.stream(ctx, w.watchQuery())
		}
		if errors.Is(err, errExpired) {
			w.counts.expired.Add(1)
			listed = false
		} else if fault := (*faultError)(nil); errors.As(err, &fault) {
			return err
		} else if err != nil {
			time.Sleep(20 * time.Millisecond) // The server is away.
		}
	}
	return nil
}

// What no server may do, in contrast to one that is away.
type faultError struct{ text string }

func (f *faultError) Error() string { return f.text }

func (w *watcher) fault(format string, values ...any) error {
	return &faultError{fmt.Sprintf("watcher %d (%s): ", w.number, w.selector) +
		fmt.Sprintf(format, values...)}
}

func (w *watcher) watchQuery() url.Values {
	query := w.selector.query()
	query.Set("watch", "true")
	query.Set("resourceVersion", strconv.FormatInt(w.at.Load(), 10))
	if w.bookmarks {
		query.Set("allowWatchBookmarks", "true")
	}
	if w.seconds > 0 {
		query.Set("timeoutSeconds", strconv.Itoa(w.seconds))
	}
	return query
}

// The state now, by a list or at the start of a stream; what was missed before it is a gap.
func (w *watcher) list(ctx context.Context) error {
	if w.watchList {
		query := w.selector.query()
		query.Set("watch", "true")
		query.Set("sendInitialEvents", "true")
		query.Set("resourceVersionMatch", "NotOlderThan")
		query.Set("allowWatchBookmarks", "true")
		err := w.stream(ctx, query)
		if err != errRefused {
			return err
		}
		w.counts.refusedLists.Add(1)
		w.watchList = false
	}
	found := snapshot{held: map[string]int64{}}
	query := w.selector.query()
	query.Set("limit", "150")
	for {
		var page struct {
			Metadata struct{ ResourceVersion, Continue string }
			Items    []object
		}
		code, err := w.server.insist("GET", w.selector.path()+"?"+query.Encode(), nil, &page)
		if err != nil {
			return err
		}
		if code != http.StatusOK {
			return w.fault("list: %d", code)
		}
		revision, _ := strconv.ParseInt(page.Metadata.ResourceVersion, 10, 64)
		if found.revision != 0 && found.revision != revision {
			return w.fault("pages of one list at %d and %d", found.revision, revision)
		}
		found.revision = revision
		for i := range page.Items {
			key := page.Items[i].key()
			if _, twice := found.held[key]; twice {
				return w.fault("%s twice in one list", key)
			}
			found.held[key], _ = page.Items[i].revision()
		}
		if page.Metadata.Continue == "" {
			break
		}
		query.Set("continue", page.Metadata.Continue)
	}
	w.jump(found)
	return nil
}

func (w *watcher) jump(to snapshot) {
	w.snapshots = append(w.snapshots, to)
	w.gaps = append(w.gaps, gap{after: w.at.Load(), through: to.revision})
	w.at.Store(to.revision)
}

var errRefused = errors.New("sendInitialEvents is not served")

// Opens one watch and reads it to its end.
func (w *watcher) stream(ctx context.Context, query url.Values) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mutex.Lock()
	w.kill = cancel
	client := w.http
	w.mutex.Unlock()
	request, err := http.NewRequestWithContext(ctx, "GET",
		w.server.url+w.selector.path()+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	initial := query.Has("sendInitialEvents")
	switch {
	case response.StatusCode == http.StatusGone:
		return errExpired
	case response.StatusCode == http.StatusUnprocessableEntity && initial:
		return errRefused
	case response.StatusCode == http.StatusServiceUnavailable:
		return errors.New("503")
	case response.StatusCode != http.StatusOK:
		text, _ := io.ReadAll(response.Body)
		return w.fault("watch: %d %s", response.StatusCode, text)
	}
	w.counts.streams.Add(1)
	reader := bufio.NewReaderSize(response.Body, 16*1024)
	if initial {
		if err := w.readInitial(reader); err != nil {
			return err
		}
	}
	return w.read(ctx, reader)
}

// ADDED for each object, up to the bookmark that ends them: a snapshot. A stream that ends before it
// has said nothing.
func (w *watcher) readInitial(reader *bufio.Reader) error {
	found := snapshot{held: map[string]int64{}}
	for {
		text, err := reader.ReadBytes('\n')
		if err != nil {
			return err
		}
		l, o, err := parseLine(text)
		if err != nil {
			return w.fault("%v", err)
		}
		revision, _ := o.revision()
		if l.Type == "BOOKMARK" && o.Metadata.Annotations[initialEventsEnd] == "true" {
			found.revision = revision
			w.counts.watchLists.Add(1)
			w.jump(found)
			return nil
		}
		if l.Type != "ADDED" {
			return w.fault("%s among initial events: %s", l.Type, text)
		}
		if _, twice := found.held[o.key()]; twice {
			return w.fault("%s twice among initial events", o.key())
		}
		found.held[o.key()] = revision
	}
}

func (w *watcher) read(ctx context.Context, reader *bufio.Reader) error {
	for count := 1; ; count++ {
		text, err := reader.ReadBytes('\n')
		if err == io.EOF && len(text) == 0 {
			w.counts.endedByServer.Add(1)
			return nil
		}
		if err != nil {
			return nil // Cut off, maybe inside a line: that event comes again.
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if err := w.take(text); err != nil {
			return err
		}
		if w.slow && !w.hurry.Load() && count%100 == 0 {
			w.counts.pauses.Add(1)
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(300+rand.IntN(900)) * time.Millisecond):
			}
		}
	}
}

func (w *watcher) take(text []byte) error {
	l, o, err := parseLine(text)
	if err != nil {
		return w.fault("%v", err)
	}
	if l.Type == "ERROR" {
		var status struct {
			Code   int
			Reason string
		}
		if err := json.Unmarshal(l.Object, &status); err != nil || status.Code != http.StatusGone {
			return w.fault("an ERROR that is no 410: %s", text)
		}
		return errExpired
	}
	revision, err := o.revision()
	if err != nil {
		return w.fault("%v in %s", err, text)
	}
	if l.Type == "BOOKMARK" {
		if !w.bookmarks && !w.watchList {
			return w.fault("a BOOKMARK that was not asked for")
		}
		if revision < w.at.Load() {
			return w.fault("a BOOKMARK at %d after %d", revision, w.at.Load())
		}
		w.counts.bookmarks.Add(1)
		w.at.Store(revision)
		return nil
	}
	if revision <= w.at.Load() {
		return w.fault("%s %s at %d after %d", l.Type, o.key(), revision, w.at.Load())
	}
	hash := hashOf(l.Object)
	w.events = append(w.events, event{kind: l.Type, revision: revision, key: o.key(), hash: hash})
	if w.log != nil {
		w.log = append(w.log, change{revision: revision, key: o.key(), deleted: l.Type == "DELETED",
			hash: hash, facets: o.facets()})
	}
	w.at.Store(revision)
	return nil
}

// Cuts the connection that is open, if one is.
func (w *watcher) cut() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.kill != nil {
		w.kill()
		w.counts.kills.Add(1)
	}
}
