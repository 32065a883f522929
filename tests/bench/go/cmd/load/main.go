// Command load sends one slice of load to one server, as Go programs in a cluster do: HTTP/1.1, a
// client certificate, and no more idle connections to a host than it is told. It prints one line of
// JSON, and ends with 1 where an answer was wrong.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"
)

// result is what a slice came to.
type result struct {
	Answers     int64   `json:"answers"`
	Seconds     float64 `json:"seconds"`
	Connections int64   `json:"connections"`
}

type settings struct {
	server      serverSettings
	concurrency int
	length      time.Duration
	objects     string
	path        string
	body        string
	prefix      string
	rate        int
}

func readSettings() settings {
	var s settings
	flag.StringVar(&s.server.url, "url", "", "https://HOST:PORT")
	flag.StringVar(&s.server.ca, "ca", "", "file with the server's CA")
	flag.StringVar(&s.server.certificate, "cert", "", "file with the client's certificate")
	flag.StringVar(&s.server.key, "key", "", "file with its key")
	flag.IntVar(&s.server.idle, "idle", 25, "idle connections that are kept")
	flag.IntVar(&s.concurrency, "concurrency", 64, "requests, or watches, at a time")
	flag.DurationVar(&s.length, "length", 2*time.Second, "how long")
	flag.StringVar(&s.objects, "objects", "", "get: file of lines: path, length, CRC-32 (0: any)")
	flag.StringVar(&s.path, "path", "", "create, watch: path of the collection")
	flag.StringVar(&s.body, "body", "", "create: file with an object that is named NAME")
	flag.StringVar(&s.prefix, "prefix", "", "create: how names begin; watch: name of the object")
	flag.IntVar(&s.rate, "rate", 50, "watch: changes per second")
	flag.Parse()
	return s
}

func run(s settings, mode string) (result, error) {
	server, err := connect(s.server)
	if err != nil {
		return result{}, err
	}
	var done result
	switch mode {
	case "get":
		done, err = get(server, s)
	case "create":
		done, err = create(server, s)
	case "watch":
		done, err = watch(server, s)
	default:
		err = fmt.Errorf("%q is not get, create or watch", mode)
	}
	done.Connections = server.connections.Load()
	return done, err
}

func main() {
	s := readSettings()
	done, err := run(s, flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(done); err != nil {
		os.Exit(1)
	}
}
