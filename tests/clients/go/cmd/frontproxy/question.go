package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

const group = "/apis/operations.asyncops.dev/v1alpha1"

// object is what we look at of an operation or of a list of them.
type object struct {
	Kind     string `json:"kind"`
	Message  string `json:"message"`
	Code     int    `json:"code"`
	Metadata struct {
		Name        string            `json:"name"`
		Namespace   string            `json:"namespace"`
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	Items []object `json:"items"`
}

// question is one request, and all that its answer must have in it.
type question struct {
	method, path, contentType string
	body                      string
	asker, namespace          int
	mark                      string // in its Audit-ID, which the answer repeats
	name                      string // of the object, "" for a list
	label                     string // that the object must have now
	code                      int    // expected
}

func (q question) String() string {
	return fmt.Sprintf("%s %s of %s (%s)", q.method, q.path, user(q.asker), q.mark)
}

func (q question) set(header http.Header) {
	header.Set("Audit-ID", q.mark)
	if q.body != "" {
		header.Set("Content-Type", q.contentType)
	}
}

func path(n int, rest string) string {
	where := fmt.Sprintf("%s/namespaces/%s/asyncoperations", group, user(n))
	if rest == "" || rest[0] == '?' {
		return where + rest
	}
	return where + "/" + rest
}

func operationName(n, k int) string { return fmt.Sprintf("%s-op-%d", user(n), k) }

func get(d *dice, n, operations int) question {
	name := operationName(n, d.IntN(operations))
	return question{method: "GET", path: path(n, name), asker: n, namespace: n, name: name,
		mark: d.mark(n), code: 200}
}

func head(d *dice, n, operations int) question {
	q := get(d, n, operations)
	q.method = "HEAD"
	return q
}

func missing(d *dice, n int) question {
	mark := d.mark(n)
	return question{method: "GET", path: path(n, mark), asker: n, namespace: n, name: mark,
		mark: mark, code: 404}
}

// refused asks for something of another lane.
func refused(d *dice, n, lanes int) question {
	other := (n + 1 + d.IntN(lanes-1)) % lanes
	mark := d.mark(n)
	return question{method: "GET", path: path(other, mark), asker: n, namespace: other, name: mark,
		mark: mark, code: 403}
}

func list(d *dice, n int) question {
	return question{method: "GET", path: path(n, ""), asker: n, namespace: n, mark: d.mark(n),
		code: 200}
}

func patch(d *dice, n, operations int) question {
	q := get(d, n, operations)
	q.method, q.label = "PATCH", q.mark
	q.contentType = "application/merge-patch+json"
	q.body = fmt.Sprintf(`{"metadata":{"labels":{"asked-%d":%q}}}`, d.worker, q.mark)
	return q
}

func create(d *dice, n int) question {
	mark := d.mark(n)
	body := fmt.Sprintf(`{"apiVersion":"operations.asyncops.dev/v1alpha1","kind":"AsyncOperation",`+
		`"metadata":{"name":%q},"spec":{"type":"Action","externalSystemRef":{"name":"cloud"},`+
		`"suspend":true,"submit":{"path":"/volumes"}}}`, mark)
	return question{method: "POST", path: path(n, ""), contentType: "application/json", body: body,
		asker: n, namespace: n, name: mark, mark: mark, code: 201}
}

func remove(d *dice, n int, name string) question {
	return question{method: "DELETE", path: path(n, name), asker: n, namespace: n, mark: d.mark(n),
		name: name, code: 200}
}

// large is more than the server takes, and has requests of another lane in it: whoever goes on to
// read there as if they were requests answers them.
func large(d *dice, n, lanes int) question {
	q := create(d, n)
	other := (n + 1) % lanes
	inside := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: localhost\r\nX-Remote-User: %s\r\n"+
		"X-Remote-Group: system:masters\r\nAudit-ID: smuggled-%s\r\n\r\n",
		path(other, operationName(other, 0)), user(other), q.mark)
	q.body = strings.Repeat(inside, (3<<20)/len(inside)+1+d.IntN(2000))
	q.code = 413
	return q
}

// wrong says what is not of this question in its answer, "" where all is.
func (q question) wrong(status int, header http.Header, body []byte) string {
	if status != q.code {
		return fmt.Sprintf("%d, not %d: %.300s", status, q.code, body)
	}
	// 413 may be said before a request is anybody's.
	if got := header.Get("Audit-ID"); got != q.mark && (got != "" || status != 413) {
		return fmt.Sprintf("the answer is of %q", got)
	}
	if q.method == "HEAD" {
		if len(body) != 0 {
			return "a body after HEAD"
		}
		return ""
	}
	var said object
	if err := json.Unmarshal(body, &said); err != nil {
		return fmt.Sprintf("no JSON: %v: %.300s", err, body)
	}
	switch status {
	case 413:
		return "" // said before anything but the path is looked at
	case 404:
		return q.unless(strings.Contains(said.Message, fmt.Sprintf("%q", q.name)), said.Message)
	case 403:
		named := strings.Contains(said.Message, fmt.Sprintf("User %q", user(q.asker))) &&
			strings.Contains(said.Message, fmt.Sprintf("namespace %q", user(q.namespace))) &&
			strings.Contains(said.Message, fmt.Sprintf("%q is forbidden", q.name))
		return q.unless(named, said.Message)
	}
	return q.wrongObject(said)
}

func (q question) unless(holds bool, said string) string {
	if holds {
		return ""
	}
	return "said of another: " + said
}

func (q question) wrongObject(said object) string {
	if q.method == "DELETE" {
		return ""
	}
	if q.name == "" {
		for _, item := range said.Items {
			if wrong := ofLane(q.namespace, item); wrong != "" {
				return wrong
			}
		}
		return q.unless(len(said.Items) > 0, "nothing")
	}
	if said.Metadata.Name != q.name {
		return "the object is " + said.Metadata.Name
	}
	if q.label != "" {
		found := false
		for _, value := range said.Metadata.Labels {
			found = found || value == q.label
		}
		if !found {
			return fmt.Sprintf("labels are %v", said.Metadata.Labels)
		}
	}
	return ofLane(q.namespace, said)
}

// ofLane says why an object is none of that lane: each is made by the lane's user in its namespace.
func ofLane(n int, thing object) string {
	by := thing.Metadata.Annotations["asyncops.dev/requested-by"]
	if thing.Metadata.Namespace != user(n) || by != user(n) {
		return fmt.Sprintf("%s/%s, asked for by %q", thing.Metadata.Namespace, thing.Metadata.Name, by)
	}
	return ""
}
