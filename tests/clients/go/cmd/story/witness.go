package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// What one informer, cache or watch saw.
type witness struct {
	name  string
	mutex sync.Mutex
	holds map[string]string   // name -> revision
	seen  map[string][]string // name -> revisions, in the order they came
	gone  map[string]int      // name -> deletions
}

func (s *stage) newWitness(name string) *witness {
	w := &witness{name: name, holds: map[string]string{}, seen: map[string][]string{},
		gone: map[string]int{}}
	s.witnesses = append(s.witnesses, w)
	return w
}

func (w *witness) saw(value any) {
	object, err := meta.Accessor(value)
	if err != nil {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.holds[object.GetName()] = object.GetResourceVersion()
	w.seen[object.GetName()] = append(w.seen[object.GetName()], object.GetResourceVersion())
}

func (w *witness) sawEnd(value any) {
	if unknown, ok := value.(cache.DeletedFinalStateUnknown); ok {
		value = unknown.Obj
	}
	object, err := meta.Accessor(value)
	if err != nil {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	delete(w.holds, object.GetName())
	w.gone[object.GetName()]++
}

func (w *witness) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    w.saw,
		UpdateFunc: func(_, value any) { w.saw(value) },
		DeleteFunc: w.sawEnd,
	}
}

// Whether it saw each acknowledged write once and in order, and holds what a list holds.
func (w *witness) agrees(s *stage) error {
	wanted := map[string]string{}
	err := s.await("what a list holds", func() (bool, error) {
		list, err := s.operations.List(s.ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		clear(wanted)
		for _, each := range list.Items {
			wanted[each.GetName()] = each.GetResourceVersion()
		}
		w.mutex.Lock()
		defer w.mutex.Unlock()
		return maps.Equal(wanted, w.holds), nil
	})
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if err != nil {
		return fmt.Errorf("%w: it holds %v, the list %v", err, w.holds, wanted)
	}
	for _, each := range s.acks {
		count := w.timesSeen(each, s.relists)
		if count != 1 {
			return fmt.Errorf("%s at %s was acknowledged, and seen %d times: %v", each.name,
				each.revision, count, w.seen[each.name])
		}
	}
	for name, revisions := range w.seen {
		if !slices.IsSortedFunc(revisions, byNumber) {
			return fmt.Errorf("%s was seen out of order: %v", name, revisions)
		}
	}
	return nil
}

// With relists, what is told again at once counts once, and what was overwritten before it could be
// listed counts as seen.
func (w *witness) timesSeen(write ack, relists bool) int {
	revisions := w.seen[write.name]
	if relists {
		revisions = slices.Compact(slices.Clone(revisions))
	}
	count := 0
	for _, revision := range revisions {
		if revision == write.revision {
			count++
		}
	}
	overwritten := func(revision string) bool { return byNumber(revision, write.revision) > 0 }
	if count == 0 && relists && slices.ContainsFunc(revisions, overwritten) {
		return 1
	}
	return count
}

func byNumber(a, b string) int {
	x, _ := strconv.ParseInt(a, 10, 64)
	y, _ := strconv.ParseInt(b, 10, 64)
	return int(x - y)
}
