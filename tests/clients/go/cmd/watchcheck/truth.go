package main

import (
	"fmt"
	"sort"
)

// One change of one object, as the watcher without a selector saw it.
type change struct {
	revision int64
	key      string
	deleted  bool
	hash     uint64
	facets   facets
}

// What a list said: the objects that were selected at a revision.
type snapshot struct {
	revision int64
	held     map[string]int64 // key -> revision
}

// What is expected of one watcher, worked out change by change.
type expectation struct {
	watcher   *watcher
	holds     map[string]int64 // what is selected now
	seen      int              // of the watcher's events
	snapshots []snapshot       // still to be compared, by revision
	gaps      []gap            // still to come, by revision
	checked   int
	problems  []string
}

// Events of (after, through] that a watcher was told it cannot have: it listed instead.
type gap struct{ after, through int64 }

func (x *expectation) problem(format string, values ...any) {
	x.problems = append(x.problems,
		fmt.Sprintf("watcher %d (%s): ", x.watcher.number, x.watcher.selector)+
			fmt.Sprintf(format, values...))
}

// What the selector makes of a change; "" where the watcher sees nothing of it.
func (x *expectation) kindOf(c *change) string {
	_, before := x.holds[c.key]
	after := !c.deleted && x.watcher.selector.selects(&c.facets)
	if after {
		x.holds[c.key] = c.revision
	} else {
		delete(x.holds, c.key)
	}
	switch {
	case !before && after:
		return "ADDED"
	case before && after:
		return "MODIFIED"
	case before:
		return "DELETED"
	}
	return ""
}

func (x *expectation) compareSnapshots(before int64) {
	for len(x.snapshots) > 0 && x.snapshots[0].revision < before {
		s := x.snapshots[0]
		x.snapshots = x.snapshots[1:]
		for key, revision := range s.held {
			if x.holds[key] != revision {
				x.problem("its list at %d holds %s at %d, expected %d", s.revision, key, revision,
					x.holds[key])
			}
		}
		for key, revision := range x.holds {
			if _, there := s.held[key]; !there {
				x.problem("its list at %d lacks %s at %d", s.revision, key, revision)
			}
		}
	}
}

func (x *expectation) inGap(revision int64) bool {
	for len(x.gaps) > 0 && x.gaps[0].through < revision {
		x.gaps = x.gaps[1:]
	}
	return len(x.gaps) > 0 && x.gaps[0].after < revision
}

func (x *expectation) take(c *change) {
	x.compareSnapshots(c.revision)
	kind := x.kindOf(c)
	if kind == "" || x.inGap(c.revision) {
		return
	}
	events := x.watcher.events
	if x.seen >= len(events) {
		x.problem("missed %s %s at %d, and all after it", kind, c.key, c.revision)
		return
	}
	got := events[x.seen]
	if got.revision > c.revision {
		x.problem("missed %s %s at %d; the next it saw is %v", kind, c.key, c.revision, got)
		return
	}
	x.seen++
	x.checked++
	if got.kind != kind || got.key != c.key || got.revision != c.revision {
		x.problem("saw %v, expected %s %s at %d", got, kind, c.key, c.revision)
	} else if got.hash != c.hash && (kind != "DELETED" || c.deleted) {
		x.problem("saw another object in %v than the watcher without a selector", got)
	}
}

func (x *expectation) end() {
	x.compareSnapshots(1 << 62)
	for _, extra := range x.watcher.events[x.seen:] {
		x.problem("saw %v, which nobody did or which it saw before", extra)
	}
}

// Compares what each watcher saw with the log; the number of events compared, and what is wrong.
func compare(log []change, watchers []*watcher) (int, []string) {
	sort.Slice(log, func(i, j int) bool { return log[i].revision < log[j].revision })
	checked, problems := 0, []string{}
	for _, w := range watchers {
		x := &expectation{watcher: w, holds: map[string]int64{}, snapshots: w.snapshots, gaps: w.gaps}
		for i := range log {
			x.take(&log[i])
			if len(x.problems) > 5 {
				break
			}
		}
		if len(x.problems) == 0 {
			x.end()
		}
		checked += x.checked
		problems = append(problems, x.problems...)
	}
	return checked, problems
}

// The revision of the last event that the watcher is to see.
func lastExpected(log []change, w *watcher) int64 {
	x := &expectation{watcher: w, holds: map[string]int64{}}
	last := int64(0)
	for i := range log {
		if x.kindOf(&log[i]) != "" {
			last = log[i].revision
		}
	}
	return last
}
