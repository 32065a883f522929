package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

var (
	operationsResource = schema.GroupVersionResource{
		Group: "operations.asyncops.dev", Version: "v1alpha1", Resource: "asyncoperations"}
	operationKind  = operationsResource.GroupVersion().WithKind("AsyncOperation")
	namespacesCore = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
)

// A write that was answered with success.
type ack struct {
	name, revision string
}

// What the steps of the story share.
type stage struct {
	ctx        context.Context
	config     *rest.Config
	namespace  string
	dynamic    dynamic.Interface
	operations dynamic.ResourceInterface
	witnesses  []*witness
	acks       []ack
	answers    *bufio.Reader
	// Whether informers list again after the restart instead of going on where they were: an
	// aggregator answers 503 for a server that is away, and that is what they make of it.
	relists bool
}

func newStage(ctx context.Context) (*stage, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	s := &stage{ctx: ctx, config: config, namespace: os.Getenv("STORY"), dynamic: client,
		answers: bufio.NewReader(os.Stdin), relists: os.Getenv("RELISTS") == "true"}
	s.operations = client.Resource(operationsResource).Namespace(s.namespace)
	namespace := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": s.namespace}}}
	_, err = client.Resource(namespacesCore).Create(ctx, namespace, metav1.CreateOptions{})
	return s, err
}

// An operation that the engine leaves alone, once it has said so in the status.
func (s *stage) operation(name string, labels map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": operationKind.GroupVersion().String(), "kind": operationKind.Kind,
		"metadata": map[string]any{"name": name, "namespace": s.namespace, "labels": labels},
		"spec": map[string]any{
			"type": "Action", "suspend": true,
			"externalSystemRef": map[string]any{"name": "nobody"},
			"parameters":        map[string]any{"size": "1Gi"},
			"submit":            map[string]any{"method": "POST", "path": "/x"},
			"poll":              map[string]any{"path": "/x"},
		}}}
}

func (s *stage) acknowledge(object metav1.Object) {
	s.acks = append(s.acks, ack{object.GetName(), object.GetResourceVersion()})
}

func (s *stage) await(what string, condition func() (bool, error)) error {
	err := wait.PollUntilContextTimeout(s.ctx, 20*time.Millisecond, 20*time.Second, true,
		func(context.Context) (bool, error) { return condition() })
	if err != nil {
		return fmt.Errorf("waiting for %s: %w", what, err)
	}
	return nil
}

// The object once the engine has written its status.
func (s *stage) settled(name string) (*unstructured.Unstructured, error) {
	var object *unstructured.Unstructured
	err := s.await("the status of "+name, func() (bool, error) {
		var err error
		object, err = s.operations.Get(s.ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		observed, _, _ := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
		return observed == object.GetGeneration(), nil
	})
	return object, err
}

// kill -9 of the server, and up again.
func (s *stage) restart() error {
	fmt.Println("RESTART")
	if line, err := s.answers.ReadString('\n'); err != nil || line != "DONE\n" {
		return fmt.Errorf("RESTART was answered with %q: %v", line, err)
	}
	return nil
}
