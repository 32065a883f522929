package main

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// uses gathers what templates and expressions read.
type uses struct {
	parameters map[string]any
	outputs    []Output
	names      []string
}

func (u *uses) undeclared() admission.Warnings {
	var out admission.Warnings
	for _, name := range u.names {
		if parameter, is := strings.CutPrefix(name, "spec.parameters."); is {
			if _, there := u.parameters[parameter]; !there {
				out = append(out, name+" is read, and spec.parameters lacks it")
			}
		} else if output, is := strings.CutPrefix(name, "outputs."); is {
			declared := func(one Output) bool { return one.Name == output }
			if !slices.ContainsFunc(u.outputs, declared) {
				out = append(out, name+" is read, and spec.outputs lacks it")
			}
		}
	}
	return out
}

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isName(text string) bool {
	for i := range len(text) {
		if !isLetter(text[i]) && (i == 0 || text[i] < '0' || text[i] > '9') {
			return false
		}
	}
	return text != ""
}

// checkExpression takes a JSON Pointer, or names with dots between them. Real expressions are not
// compiled here, which a real webhook would have to.
func checkExpression(path *field.Path, text string, uses *uses) field.ErrorList {
	if text == "" || strings.HasPrefix(text, "/") {
		return nil
	}
	for part := range strings.SplitSeq(text, ".") {
		if !isName(part) {
			return field.ErrorList{field.Invalid(path, text, "is no name of a value")}
		}
	}
	uses.names = append(uses.names, text)
	return nil
}

func checkTemplate(path *field.Path, text string, uses *uses) field.ErrorList {
	var found field.ErrorList
	for {
		_, rest, is := strings.Cut(text, "${")
		if !is {
			return found
		}
		inner, after, closed := strings.Cut(rest, "}")
		if !closed {
			return append(found, field.Invalid(path, text, "${ is not closed"))
		}
		found = append(found, checkExpression(path, inner, uses)...)
		text = after
	}
}

func checkBody(path *field.Path, body any, uses *uses) field.ErrorList {
	var found field.ErrorList
	switch part := body.(type) {
	case string:
		found = checkTemplate(path, part, uses)
	case []any:
		for i, item := range part {
			found = append(found, checkBody(path.Index(i), item, uses)...)
		}
	case map[string]any:
		for name, value := range part {
			found = append(found, checkBody(path.Child(name), value, uses)...)
		}
	}
	return found
}

func checkCall(path *field.Path, call *Call, uses *uses) field.ErrorList {
	found := checkTemplate(path.Child("path"), call.Path, uses)
	if !slices.Contains(methods, call.Method) {
		found = append(found, field.NotSupported(path.Child("method"), call.Method, methods))
	}
	if call.Path != "" && !strings.HasPrefix(call.Path, "/") {
		if target, err := url.Parse(call.Path); err != nil || target.Scheme != "https" {
			found = append(found, field.Invalid(path.Child("path"), call.Path, "is no path and no URL"))
		}
	}
	for i, header := range call.Headers {
		at := path.Child("headers").Index(i)
		if http.CanonicalHeaderKey(header.Name) == "" {
			found = append(found, field.Required(at.Child("name"), "a header has a name"))
		}
		found = append(found, checkTemplate(at.Child("value"), header.Value, uses)...)
	}
	found = append(found, checkBody(path.Child("body"), call.Body, uses)...)
	if call.Method == http.MethodGet && call.Body != nil {
		found = append(found, field.Forbidden(path.Child("body"), "a GET carries no body"))
	}
	return found
}
