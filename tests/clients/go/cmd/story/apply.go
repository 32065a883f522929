package main

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func (s *stage) sized(name, size string) *unstructured.Unstructured {
	object := s.operation(name, nil)
	unstructured.RemoveNestedField(object.Object, "metadata", "labels")
	_ = unstructured.SetNestedField(object.Object, size, "metadata", "annotations", "size")
	return object
}

// Server-side apply: creation, a conflict that names the manager and the field, force, and no new
// version where nothing changes.
func applies(s *stage) error {
	mine := metav1.ApplyOptions{FieldManager: "mine"}
	object, err := s.operations.Apply(s.ctx, "applied", s.sized("applied", "1"), mine)
	if err != nil {
		return err
	}
	s.acknowledge(object)
	if object, err = s.settled("applied"); err != nil {
		return err
	}
	again, err := s.operations.Apply(s.ctx, "applied", s.sized("applied", "1"), mine)
	if err != nil {
		return err
	}
	if again.GetResourceVersion() != object.GetResourceVersion() {
		return fmt.Errorf("an apply that changes nothing made version %s of %s",
			again.GetResourceVersion(), object.GetResourceVersion())
	}
	yours := metav1.ApplyOptions{FieldManager: "yours"}
	_, err = s.operations.Apply(s.ctx, "applied", s.sized("applied", "2"), yours)
	if !apierrors.IsConflict(err) || !apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) {
		return fmt.Errorf("another manager's value got %v, expected a conflict with \"mine\"", err)
	}
	cause, _ := apierrors.StatusCause(err, metav1.CauseTypeFieldManagerConflict)
	if cause.Field != ".metadata.annotations.size" {
		return fmt.Errorf("the conflict is of %q", cause.Field)
	}
	yours.Force = true
	if object, err = s.operations.Apply(s.ctx, "applied", s.sized("applied", "2"), yours); err != nil {
		return err
	}
	s.acknowledge(object)
	if object.GetAnnotations()["size"] != "2" {
		return fmt.Errorf("by force it became %v", object.GetAnnotations())
	}
	return nil
}

// The same by controller-runtime's Apply, and by its status writer.
func appliesWithControllerRuntime(s *stage) error {
	c, err := newClient(s)
	if err != nil {
		return err
	}
	object := s.sized("applied-too", "1")
	if err := c.Apply(s.ctx, client.ApplyConfigurationFromUnstructured(object),
		client.FieldOwner("controller")); err != nil {
		return err
	}
	s.acknowledge(object)
	if object.GetUID() == "" || len(object.GetManagedFields()) == 0 {
		return fmt.Errorf("the answer is %v", object.Object)
	}
	return nil
}
