package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"
)

// The server under test: how it is reached, and how it is killed.
type server struct {
	url     string
	tls     *tls.Config
	client  *http.Client // for requests that end; keeps connections
	answers *bufio.Reader
}

// From the kubeconfig that KUBECONFIG names.
func newServer() (*server, error) {
	text, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	url := regexp.MustCompile(`server"?:\s*"?(https://[^"\s]+)`).FindSubmatch(text)
	if url == nil {
		return nil, fmt.Errorf("no server in the kubeconfig")
	}
	var pem [3][]byte
	for i, name := range []string{"certificate-authority", "client-certificate", "client-key"} {
		found := regexp.MustCompile(name + `-data"?:\s*"?([A-Za-z0-9+/=]+)`).FindSubmatch(text)
		if found == nil {
			return nil, fmt.Errorf("no %s-data in the kubeconfig", name)
		}
		if pem[i], err = base64.StdEncoding.DecodeString(string(found[1])); err != nil {
			return nil, err
		}
	}
	pair, err := tls.X509KeyPair(pem[1], pem[2])
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem[0])
	s := &server{
		url:     strings.TrimSuffix(string(url[1]), "/"),
		tls:     &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}},
		answers: bufio.NewReader(os.Stdin),
	}
	s.client = &http.Client{Timeout: 30 * time.Second, Transport: s.transport(0)}
	s.client.Transport.(*http.Transport).MaxIdleConnsPerHost = 64
	return s, nil
}

// HTTP/1.1 only. A receive buffer of so many bytes where that is not 0.
func (s *server) transport(buffer int) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	return &http.Transport{
		TLSClientConfig: s.tls.Clone(),
		TLSNextProto:    map[string]func(string, *tls.Conn) http.RoundTripper{},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err == nil && buffer > 0 {
				err = conn.(*net.TCPConn).SetReadBuffer(buffer)
			}
			return conn, err
		},
	}
}

// One request; the code and the whole body. An error means that the answer is not known.
func (s *server) send(method, path, contentType string, body []byte) (int, []byte, error) {
	request, err := http.NewRequest(method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// As send, with JSON both ways (in may be nil: no body); repeated while the server is away.
func (s *server) insist(method, path string, in any, out any) (int, error) {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return 0, err
		}
	}
	deadline := time.Now().Add(30 * time.Second)
	for {
		code, answer, err := s.send(method, path, "application/json", body)
		if err == nil && code < 300 && out != nil {
			return code, json.Unmarshal(answer, out)
		}
		if err == nil && code < 500 {
			return code, nil
		}
		if time.Now().After(deadline) {
			return code, fmt.Errorf("%s %s: %d %s %v", method, path, code, answer, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Asks who runs the server for a restart, and waits until it is up again.
func (s *server) ask(what string) error {
	fmt.Println(what)
	if line, err := s.answers.ReadString('\n'); err != nil || line != "DONE\n" {
		return fmt.Errorf("%s was answered with %q: %v", what, line, err)
	}
	s.client.CloseIdleConnections()
	return nil
}
