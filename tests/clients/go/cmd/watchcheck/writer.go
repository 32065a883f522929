package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	writers = 16
	// Live objects of one writer at most: few enough that lists stay short.
	perWriter = 60
)

// A write that the server said was done.
type acknowledged struct {
	key      string
	revision int64 // 0 of a deletion
	deleted  bool
}

// Makes, changes and deletes objects that no other writer touches.
type writer struct {
	number int
	server *server
	dice   *rand.Rand
	gate   *sync.RWMutex // held for writing, nobody writes
	goal   *atomic.Int64 // writes that are still to be done
	live   map[string]bool
	acks   []acknowledged
}

func newWriter(number int, s *server, gate *sync.RWMutex, goal *atomic.Int64, seed uint64) *writer {
	return &writer{number: number, server: s, gate: gate, goal: goal, live: map[string]bool{},
		dice: rand.New(rand.NewPCG(seed, uint64(number)))}
}

func (w *writer) run() error {
	for w.goal.Add(-1) >= 0 {
		w.gate.RLock()
		err := w.write()
		w.gate.RUnlock()
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) path(name string) string {
	base := group + "/namespaces/" + namespaceName(w.number) + "/" + plural
	if name == "" {
		return base
	}
	return base + "/" + name
}

func (w *writer) write() error {
	name := fmt.Sprintf("w%d-%d", w.number, w.dice.IntN(perWriter))
	roll := w.dice.IntN(100)
	switch {
	case !w.live[name]:
		return w.create(name)
	case roll < 20:
		return w.delete(name)
	case roll < 40 && roll >= 32:
		// Null: not over after all.
		var when any
		if w.dice.IntN(4) > 0 {
			when = completion(w.dice.IntN(2 * days))
		}
		return w.patch(name, "/status",
			map[string]any{"status": map[string]any{"completionTime": when}})
	case roll < 32:
		phase := phases[w.dice.IntN(len(phases))]
		return w.patch(name, "/status", map[string]any{"status": map[string]any{"phase": phase}})
	default:
		return w.patch(name, "", map[string]any{"metadata": map[string]any{"labels": w.labels(true)}})
	}
}

// Of a patch, a label that goes is null.
func (w *writer) labels(patch bool) map[string]any {
	labels := map[string]any{
		"group": fmt.Sprintf("g%d", w.dice.IntN(groups)),
		"step":  steps[w.dice.IntN(len(steps))],
	}
	if w.dice.IntN(4) > 0 {
		labels["tier"] = tiers[w.dice.IntN(len(tiers))]
	} else if patch {
		labels["tier"] = nil
	}
	return labels
}

// Suspended: the engine sends nothing, and writes the status once.
func (w *writer) create(name string) error {
	return w.do("POST", w.path(""), name, http.StatusCreated, "application/json", map[string]any{
		"apiVersion": "operations.asyncops.dev/v1alpha1", "kind": "AsyncOperation",
		"metadata": map[string]any{"name": name, "labels": w.labels(false)},
		"spec": map[string]any{
			"type":              types[w.dice.IntN(len(types))],
			"externalSystemRef": map[string]any{"name": fmt.Sprintf("system-%d", w.dice.IntN(systems))},
			"suspend":           true,
			"submit":            map[string]any{"method": "POST", "path": "/x"},
			"poll":              map[string]any{"path": "/x"},
		}})
}

func (w *writer) patch(name, subresource string, body any) error {
	return w.do("PATCH", w.path(name)+subresource, name, http.StatusOK,
		"application/merge-patch+json", body)
}

func (w *writer) delete(name string) error {
	return w.do("DELETE", w.path(name), name, http.StatusOK, "", nil)
}

func (w *writer) do(method, path, name string, wanted int, contentType string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		text = nil
	}
	code, answer, err := w.server.send(method, path, contentType, text)
	if err != nil {
		return w.findOut(name)
	}
	if code != wanted {
		return fmt.Errorf("%s %s: %d %s", method, path, code, answer)
	}
	ack := acknowledged{key: namespaceName(w.number) + "/" + name, deleted: method == "DELETE"}
	// A deletion is answered with a Status.
	if !ack.deleted {
		var o object
		if err := json.Unmarshal(answer, &o); err != nil {
			return fmt.Errorf("%s %s: %w", method, path, err)
		}
		if ack.revision, err = o.revision(); err != nil {
			return fmt.Errorf("%s %s: %w", method, path, err)
		}
	}
	w.live[name] = !ack.deleted
	w.acks = append(w.acks, ack)
	return nil
}

// After a write whose answer was lost: whether the object is there.
func (w *writer) findOut(name string) error {
	time.Sleep(20 * time.Millisecond)
	code, err := w.server.insist("GET", w.path(name), nil, nil)
	if err == nil && code != http.StatusOK && code != http.StatusNotFound {
		err = fmt.Errorf("GET %s: %d", w.path(name), code)
	}
	w.live[name] = code == http.StatusOK
	return err
}
