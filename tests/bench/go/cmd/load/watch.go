package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// How long after the last change the last event may come.
const patience = 30 * time.Second

// watch opens so many watches of a collection, changes one object of it at the rate that is wanted,
// and ends when each watch has had every change. Its answers are the events.
func watch(server *server, s settings) (result, error) {
	object := s.path + "/" + s.prefix
	version, err := currentVersion(server, s.path)
	if err != nil {
		return result{}, err
	}
	changes := int(s.length.Seconds() * float64(s.rate))
	failed := make(chan error, s.concurrency+1)
	opened := make(chan struct{}, s.concurrency)
	var group sync.WaitGroup
	for range s.concurrency {
		group.Go(func() {
			if err := follow(server, s.path, version, changes, opened); err != nil {
				failed <- err
			}
		})
	}
	for range s.concurrency {
		select {
		case <-opened:
		case err := <-failed:
			return result{}, err
		}
	}
	start := time.Now()
	if err := change(server, object, changes, s.rate); err != nil {
		return result{}, err
	}
	if err := await(&group, failed); err != nil {
		return result{}, err
	}
	return result{Answers: int64(changes * s.concurrency), Seconds: time.Since(start).Seconds()}, nil
}

func await(group *sync.WaitGroup, failed chan error) error {
	ended := make(chan struct{})
	go func() {
		group.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case err := <-failed:
		return err
	case <-time.After(patience):
		return fmt.Errorf("a watch had not every event %s after the last change", patience)
	}
	if len(failed) > 0 {
		return <-failed
	}
	return nil
}

// currentVersion is the one of the collection.
func currentVersion(server *server, path string) (string, error) {
	response, err := server.send(http.MethodGet, path+"?limit=1", nil, "", http.StatusOK)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var list struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		return "", err
	}
	return list.Metadata.ResourceVersion, nil
}

// follow reads one watch until it has had so many events, each a change.
func follow(server *server, path, version string, changes int, opened chan struct{}) error {
	response, err := server.send(http.MethodGet, path+"?watch=true&resourceVersion="+version, nil, "",
		http.StatusOK)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	opened <- struct{}{}
	lines := bufio.NewReaderSize(response.Body, 16<<10)
	for range changes {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return fmt.Errorf("a watch ended: %w", err)
		}
		if !bytes.HasPrefix(line, []byte(`{"type":"MODIFIED"`)) {
			return fmt.Errorf("a watch had %.200s", line)
		}
	}
	return nil
}

// change writes to the object at a steady rate.
func change(server *server, object string, changes, rate int) error {
	ticker := time.NewTicker(time.Second / time.Duration(rate))
	defer ticker.Stop()
	var buffer bytes.Buffer
	for number := range changes {
		body := fmt.Appendf(nil, `{"metadata":{"labels":{"team":"%d"}}}`, number%2)
		response, err := server.send(http.MethodPatch, object, body,
			"application/merge-patch+json", http.StatusOK)
		if err != nil {
			return err
		}
		if err := take(response, &buffer); err != nil {
			return err
		}
		<-ticker.C
	}
	return nil
}
