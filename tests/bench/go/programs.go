//go:build tools

// Package bench names the peers that go.mod pins.
package bench

import _ "k8s.io/sample-apiserver"
