//go:build tools

// Package peer names the program whose version go.mod pins.
package peer

import _ "sigs.k8s.io/metrics-server/cmd/metrics-server"
