// The front proxy: many users at once ask one server through a reverse proxy that keeps its
// connections, as kube-apiserver's aggregator does, through that aggregator itself, and by pipelines
// of raw bytes. Requests are aborted, too large, or never read to their end; each answer must be of
// its question: of its user, namespace and name.
//
// Lanes are there before: user lane-N may do all in namespace lane-N, nothing elsewhere, and has
// operations lane-N-op-0, lane-N-op-1 and so on there. With -mix N the proxy takes the user of an
// earlier request in one of N: a check that finds nothing then would be none.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"
)

type options struct {
	server, serverCA       string // asyncops itself
	cluster, clusterCA     string // kube-apiserver
	certificates           string // client-lane-N.crt and .key, client-front-proxy-client.crt
	lanes, operations, mix int
	seconds                time.Duration
	seed                   uint64
}

func parsed() options {
	var o options
	flag.StringVar(&o.server, "server", "", "URL of asyncops")
	flag.StringVar(&o.serverCA, "server-ca", "", "its CA")
	flag.StringVar(&o.cluster, "cluster", "", "URL of kube-apiserver")
	flag.StringVar(&o.clusterCA, "cluster-ca", "", "its CA")
	flag.StringVar(&o.certificates, "certificates", "", "directory of the client certificates")
	flag.IntVar(&o.lanes, "lanes", 8, "users, each with a namespace")
	flag.IntVar(&o.operations, "operations", 8, "operations in each namespace")
	flag.IntVar(&o.mix, "mix", 0, "the proxy mixes up users in one of so many requests; 0: never")
	flag.DurationVar(&o.seconds, "for", 30*time.Second, "how long")
	flag.Uint64Var(&o.seed, "seed", 1, "of the random choices")
	flag.Parse()
	return o
}

// trusted has the CA of a server and, where a name is given, the client's certificate NAME.crt.
func (o options) trusted(ca, name string) (*tls.Config, error) {
	pem, err := os.ReadFile(ca)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	config.RootCAs.AppendCertsFromPEM(pem)
	if name == "" {
		return config, nil
	}
	path := filepath.Join(o.certificates, name)
	pair, err := tls.LoadX509KeyPair(path+".crt", path+".key")
	config.Certificates = []tls.Certificate{pair}
	return config, err
}

// tally counts what was seen, and keeps what was wrong.
type tally struct {
	mutex  sync.Mutex
	counts map[string]int
	wrong  []string
}

func (t *tally) saw(what string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.counts[what]++
}

func (t *tally) fault(format string, arguments ...any) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.wrong = append(t.wrong, fmt.Sprintf(format, arguments...))
}

// needed was each seen at least once; a run without them has shown nothing of them.
var needed = []string{
	"proxy get 200", "proxy missing 404", "proxy refused 403", "proxy list 200", "proxy patch 200",
	"proxy create 201", "proxy head 200", "proxy large 413", "proxy aborted", "proxy cut upload",
	"proxy watched", "proxy slow list", "aggregator get 200", "aggregator refused 403",
	"aggregator aborted", "pipelined GET 200", "pipelined GET 403", "pipelined GET 404",
	"pipelined HEAD 200", "pipelined PATCH 200", "pipelined POST 413", "pipeline left",
	"stranger refused", "proxy expects 100",
}

func (t *tally) told() bool {
	for _, what := range needed {
		if t.counts[what] == 0 {
			t.fault("never seen: %s", what)
		}
	}
	total, names := 0, []string{}
	for name, count := range t.counts {
		total, names = total+count, append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Printf("%7d %s\n", t.counts[name], name)
	}
	fmt.Printf("%d seen, %d wrong\n", total, len(t.wrong))
	for i, wrong := range t.wrong {
		if i < 20 {
			fmt.Println("WRONG:", wrong)
		}
	}
	return len(t.wrong) == 0
}

func run(o options, t *tally) error {
	proxy, err := newProxy(o, t)
	if err != nil {
		return err
	}
	defer proxy.Close()
	var all sync.WaitGroup
	end := time.Now().Add(o.seconds)
	start := func(seed int, step func(*dice)) {
		all.Go(func() {
			for d := newDice(o.seed, seed); time.Now().Before(end); {
				step(d)
			}
		})
	}
	for n := range o.lanes {
		through, err := throughAggregator(o, n)
		if err != nil {
			return err
		}
		for worker := range 2 {
			start(10*n+worker, lane{o: o, t: t, n: n, front: throughProxy(proxy.URL, n)}.step)
		}
		start(10*n+2, lane{o: o, t: t, n: n, front: through}.step)
	}
	for n := range 3 {
		p, err := newPipeliner(o, t)
		if err != nil {
			return err
		}
		start(1000+n, p.step)
	}
	all.Wait()
	return nil
}

func main() {
	o := parsed()
	t := &tally{counts: map[string]int{}}
	if err := run(o, t); err != nil {
		fmt.Println("FAILED:", err)
		os.Exit(1)
	}
	if !t.told() {
		os.Exit(1)
	}
}
