package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// AsyncResource has the fields of ours, typed where ours are.
type AsyncResource struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec"`
}

type Reference struct {
	Name string `json:"name"`
}

type Spec struct {
	ExternalSystemRef *Reference       `json:"externalSystemRef,omitempty"`
	Parameters        map[string]any   `json:"parameters,omitempty"`
	Create            *Step            `json:"create,omitempty"`
	Update            *Step            `json:"update,omitempty"`
	Delete            *Step            `json:"delete,omitempty"`
	Cancel            *Call            `json:"cancel,omitempty"`
	Outputs           []Output         `json:"outputs,omitempty"`
	Retry             *Retry           `json:"retry,omitempty"`
	ErrorRules        []ErrorRule      `json:"errorRules,omitempty"`
	ActiveDeadline    *metav1.Duration `json:"activeDeadline,omitempty"`
	DeletionPolicy    string           `json:"deletionPolicy,omitempty"`
	Suspend           bool             `json:"suspend,omitempty"`
}

type Header struct {
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
}

type Call struct {
	Method  string   `json:"method,omitempty"`
	Path    string   `json:"path,omitempty"`
	Headers []Header `json:"headers,omitempty"`
	Body    any      `json:"body,omitempty"`
}

type Interval struct {
	Initial *metav1.Duration `json:"initial,omitempty"`
	Max     *metav1.Duration `json:"max,omitempty"`
	Factor  *float64         `json:"factor,omitempty"`
}

type Acceptor struct {
	When  string `json:"when"`
	State string `json:"state"`
}

type Poll struct {
	Call      `json:",inline"`
	Acceptors []Acceptor `json:"acceptors,omitempty"`
	Interval  *Interval  `json:"interval,omitempty"`
	NextURL   string     `json:"nextURL,omitempty"`
	Progress  string     `json:"progress,omitempty"`
}

type Lookup struct {
	Call  `json:",inline"`
	Found string `json:"found,omitempty"`
	ID    string `json:"id,omitempty"`
}

type Recovery struct {
	Lookup    *Lookup `json:"lookup,omitempty"`
	OnUnknown string  `json:"onUnknown,omitempty"`
	AdoptOn   []int64 `json:"adoptOn,omitempty"`
}

type Step struct {
	Submit   *Call     `json:"submit,omitempty"`
	Poll     *Poll     `json:"poll,omitempty"`
	Recovery *Recovery `json:"recovery,omitempty"`
	Gone     []int64   `json:"gone,omitempty"`
}

type Output struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type Tier struct {
	UpTo  *int64          `json:"upTo,omitempty"`
	Delay metav1.Duration `json:"delay"`
}

type Retry struct {
	Tiers []Tier `json:"tiers,omitempty"`
	Limit *int64 `json:"limit,omitempty"`
}

type ErrorRule struct {
	When  string `json:"when"`
	Class string `json:"class"`
}

// DeepCopyObject makes it a runtime.Object; nothing here copies one.
func (r *AsyncResource) DeepCopyObject() runtime.Object {
	out := *r
	return &out
}
