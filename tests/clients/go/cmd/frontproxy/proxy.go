package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Of net/http's Transport as kube-apiserver sets it up for its back ends.
const idleConnections = 25

// A front is a way to the server by which one user asks.
type front struct {
	name   string
	url    string
	client *http.Client
	bearer string // what our proxy knows the user by
}

func user(n int) string { return fmt.Sprintf("lane-%d", n) }

// newProxy serves plain HTTP to callers that say "Authorization: Bearer USER"; behind it is
// HTTP/1.1 with kept connections, the front proxy's certificate, and one user to each request.
func newProxy(o options, t *tally) (*httptest.Server, error) {
	target, err := url.Parse(o.server)
	if err != nil {
		return nil, err
	}
	config, err := o.trusted(o.serverCA, "client-front-proxy-client")
	if err != nil {
		return nil, err
	}
	var last atomic.Value
	last.Store("nobody")
	rewrite := func(r *httputil.ProxyRequest) {
		asks := strings.TrimPrefix(r.In.Header.Get("Authorization"), "Bearer ")
		if earlier := last.Swap(asks).(string); o.mix > 0 && rand.IntN(o.mix) == 0 {
			asks = earlier
		}
		r.SetURL(target)
		r.Out.Header.Del("Authorization")
		for name := range r.Out.Header {
			if strings.HasPrefix(name, "X-Remote-") {
				r.Out.Header.Del(name)
			}
		}
		r.Out.Header.Set("X-Remote-User", asks)
		r.Out.Header.Set("X-Remote-Group", "system:authenticated")
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:       rewrite,
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
		Transport: &http.Transport{
			TLSClientConfig:       config,
			TLSNextProto:          map[string]func(string, *tls.Conn) http.RoundTripper{},
			MaxIdleConnsPerHost:   idleConnections,
			ExpectContinueTimeout: time.Second,
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				w.Header().Set("X-Proxy-Error", err.Error())
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	server := httptest.NewUnstartedServer(proxy)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of callers that went away
	server.Start()
	return server, nil
}

func throughProxy(address string, n int) front {
	transport := &http.Transport{MaxIdleConnsPerHost: 2, ExpectContinueTimeout: time.Second}
	return front{name: "proxy", url: address, bearer: user(n),
		client: &http.Client{Transport: transport, Timeout: time.Minute}}
}

func throughAggregator(o options, n int) (front, error) {
	config, err := o.trusted(o.clusterCA, "client-"+user(n))
	transport := &http.Transport{TLSClientConfig: config, MaxIdleConnsPerHost: 2,
		ExpectContinueTimeout: time.Second, ForceAttemptHTTP2: n%2 == 0}
	return front{name: "aggregator", url: o.cluster,
		client: &http.Client{Transport: transport, Timeout: time.Minute}}, err
}

// dice are the random choices of one worker, and the marks that it gives to its requests.
type dice struct {
	*rand.Rand
	worker, marks int
}

func newDice(seed uint64, worker int) *dice {
	return &dice{Rand: rand.New(rand.NewPCG(seed, uint64(worker))), worker: worker}
}

var onlyOnce sync.Map

// mark is a name that no other request has: by-USER-WORKER-COUNT.
func (d *dice) mark(n int) string {
	d.marks++
	mark := fmt.Sprintf("by-%s-%d-%d", user(n), d.worker, d.marks)
	if _, twice := onlyOnce.LoadOrStore(mark, true); twice {
		panic("a mark was given twice: " + mark)
	}
	return mark
}
