//go:build tools

// Package tools pins quill, which signs the executables for macOS from any system.
package tools

import _ "github.com/anchore/quill/cmd/quill"
