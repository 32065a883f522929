package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// lane asks as one user, through one front.
type lane struct {
	o     options
	t     *tally
	n     int
	front front
}

// Of a hundred requests, how many do what; the rest get.
var shares = []struct {
	share int
	do    func(lane, *dice)
}{
	{12, func(l lane, d *dice) { l.ask("missing", missing(d, l.n)) }},
	{12, func(l lane, d *dice) { l.ask("refused", refused(d, l.n, l.o.lanes)) }},
	{6, func(l lane, d *dice) { l.ask("list", list(d, l.n)) }},
	{10, func(l lane, d *dice) { l.ask("patch", patch(d, l.n, l.o.operations)) }},
	{6, lane.createAndDelete},
	{8, func(l lane, d *dice) { l.ask("head", head(d, l.n, l.o.operations)) }},
	{12, lane.abort},
	{6, lane.cutUpload},
	{1, lane.tooLarge},
	{3, lane.watch},
	{2, lane.readSlowly},
}

func (l lane) step(d *dice) {
	roll := d.IntN(100)
	for _, each := range shares {
		if roll -= each.share; roll < 0 {
			each.do(l, d)
			return
		}
	}
	l.ask("get", get(d, l.n, l.o.operations))
}

func (l lane) request(ctx context.Context, q question, body io.Reader) *http.Request {
	request, err := http.NewRequestWithContext(ctx, q.method, l.front.url+q.path, body)
	if err != nil {
		panic(err)
	}
	q.set(request.Header)
	if l.front.bearer != "" {
		request.Header.Set("Authorization", "Bearer "+l.front.bearer)
	}
	// Nobody believes callers who say who they are.
	request.Header.Set("X-Remote-User", user((l.n+1)%l.o.lanes))
	request.Header.Set("X-Remote-Group", "system:masters")
	return request
}

// ask puts a question and looks at the answer; a body is sometimes sent after 100 Continue only.
func (l lane) ask(what string, q question) {
	var body io.Reader
	if q.body != "" {
		body = strings.NewReader(q.body)
	}
	request := l.request(context.Background(), q, body)
	// kube-apiserver's own filter of timeouts takes a forwarded 100 for the answer's status.
	if q.body != "" && len(q.mark)%2 == 0 && l.front.name == "proxy" {
		l.t.saw("proxy expects 100")
		request.Header.Set("Expect", "100-continue")
	}
	response, err := l.front.client.Do(request)
	if err != nil {
		l.t.fault("%s: %s: %v", l.front.name, q, err)
		return
	}
	l.check(what, q, response)
}

func (l lane) check(what string, q question, response *http.Response) {
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		l.t.fault("%s: %s: %v", l.front.name, q, err)
		return
	}
	if wrong := q.wrong(response.StatusCode, response.Header, text); wrong != "" {
		l.t.fault("%s: %s: %s %s", l.front.name, q, wrong, response.Header.Get("X-Proxy-Error"))
		return
	}
	l.t.saw(l.front.name + " " + what + " " + strconv.Itoa(response.StatusCode))
}

func (l lane) createAndDelete(d *dice) {
	q := create(d, l.n)
	l.ask("create", q)
	l.ask("delete", remove(d, l.n, q.name))
}

// abort goes away before the answer comes, or while it does.
func (l lane) abort(d *dice) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	q := list(d, l.n)
	if d.IntN(2) == 0 {
		q = patch(d, l.n, l.o.operations)
	}
	defer l.t.saw(l.front.name + " aborted")
	if d.IntN(2) == 0 {
		time.AfterFunc(time.Duration(d.IntN(4000))*time.Microsecond, cancel)
	}
	response, err := l.front.client.Do(l.request(ctx, q, strings.NewReader(q.body)))
	if err != nil {
		return
	}
	io.CopyN(io.Discard, response.Body, int64(d.IntN(2000)))
	response.Body.Close()
}

// A torn body ends with an error before all of it is sent.
type torn struct{ io.Reader }

var errTorn = errors.New("torn on purpose")

func (t torn) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if err == io.EOF {
		err = errTorn
	}
	return n, err
}

// cutUpload goes away in the middle of a body; what it would have made is never there.
func (l lane) cutUpload(d *dice) {
	q := create(d, l.n)
	sent := q.body[:d.IntN(len(q.body))]
	request := l.request(context.Background(), q, torn{strings.NewReader(sent)})
	if d.IntN(2) == 0 {
		request.ContentLength = int64(len(q.body))
	}
	if response, err := l.front.client.Do(request); err == nil {
		if response.StatusCode < 400 {
			l.t.fault("%s: half of %s was taken", l.front.name, q)
		}
		response.Body.Close()
	}
	l.t.saw(l.front.name + " cut upload")
	after := missing(d, l.n)
	after.path, after.name = path(l.n, q.name), q.name
	l.ask("cut upload is", after)
}

// tooLarge is answered 413, or cut while it is sent; whichever of both the sender sees first.
func (l lane) tooLarge(d *dice) {
	q := large(d, l.n, l.o.lanes)
	var body io.Reader = strings.NewReader(q.body)
	if d.IntN(2) == 0 {
		body = struct{ io.Reader }{body} // in chunks, of a length that nobody knows
	}
	response, err := l.front.client.Do(l.request(context.Background(), q, body))
	if err != nil || response.StatusCode == http.StatusBadGateway ||
		response.StatusCode == http.StatusServiceUnavailable {
		if err == nil {
			response.Body.Close()
		}
		l.t.saw(l.front.name + " large cut")
		return
	}
	l.check("large", q, response)
}

// watch sees its own namespace only, and is dropped somewhere.
func (l lane) watch(d *dice) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(d.IntN(800))*time.Millisecond)
	defer cancel()
	q := list(d, l.n)
	q.path += "?watch=true"
	response, err := l.front.client.Do(l.request(ctx, q, nil))
	if err != nil {
		return // dropped before it began
	}
	defer response.Body.Close()
	if response.StatusCode != 200 || response.Header.Get("Audit-ID") != q.mark {
		l.t.fault("%s: %s: %d, of %q", l.front.name, q, response.StatusCode,
			response.Header.Get("Audit-ID"))
		return
	}
	reader, events := bufio.NewReader(response.Body), d.IntN(40)
	for range events {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			break
		}
		var event struct{ Object object }
		if err := json.Unmarshal(line, &event); err != nil {
			l.t.fault("%s: %s: %v: %.300s", l.front.name, q, err, line)
			return
		}
		if wrong := ofLane(l.n, event.Object); wrong != "" {
			l.t.fault("%s: %s: %s", l.front.name, q, wrong)
			return
		}
	}
	l.t.saw(l.front.name + " watched")
}

// readSlowly leaves a list where it is for a while, with the server behind it.
func (l lane) readSlowly(d *dice) {
	q := list(d, l.n)
	response, err := l.front.client.Do(l.request(context.Background(), q, nil))
	if err != nil {
		l.t.fault("%s: %s: %v", l.front.name, q, err)
		return
	}
	defer response.Body.Close()
	var text []byte
	piece := make([]byte, 4096)
	for err == nil {
		var n int
		n, err = response.Body.Read(piece)
		text = append(text, piece[:n]...)
		time.Sleep(time.Millisecond)
	}
	if wrong := q.wrong(response.StatusCode, response.Header, text); err != io.EOF || wrong != "" {
		l.t.fault("%s: %s: %s, %v", l.front.name, q, wrong, err)
		return
	}
	l.t.saw(l.front.name + " slow list")
}
