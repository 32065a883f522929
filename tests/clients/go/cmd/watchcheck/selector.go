package main

import (
	"fmt"
	"net/url"
	"slices"
)

const (
	group      = "/apis/operations.asyncops.dev/v1alpha1"
	plural     = "asyncoperations"
	namespaces = 4
	groups     = 12
	systems    = 5
	days       = 6
)

var (
	types  = []string{"Create", "Update", "Delete", "Action"}
	tiers  = []string{"gold", "silver", "bronze"}
	phases = []string{"Pending", "Running", "Failed", "Succeeded"}
)

// What selectors look at.
type facets struct {
	namespace, name, kind, system, phase, completed string
	labels                                          map[string]string
}

// A selector twice: as the server is asked, and as this program understands it.
type selector struct {
	namespace, label, field string
	from, before            string // of the time of completion; "" is no bound
	matches                 func(*facets) bool
}

func everything(*facets) bool { return true }

func (s selector) path() string {
	if s.namespace == "" {
		return group + "/" + plural
	}
	return group + "/namespaces/" + s.namespace + "/" + plural
}

func (s selector) query() url.Values {
	query := url.Values{}
	if s.label != "" {
		query.Set("labelSelector", s.label)
	}
	if s.field != "" {
		query.Set("fieldSelector", s.field)
	}
	if s.from != "" {
		query.Set("completedAfter", s.from)
	}
	if s.before != "" {
		query.Set("completedBefore", s.before)
	}
	return query
}

func (s selector) selects(f *facets) bool {
	return (s.namespace == "" || s.namespace == f.namespace) && s.matches(f)
}

func (s selector) String() string {
	return fmt.Sprintf("namespace=%q labels=%q fields=%q completed=[%s,%s)", s.namespace, s.label,
		s.field, s.from, s.before)
}

func namespaceName(i int) string { return fmt.Sprintf("watched-%d", i%namespaces) }

// A time of completion: some on each of a few days, so that ranges have edges that are met. They
// are texts of one length, which order as the times do.
func completion(i int) string {
	return fmt.Sprintf("2026-11-%02dT%02d:00:00Z", 20+i/2%days, i%2*12)
}

// The selector of the i-th watcher. Each kind comes back every eleven.
func selectorOf(i int) selector {
	turn := i / 11
	groupName, tier := fmt.Sprintf("g%d", turn%groups), tiers[turn%len(tiers)]
	system, kind := fmt.Sprintf("system-%d", turn%systems), types[turn%len(types)]
	phase := phases[turn%len(phases)]
	switch i % 11 {
	case 0:
		return selector{matches: everything}
	case 1:
		return selector{namespace: namespaceName(turn), matches: everything}
	case 2:
		return selector{label: "group=" + groupName,
			matches: func(f *facets) bool { return f.labels["group"] == groupName }}
	case 3:
		return selector{label: "tier in (" + tier + ",lead),group!=" + groupName,
			matches: func(f *facets) bool {
				return f.labels["tier"] == tier && f.labels["group"] != groupName
			}}
	case 4:
		return selector{label: "!tier",
			matches: func(f *facets) bool { _, there := f.labels["tier"]; return !there }}
	case 5:
		return selector{field: "status.phase=" + phase,
			matches: func(f *facets) bool { return f.phase == phase }}
	case 6:
		return selector{field: "spec.type=" + kind + ",spec.externalSystemRef.name=" + system,
			matches: func(f *facets) bool { return f.kind == kind && f.system == system }}
	case 7:
		return selector{namespace: namespaceName(turn), label: "tier", field: "spec.type!=" + kind,
			matches: func(f *facets) bool {
				_, there := f.labels["tier"]
				return there && f.kind != kind
			}}
	case 8:
		name := fmt.Sprintf("w%d-%d", turn%writers, turn)
		return selector{namespace: namespaceName(turn), field: "metadata.name=" + name,
			matches: func(f *facets) bool { return f.name == name }}
	case 9:
		from, before := completion(2*turn), completion(2*turn+3)
		if before < from {
			from, before = before, from
		}
		return selector{from: from, before: before, matches: func(f *facets) bool {
			return f.completed != "" && f.completed >= from && f.completed < before
		}}
	default:
		return selector{label: "step>" + fmt.Sprint(turn) + ",tier notin (" + tier + ")",
			matches: func(f *facets) bool {
				step, there := f.labels["step"]
				return there && slices.Index(steps, step) > turn && f.labels["tier"] != tier
			}}
	}
}

// Values of the label step: integers in their order.
var steps = func() []string {
	all := make([]string, 16)
	for i := range all {
		all[i] = fmt.Sprint(i)
	}
	return all
}()
