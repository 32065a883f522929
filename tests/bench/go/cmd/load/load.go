package main

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// everywhere calls work with its number in so many goroutines, each again and again until the time
// is over or one fails.
func everywhere(s settings, work func(worker, turn int, buffer *bytes.Buffer) error) (result, error) {
	var group sync.WaitGroup
	var answers atomic.Int64
	failed := make(chan error, s.concurrency)
	start := time.Now()
	end := start.Add(s.length)
	for worker := range s.concurrency {
		group.Go(func() {
			var buffer bytes.Buffer
			for turn := 0; time.Now().Before(end) && len(failed) == 0; turn++ {
				if err := work(worker, turn, &buffer); err != nil {
					failed <- err
					return
				}
				answers.Add(1)
			}
		})
	}
	group.Wait()
	done := result{Answers: answers.Load(), Seconds: time.Since(start).Seconds()}
	if len(failed) > 0 {
		return done, <-failed
	}
	return done, nil
}

// stored is an object as it is to be answered.
type stored struct {
	path   string
	length int
	crc    uint32
}

func readObjects(path string) ([]stored, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var out []stored
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var one stored
		if _, err := fmt.Sscan(lines.Text(), &one.path, &one.length, &one.crc); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, lines.Text(), err)
		}
		out = append(out, one)
	}
	return out, lines.Err()
}

func (o stored) check(body []byte) error {
	if len(body) != o.length || (o.crc != 0 && crc32.ChecksumIEEE(body) != o.crc) {
		return fmt.Errorf("GET %s: %d bytes that are not the %d stored", o.path, len(body), o.length)
	}
	return nil
}

// get reads objects at random.
func get(server *server, s settings) (result, error) {
	objects, err := readObjects(s.objects)
	if err != nil {
		return result{}, err
	}
	return everywhere(s, func(_, _ int, buffer *bytes.Buffer) error {
		one := objects[rand.IntN(len(objects))]
		response, err := server.send(http.MethodGet, one.path, nil, "", http.StatusOK)
		if err != nil {
			return err
		}
		if err := take(response, buffer); err != nil {
			return err
		}
		return one.check(buffer.Bytes())
	})
}

// create makes objects whose names come in no order.
func create(server *server, s settings) (result, error) {
	template, err := os.ReadFile(s.body)
	if err != nil {
		return result{}, err
	}
	return everywhere(s, func(worker, turn int, buffer *bytes.Buffer) error {
		name := fmt.Sprintf("%08x-%s-%02d-%05d", rand.Uint32(), s.prefix, worker, turn)
		body := bytes.ReplaceAll(template, []byte("NAME"), []byte(name))
		response, err := server.send(http.MethodPost, s.path, body, "application/json",
			http.StatusCreated)
		if err != nil {
			return err
		}
		return take(response, buffer)
	})
}
