package main

import (
	"strings"
	"testing"
)

// Two objects of the gold tier: one leaves it and ends, the other comes into it.
func story() []change {
	gold := facets{labels: map[string]string{"tier": "gold"}}
	return []change{
		{revision: 5, key: "n/a", hash: 1, facets: gold},
		{revision: 6, key: "n/b", hash: 2},
		{revision: 7, key: "n/b", hash: 3, facets: gold},
		{revision: 8, key: "n/a", hash: 4},
		{revision: 9, key: "n/a", hash: 5, deleted: true},
		{revision: 10, key: "n/b", hash: 6, facets: gold},
	}
}

func right() []event {
	return []event{
		{kind: "ADDED", revision: 5, key: "n/a", hash: 1},
		{kind: "ADDED", revision: 7, key: "n/b", hash: 3},
		{kind: "DELETED", revision: 8, key: "n/a", hash: 99}, // it left: which state is told is open
		{kind: "MODIFIED", revision: 10, key: "n/b", hash: 6},
	}
}

func TestCompare(t *testing.T) {
	rows := []struct {
		reason string
		change func(*watcher)
		wanted string // "" where nothing is wrong
	}{
		{"what was done is what it saw", func(*watcher) {}, ""},
		{"the last event is missing",
			func(w *watcher) { w.events = w.events[:3] }, "missed MODIFIED n/b at 10"},
		{"an event in the middle is missing",
			func(w *watcher) { w.events = append(w.events[:1:1], w.events[2:]...) },
			"missed ADDED n/b at 7"},
		{"an event came twice",
			func(w *watcher) { w.events = append(w.events, w.events[3]) }, "saw MODIFIED n/b at 10, which"},
		{"two events are swapped",
			func(w *watcher) { w.events[1], w.events[2] = w.events[2], w.events[1] }, "missed ADDED n/b"},
		{"leaving the selector was told as a change",
			func(w *watcher) { w.events[2].kind = "MODIFIED" }, "expected DELETED n/a at 8"},
		{"another object was told", func(w *watcher) { w.events[1].hash = 7 }, "another object"},
		{"what 410 told it to list is no gap",
			func(w *watcher) {
				w.events = w.events[3:]
				w.gaps = []gap{{after: 0, through: 9}}
				w.snapshots = []snapshot{{revision: 9, held: map[string]int64{"n/b": 7}}}
			}, ""},
		{"its list lacks an object",
			func(w *watcher) { w.snapshots = []snapshot{{revision: 7, held: map[string]int64{"n/a": 5}}} },
			"lacks n/b at 7"},
		{"its list holds what was gone",
			func(w *watcher) {
				w.snapshots = []snapshot{{revision: 9, held: map[string]int64{"n/a": 8, "n/b": 7}}}
			}, "holds n/a at 8"},
	}
	for _, row := range rows {
		w := &watcher{events: right(), selector: selector{matches: func(f *facets) bool {
			return f.labels["tier"] == "gold"
		}}}
		row.change(w)
		_, problems := compare(story(), []*watcher{w})
		all := strings.Join(problems, "\n")
		if (row.wanted == "") != (all == "") || !strings.Contains(all, row.wanted) {
			t.Errorf("%s: got %q, expected %q", row.reason, all, row.wanted)
		}
	}
}

func TestMissingAcks(t *testing.T) {
	rows := []struct {
		reason string
		acks   []acknowledged
		count  int
	}{
		{"each write was seen", []acknowledged{{key: "n/a", revision: 5}, {key: "n/a", deleted: true}}, 0},
		{"a version that nobody saw", []acknowledged{{key: "n/a", revision: 6}}, 1},
		{"a deletion that nobody saw", []acknowledged{{key: "n/b", deleted: true}}, 1},
		{"two deletions, one seen",
			[]acknowledged{{key: "n/a", deleted: true}, {key: "n/a", deleted: true}}, 1},
	}
	for _, row := range rows {
		if problems := missingAcks(story(), row.acks); len(problems) != row.count {
			t.Errorf("%s: got %q, expected %d", row.reason, problems, row.count)
		}
	}
}

func TestRangesOfCompletion(t *testing.T) {
	rows := []struct {
		reason, completed string
		wanted            bool
	}{
		{"what is not over", "", false},
		{"the first moment", completion(0), true},
		{"within", completion(2), true},
		{"the end", completion(3), false},
		{"after it", completion(7), false},
	}
	s := selectorOf(9)
	if s.query().Get("completedAfter") != completion(0) ||
		s.query().Get("completedBefore") != completion(3) {
		t.Errorf("it asks for %v", s.query())
	}
	for _, row := range rows {
		if got := s.selects(&facets{completed: row.completed}); got != row.wanted {
			t.Errorf("%s: %v", row.reason, got)
		}
	}
}
