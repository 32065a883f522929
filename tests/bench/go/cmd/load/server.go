package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

type serverSettings struct {
	url, ca, certificate, key string
	idle                      int
}

// server is the one that all requests go to.
type server struct {
	url         string
	client      *http.Client
	connections atomic.Int64
}

func connect(s serverSettings) (*server, error) {
	pair, err := tls.LoadX509KeyPair(s.certificate, s.key)
	if err != nil {
		return nil, err
	}
	authority, err := os.ReadFile(s.ca)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, errors.New(s.ca + " holds no certificate")
	}
	out := &server{url: s.url}
	dialer := net.Dialer{Timeout: 10 * time.Second}
	out.client = &http.Client{Transport: &http.Transport{
		// The certificate is shown whatever CAs the server names, as client-go does.
		TLSClientConfig: &tls.Config{RootCAs: roots, GetClientCertificate: func(
			*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return &pair, nil
		}},
		// An empty map keeps HTTP/2 away.
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
		MaxIdleConnsPerHost: s.idle,
		// Both would compress long answers, which is other work.
		DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			out.connections.Add(1)
			return dialer.DialContext(ctx, network, address)
		},
	}}
	return out, nil
}

// send returns the answer, whose status is the one that is wanted.
func (s *server) send(method, path string, body []byte, kind string,
	status int) (*http.Response, error) {
	request, err := http.NewRequest(method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", kind)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != status {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 400))
		response.Body.Close()
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	}
	return response, nil
}

// take reads the whole answer into the buffer.
func take(response *http.Response, into *bytes.Buffer) error {
	defer response.Body.Close()
	into.Reset()
	_, err := into.ReadFrom(response.Body)
	return err
}
