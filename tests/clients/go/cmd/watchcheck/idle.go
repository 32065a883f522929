package main

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	openingAtOnce = 64
	eventSeconds  = 30
)

// N watches that wait. What each costs the server is printed; then all must get one event.
func measureIdle(s *server, n int) error {
	before, err := residentKiB()
	if err != nil {
		return err
	}
	began := time.Now()
	streams, err := openAll(s, n)
	if err != nil {
		return err
	}
	defer func() {
		for _, each := range streams {
			each.conn.Close()
		}
	}()
	after, err := residentKiB()
	if err != nil {
		return err
	}
	fmt.Printf("%d idle watches opened in %.1f s: the server's RSS went from %d to %d KiB, "+
		"%.1f KiB a watch (goal 21)\n", n, time.Since(began).Seconds(), before, after,
		float64(after-before)/float64(n))
	return awaitEvent(s, streams)
}

type idleStream struct {
	conn   *tls.Conn
	reader *bufio.Reader
}

func openAll(s *server, n int) ([]idleStream, error) {
	streams := make([]idleStream, n)
	next, failed := atomic.Int64{}, make(chan error, openingAtOnce)
	var opening sync.WaitGroup
	for range openingAtOnce {
		opening.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				stream, err := openIdle(s)
				if err != nil {
					failed <- fmt.Errorf("watch %d: %w", i, err)
					return
				}
				streams[i] = stream
			}
		})
	}
	opening.Wait()
	select {
	case err := <-failed:
		return nil, err
	default:
		return streams, nil
	}
}

// A watch without http.Client, whose buffers would be most of this program.
func openIdle(s *server) (idleStream, error) {
	host := strings.TrimPrefix(s.url, "https://")
	dialer := tls.Dialer{NetDialer: &net.Dialer{Timeout: 30 * time.Second}, Config: s.tls}
	conn, err := dialer.Dial("tcp", host)
	if err != nil {
		return idleStream{}, err
	}
	stream := idleStream{conn: conn.(*tls.Conn), reader: bufio.NewReaderSize(conn, 512)}
	if _, err := fmt.Fprintf(conn, "GET %s/namespaces/default/%s?watch=true&resourceVersion=1 "+
		"HTTP/1.1\r\nHost: %s\r\n\r\n", group, plural, host); err != nil {
		return stream, err
	}
	status, err := stream.reader.ReadString('\n')
	if err != nil {
		return stream, err
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200") {
		return stream, errors.New(strings.TrimSpace(status))
	}
	for {
		header, err := stream.reader.ReadString('\n')
		if err != nil || header == "\r\n" {
			return stream, err
		}
	}
}

// One object is made; the time until each stream has its ADDED is printed.
func awaitEvent(s *server, streams []idleStream) error {
	began := time.Now()
	deadline := began.Add(eventSeconds * time.Second)
	var without atomic.Int64
	var waiting sync.WaitGroup
	for _, each := range streams {
		waiting.Go(func() {
			_ = each.conn.SetReadDeadline(deadline)
			for {
				text, err := each.reader.ReadString('\n')
				if err != nil {
					without.Add(1)
					return
				}
				if strings.Contains(text, `"type":"ADDED"`) && strings.Contains(text, `"the-event"`) {
					return
				}
			}
		})
	}
	body := map[string]any{"apiVersion": "operations.asyncops.dev/v1alpha1", "kind": "AsyncOperation",
		"metadata": map[string]any{"name": "the-event"},
		"spec": map[string]any{"type": "Action", "suspend": true,
			"externalSystemRef": map[string]any{"name": "none"},
			"submit":            map[string]any{"method": "POST", "path": "/x"},
			"poll":              map[string]any{"path": "/x"}}}
	code, err := s.insist("POST", group+"/namespaces/default/"+plural, body, nil)
	if err != nil || code != 201 {
		return fmt.Errorf("create: %d %v", code, err)
	}
	waiting.Wait()
	if without.Load() > 0 {
		return fmt.Errorf("%d of %d watches got no event within %d s", without.Load(), len(streams),
			eventSeconds)
	}
	fmt.Printf("all got one event, the last %.2f s after the request\n", time.Since(began).Seconds())
	return nil
}

// Of the process SERVER_PID.
func residentKiB() (int, error) {
	text, err := os.ReadFile("/proc/" + os.Getenv("SERVER_PID") + "/status")
	if err != nil {
		return 0, err
	}
	for _, line := range strings.Split(string(text), "\n") {
		var kib int
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			return kib, nil
		}
	}
	return 0, errors.New("no VmRSS")
}
