package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/pager"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const made = 25

var steps = []step{
	{"makes objects before anybody watches", makesObjects("early", 3)},
	{"starts a dynamic informer", startsADynamicInformer},
	{"starts a metadata informer", startsAMetadataInformer},
	{"starts a retry watcher", startsARetryWatcher},
	{"starts controller-runtime caches", startsControllerRuntimeCaches},
	{"makes objects", makesObjects("op", made)},
	{"pages", pages},
	{"patches", patches},
	{"applies", applies},
	{"applies with controller-runtime", appliesWithControllerRuntime},
	{"refuses what is stale", refusesWhatIsStale},
	{"writes the status", writesTheStatus},
	{"writes, reads and deletes a typed secret", writesATypedSecret},
	{"deletes", deletes("op-0")},
	{"is killed", (*stage).restart},
	{"makes objects after the restart", makesObjects("late", 3)},
	{"deletes after the restart", deletes("op-1")},
	{"deletes a collection", deletesACollection},
}

func makesObjects(prefix string, count int) func(*stage) error {
	return func(s *stage) error {
		for i := range count {
			name := fmt.Sprintf("%s-%d", prefix, i)
			object, err := s.operations.Create(s.ctx, s.operation(name, map[string]any{"of": prefix}),
				metav1.CreateOptions{})
			if err != nil {
				return err
			}
			if prefix != "early" {
				s.acknowledge(object)
			}
		}
		for i := range count {
			if _, err := s.settled(fmt.Sprintf("%s-%d", prefix, i)); err != nil {
				return err
			}
		}
		return nil
	}
}

func pages(s *stage) error {
	var names []string
	pageCount, revisions := 0, map[string]bool{}
	list := func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		o.LabelSelector = "of=op"
		page, err := s.operations.List(ctx, o)
		if err == nil {
			pageCount++
			revisions[page.GetResourceVersion()] = true
		}
		return page, err
	}
	p := pager.New(list)
	p.PageSize = 10
	err := p.EachListItem(s.ctx, metav1.ListOptions{}, func(object runtime.Object) error {
		names = append(names, object.(*unstructured.Unstructured).GetName())
		return nil
	})
	if err != nil {
		return err
	}
	if len(names) != made || !slices.IsSorted(names) || len(slices.Compact(names)) != made {
		return fmt.Errorf("%d names, expected %d different ones in order: %v", len(names), made, names)
	}
	if pageCount != 3 || len(revisions) != 1 {
		return fmt.Errorf("%d pages at the revisions %v, expected 3 at one", pageCount, revisions)
	}
	return nil
}

func patches(s *stage) error {
	merge := []byte(`{"metadata":{"labels":{"merged":"yes"}}}`)
	object, err := s.operations.Patch(s.ctx, "op-2", types.MergePatchType, merge, metav1.PatchOptions{})
	if err != nil {
		return err
	}
	s.acknowledge(object)
	operations := []byte(`[{"op":"test","path":"/metadata/labels/merged","value":"yes"},
		{"op":"add","path":"/metadata/annotations","value":{"note":"patched"}}]`)
	object, err = s.operations.Patch(s.ctx, "op-2", types.JSONPatchType, operations,
		metav1.PatchOptions{})
	if err != nil {
		return err
	}
	s.acknowledge(object)
	if object.GetLabels()["merged"] != "yes" || object.GetAnnotations()["note"] != "patched" {
		return fmt.Errorf("it is %v", object.Object)
	}
	again, err := s.operations.Patch(s.ctx, "op-2", types.MergePatchType, merge, metav1.PatchOptions{})
	if err != nil {
		return err
	}
	if again.GetResourceVersion() != object.GetResourceVersion() {
		return fmt.Errorf("a patch that changes nothing made version %s of %s",
			again.GetResourceVersion(), object.GetResourceVersion())
	}
	_, err = s.operations.Patch(s.ctx, "op-2", types.StrategicMergePatchType, merge,
		metav1.PatchOptions{})
	if !apierrors.IsUnsupportedMediaType(err) {
		return fmt.Errorf("a strategic merge patch got %v, expected 415", err)
	}
	return nil
}

func refusesWhatIsStale(s *stage) error {
	old, err := s.settled("op-3")
	if err != nil {
		return err
	}
	changed := old.DeepCopy()
	changed.SetAnnotations(map[string]string{"first": "yes"})
	object, err := s.operations.Update(s.ctx, changed, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	s.acknowledge(object)
	stale := old.DeepCopy()
	stale.SetAnnotations(map[string]string{"second": "yes"})
	if _, err = s.operations.Update(s.ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("a stale update got %v, expected 409 Conflict", err)
	}
	if _, err = s.operations.Create(s.ctx, s.operation("op-3", nil),
		metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("a second creation got %v, expected 409 AlreadyExists", err)
	}
	wrong := types.UID("00000000-0000-4000-8000-000000000000")
	err = s.operations.Delete(s.ctx, "op-3",
		metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("a deletion of another UID got %v, expected 409 Conflict", err)
	}
	return nil
}

func newClient(s *stage) (client.Client, error) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	return client.New(s.config, client.Options{Scheme: scheme})
}

// controller-runtime's status writer: what it says of the spec is ignored.
func writesTheStatus(s *stage) error {
	c, err := newClient(s)
	if err != nil {
		return err
	}
	object, err := s.settled("op-4")
	if err != nil {
		return err
	}
	before := object.DeepCopy()
	if err := unstructured.SetNestedField(object.Object, "op-17", "status", "operationID"); err != nil {
		return err
	}
	if err := unstructured.SetNestedField(object.Object, "2Gi", "spec", "parameters", "size"); err != nil {
		return err
	}
	if err := c.Status().Patch(s.ctx, object, client.MergeFrom(before)); err != nil {
		return err
	}
	s.acknowledge(object)
	text, _ := json.Marshal(object.Object)
	size, _, _ := unstructured.NestedString(object.Object, "spec", "parameters", "size")
	id, _, _ := unstructured.NestedString(object.Object, "status", "operationID")
	if size != "1Gi" || id != "op-17" || object.GetGeneration() != before.GetGeneration() {
		return fmt.Errorf("it is %s", text)
	}
	return nil
}

// controller-runtime speaks protobuf first for kinds of Kubernetes itself.
func writesATypedSecret(s *stage) error {
	c, err := newClient(s)
	if err != nil {
		return err
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "typed"},
		StringData: map[string]string{"key": "value"}}
	if err := c.Create(s.ctx, secret); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	var read corev1.Secret
	if err := c.Get(s.ctx, client.ObjectKeyFromObject(secret), &read); err != nil {
		return fmt.Errorf("get: %w", err)
	}
	if string(read.Data["key"]) != "value" {
		return fmt.Errorf("it holds %q", read.Data)
	}
	return c.Delete(s.ctx, &read)
}

func deletes(name string) func(*stage) error {
	return func(s *stage) error {
		if err := s.operations.Delete(s.ctx, name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		_, err := s.operations.Get(s.ctx, name, metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			return fmt.Errorf("after the deletion: %v", err)
		}
		for _, each := range s.witnesses {
			err := s.await(each.name+" to see the end of "+name, func() (bool, error) {
				each.mutex.Lock()
				defer each.mutex.Unlock()
				return each.gone[name] == 1, nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}
func deletesACollection(s *stage) error {
	err := s.operations.DeleteCollection(s.ctx, metav1.DeleteOptions{},
		metav1.ListOptions{LabelSelector: "of=early"})
	if err != nil {
		return err
	}
	list, err := s.operations.List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, each := range list.Items {
		if strings.HasPrefix(each.GetName(), "early") {
			return fmt.Errorf("%s is still there", each.GetName())
		}
	}
	return nil
}
