package main

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

var methods = []string{"", "GET", "POST", "PUT", "PATCH", "DELETE"}
var states = []string{"Running", "Succeeded", "Failed", "Canceled", "NotFound", "Unreadable"}
var classes = []string{"Recoverable", "Throttled", "Terminal", "Conflict"}

type validator struct{}

func (validator) ValidateCreate(_ context.Context,
	resource *AsyncResource) (admission.Warnings, error) {
	found, warnings := check(resource)
	return warnings, asError(resource, found)
}

func (validator) ValidateUpdate(_ context.Context, old,
	resource *AsyncResource) (admission.Warnings, error) {
	if equality.Semantic.DeepEqual(old.Spec, resource.Spec) {
		return nil, nil
	}
	found, warnings := check(resource)
	return warnings, asError(resource, found)
}

func (validator) ValidateDelete(context.Context, *AsyncResource) (admission.Warnings, error) {
	return nil, nil
}

func asError(resource *AsyncResource, found field.ErrorList) error {
	if len(found) == 0 {
		return nil
	}
	kind := schema.GroupKind{Group: "asyncops.dev", Kind: "AsyncResource"}
	return apierrors.NewInvalid(kind, resource.Name, found)
}

func check(resource *AsyncResource) (field.ErrorList, admission.Warnings) {
	spec, path := &resource.Spec, field.NewPath("spec")
	uses := uses{parameters: spec.Parameters, outputs: spec.Outputs}
	found := checkReference(path.Child("externalSystemRef"), spec.ExternalSystemRef)
	found = append(found, checkStep(path.Child("create"), spec.Create, &uses)...)
	found = append(found, checkStep(path.Child("update"), spec.Update, &uses)...)
	found = append(found, checkStep(path.Child("delete"), spec.Delete, &uses)...)
	if spec.Cancel != nil {
		found = append(found, checkCall(path.Child("cancel"), spec.Cancel, &uses)...)
	}
	found = append(found, checkOutputs(path.Child("outputs"), spec.Outputs, &uses)...)
	for i, rule := range spec.ErrorRules {
		at := path.Child("errorRules").Index(i)
		found = append(found, checkExpression(at.Child("when"), rule.When, &uses)...)
		if !slices.Contains(classes, rule.Class) {
			found = append(found, field.NotSupported(at.Child("class"), rule.Class, classes))
		}
	}
	if spec.ActiveDeadline != nil && spec.ActiveDeadline.Duration < time.Second {
		found = append(found, field.Invalid(path.Child("activeDeadline"),
			spec.ActiveDeadline.Duration.String(), "must be at least 1s"))
	}
	warnings := uses.undeclared()
	if spec.Delete == nil && spec.DeletionPolicy != "Orphan" {
		warnings = append(warnings, "spec.delete is absent: deleting this leaves the thing outside")
	}
	return found, warnings
}

func checkReference(path *field.Path, reference *Reference) field.ErrorList {
	if reference == nil {
		return field.ErrorList{field.Required(path, "say which ExternalSystem")}
	}
	var found field.ErrorList
	for _, message := range validation.IsDNS1123Subdomain(reference.Name) {
		found = append(found, field.Invalid(path.Child("name"), reference.Name, message))
	}
	return found
}

func checkStep(path *field.Path, step *Step, uses *uses) field.ErrorList {
	if step == nil {
		return nil
	}
	var found field.ErrorList
	if step.Submit != nil {
		found = append(found, checkCall(path.Child("submit"), step.Submit, uses)...)
	}
	if step.Poll != nil {
		found = append(found, checkPoll(path.Child("poll"), step.Poll, uses)...)
	}
	if step.Recovery != nil && step.Recovery.Lookup != nil {
		lookup, at := step.Recovery.Lookup, path.Child("recovery", "lookup")
		found = append(found, checkCall(at, &lookup.Call, uses)...)
		found = append(found, checkExpression(at.Child("found"), lookup.Found, uses)...)
		found = append(found, checkExpression(at.Child("id"), lookup.ID, uses)...)
	}
	return found
}

func checkPoll(path *field.Path, poll *Poll, uses *uses) field.ErrorList {
	found := checkCall(path, &poll.Call, uses)
	for i, acceptor := range poll.Acceptors {
		at := path.Child("acceptors").Index(i)
		found = append(found, checkExpression(at.Child("when"), acceptor.When, uses)...)
		if !slices.Contains(states, acceptor.State) {
			found = append(found, field.NotSupported(at.Child("state"), acceptor.State, states))
		}
	}
	found = append(found, checkExpression(path.Child("nextURL"), poll.NextURL, uses)...)
	found = append(found, checkExpression(path.Child("progress"), poll.Progress, uses)...)
	if interval := poll.Interval; interval != nil && interval.Initial != nil && interval.Max != nil &&
		interval.Max.Duration < interval.Initial.Duration {
		found = append(found, field.Invalid(path.Child("interval", "max"),
			interval.Max.Duration.String(), "must not be shorter than initial"))
	}
	return found
}

func checkOutputs(path *field.Path, outputs []Output, uses *uses) field.ErrorList {
	var found field.ErrorList
	seen := map[string]bool{}
	for i, output := range outputs {
		at := path.Index(i)
		if seen[output.Name] {
			found = append(found, field.Duplicate(at.Child("name"), output.Name))
		}
		seen[output.Name] = true
		if !isName(output.Name) {
			found = append(found, field.Invalid(at.Child("name"), output.Name,
				"must be letters, digits and '_', starting with a letter"))
		}
		found = append(found, checkExpression(at.Child("value"), output.Value, uses)...)
	}
	return found
}
