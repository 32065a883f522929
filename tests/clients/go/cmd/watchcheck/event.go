package main

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"strconv"
)

var seed = maphash.MakeSeed()

func hashOf(text []byte) uint64 { return maphash.Bytes(seed, text) }

const initialEventsEnd = "k8s.io/initial-events-end"

// The parts of an object that this program reads.
type object struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name            string            `json:"name"`
		Namespace       string            `json:"namespace"`
		ResourceVersion string            `json:"resourceVersion"`
		Labels          map[string]string `json:"labels"`
		Annotations     map[string]string `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		Type              string `json:"type"`
		ExternalSystemRef struct {
			Name string `json:"name"`
		} `json:"externalSystemRef"`
	} `json:"spec"`
	Status struct {
		Phase          string `json:"phase"`
		CompletionTime string `json:"completionTime"`
	} `json:"status"`
}

func (o *object) facets() facets {
	return facets{namespace: o.Metadata.Namespace, name: o.Metadata.Name, kind: o.Spec.Type,
		system: o.Spec.ExternalSystemRef.Name, phase: o.Status.Phase,
		completed: o.Status.CompletionTime, labels: o.Metadata.Labels}
}

func (o *object) key() string { return o.Metadata.Namespace + "/" + o.Metadata.Name }

func (o *object) revision() (int64, error) {
	return strconv.ParseInt(o.Metadata.ResourceVersion, 10, 64)
}

// One event as it was seen.
type event struct {
	kind     string // ADDED, MODIFIED, DELETED
	revision int64
	key      string
	hash     uint64 // of the object's bytes
}

func (e event) String() string { return fmt.Sprintf("%s %s at %d", e.kind, e.key, e.revision) }

// A line of a watch. The object of an ERROR is a Status and is left raw.
type line struct {
	Type   string          `json:"type"`
	Object json.RawMessage `json:"object"`
}

func parseLine(text []byte) (line, object, error) {
	var l line
	var o object
	if err := json.Unmarshal(text, &l); err != nil {
		return l, o, fmt.Errorf("a line that is no event: %q: %w", text, err)
	}
	if l.Type == "ERROR" {
		return l, o, nil
	}
	if err := json.Unmarshal(l.Object, &o); err != nil {
		return l, o, fmt.Errorf("an object that does not parse: %q: %w", text, err)
	}
	if o.Kind != "AsyncOperation" {
		return l, o, fmt.Errorf("%s of kind %q in a watch of AsyncOperations", l.Type, o.Kind)
	}
	return l, o, nil
}
