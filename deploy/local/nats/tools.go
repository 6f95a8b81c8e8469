//go:build tools

// Package tools pins the NATS server that a machine without a release archive builds.
package tools

import _ "github.com/nats-io/nats-server/v2"
