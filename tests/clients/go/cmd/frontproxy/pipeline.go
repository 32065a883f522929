package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const answerTimeout = 30 * time.Second

// pipeliner writes requests of many users on one connection without waiting for answers, with the
// front proxy's certificate.
type pipeliner struct {
	o                 options
	t                 *tally
	address           string
	trusted, stranger *tls.Config
}

func newPipeliner(o options, t *tally) (*pipeliner, error) {
	target, err := url.Parse(o.server)
	if err != nil {
		return nil, err
	}
	trusted, err := o.trusted(o.serverCA, "client-front-proxy-client")
	if err != nil {
		return nil, err
	}
	stranger, err := o.trusted(o.serverCA, "")
	return &pipeliner{o: o, t: t, address: target.Host, trusted: trusted, stranger: stranger}, err
}

func (p *pipeliner) question(d *dice) question {
	n := d.IntN(p.o.lanes)
	switch d.IntN(8) {
	case 0, 1:
		return missing(d, n)
	case 2:
		return refused(d, n, p.o.lanes)
	case 3:
		return head(d, n, p.o.operations)
	case 4:
		return patch(d, n, p.o.operations)
	case 5:
		return list(d, n)
	}
	return get(d, n, p.o.operations)
}

func written(q question) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s %s HTTP/1.1\r\nHost: localhost\r\nX-Remote-User: %s\r\n"+
		"X-Remote-Group: system:authenticated\r\nAudit-ID: %s\r\n",
		q.method, q.path, user(q.asker), q.mark)
	if q.body != "" {
		fmt.Fprintf(&out, "Content-Type: %s\r\nContent-Length: %d\r\n", q.contentType, len(q.body))
	}
	out.WriteString("\r\n")
	out.WriteString(q.body)
	return out.Bytes()
}

func (p *pipeliner) dial(config *tls.Config) (*tls.Conn, error) {
	connection, err := tls.Dial("tcp", p.address, config)
	if err == nil {
		connection.SetDeadline(time.Now().Add(answerTimeout))
	}
	return connection, err
}

// step is one connection: a pipeline, some of which are left before the end, end in a body that is
// too large, or in a request of which only a part is sent.
func (p *pipeliner) step(d *dice) {
	if d.IntN(12) == 0 {
		p.asStranger(d)
		return
	}
	connection, err := p.dial(p.trusted)
	if err != nil {
		p.t.fault("pipeline: %v", err)
		return
	}
	defer connection.Close()
	var questions []question
	var bytes []byte
	kind := d.IntN(10)
	for range 2 + d.IntN(10) {
		q := p.question(d)
		if kind == 0 && q.name == "" {
			q = missing(d, q.asker) // no list: who sends this much behind a stream is cut
		}
		questions = append(questions, q)
		bytes = append(bytes, written(questions[len(questions)-1])...)
	}
	if kind == 0 {
		questions = append(questions, large(d, d.IntN(p.o.lanes), p.o.lanes))
		bytes = append(bytes, written(questions[len(questions)-1])...)
	} else if kind == 1 {
		part := written(create(d, d.IntN(p.o.lanes)))
		bytes = append(bytes, part[:d.IntN(len(part))]...)
	}
	go connection.Write(bytes) // fails where the server closes first
	if kind == 2 || kind == 3 {
		p.answers(connection, questions[:d.IntN(len(questions))])
		p.t.saw("pipeline left")
		return
	}
	reader := p.answers(connection, questions)
	if reader != nil && kind == 0 {
		p.nothingMore(reader, questions[len(questions)-1])
	}
}

// answers reads one for each question, in their order; nil where one is wrong.
func (p *pipeliner) answers(connection io.Reader, questions []question) *bufio.Reader {
	reader := bufio.NewReader(connection)
	for _, q := range questions {
		status, header, text, err := p.answer(reader, q.method)
		if err != nil {
			// A connection that is reset under an upload takes the answer with it.
			if q.code == 413 {
				p.t.saw("pipelined POST cut")
				return nil
			}
			p.t.fault("pipeline: %s: %v", q, err)
			return nil
		}
		if wrong := q.wrong(status, header, text); wrong != "" {
			p.t.fault("pipeline: %s: %s", q, wrong)
			return nil
		}
		p.t.saw(fmt.Sprintf("pipelined %s %d", q.method, status))
	}
	return reader
}

func (p *pipeliner) answer(reader *bufio.Reader, method string) (int, http.Header, []byte, error) {
	response, err := http.ReadResponse(reader, &http.Request{Method: method})
	if err != nil {
		return 0, nil, nil, err
	}
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, text, err
}

// nothingMore: after 413 no byte of the large body is taken for a request.
func (p *pipeliner) nothingMore(reader *bufio.Reader, q question) {
	if status, header, text, err := p.answer(reader, "GET"); err == nil {
		p.t.fault("pipeline: after %s: %d, of %q: %.300s", q, status, header.Get("Audit-ID"), text)
	}
}

// asStranger says whose user it is, without the certificate that makes it believed.
func (p *pipeliner) asStranger(d *dice) {
	connection, err := p.dial(p.stranger)
	if err != nil {
		p.t.fault("stranger: %v", err)
		return
	}
	defer connection.Close()
	q := get(d, d.IntN(p.o.lanes), p.o.operations)
	go connection.Write(written(q))
	status, header, text, err := p.answer(bufio.NewReader(connection), q.method)
	if err != nil || header.Get("Audit-ID") != q.mark || (status != 401 && status != 403) ||
		strings.Contains(string(text), user(q.asker)+`\" cannot`) {
		p.t.fault("stranger: %s: %d, %v: %.300s", q, status, err, text)
		return
	}
	p.t.saw("stranger refused")
}
