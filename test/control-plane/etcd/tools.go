//go:build tools

// Package tools pins the etcd that stores the test clusters.
package tools

import _ "go.etcd.io/etcd/server/v3"
