// Package controllers runs kubectl gc's garbage collector and namespace controller beside an API
// server that has no controller manager, as envtest's. It needs nothing but the standard library:
// copy this file into your own tests.
package controllers

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
)

// Object names an object that is still being deleted.
type Object struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Namespace  string   `json:"namespace"`
	Name       string   `json:"name"`
	UID        string   `json:"uid"`
	Finalizers []string `json:"finalizers"`
}

// event is one line of the command's output. Kinds of events that are not known are skipped.
type event struct {
	Event    string   `json:"event"`
	Message  string   `json:"message"`
	Deleting []Object `json:"deleting"`
}

// Controllers run until Stop.
type Controllers struct {
	mutex  sync.Mutex
	stdin  io.WriteCloser
	events chan event
	ended  chan error
}

// Start runs the command and waits until the controllers have read the cluster.
// command is the path of kubectl-gc; args are more flags, such as --controllers=garbagecollector.
func Start(ctx context.Context, command, kubeconfig string, args ...string) (*Controllers, error) {
	line := append([]string{"run-controllers", "--kubeconfig", kubeconfig}, args...)
	process := exec.CommandContext(ctx, command, line...)
	process.Stderr = os.Stderr
	stdin, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	running := &Controllers{stdin: stdin, events: make(chan event, 16), ended: make(chan error, 1)}
	go func() {
		defer close(running.events)
		reader := bufio.NewReader(stdout)
		for {
			text, err := reader.ReadBytes('\n')
			var next event
			if err == nil && json.Unmarshal(text, &next) == nil {
				running.events <- next
			}
			if err != nil {
				running.ended <- process.Wait()
				return
			}
		}
	}()
	if _, err := running.await(ctx, "ready"); err != nil {
		return nil, errors.Join(err, running.Stop())
	}
	return running, nil
}

// Settle returns once everything that was stored before the call has been seen, and all that follows
// from it has been done. It answers what is still being deleted: a finalizer holds it.
func (c *Controllers) Settle(ctx context.Context) ([]Object, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if _, err := io.WriteString(c.stdin, "settle\n"); err != nil {
		return nil, err
	}
	settled, err := c.await(ctx, "settled")
	return settled.Deleting, err
}

// Stop ends the controllers.
func (c *Controllers) Stop() error {
	_ = c.stdin.Close()
	for range c.events {
		// What was not asked for any more.
	}
	return <-c.ended
}

func (c *Controllers) await(ctx context.Context, name string) (event, error) {
	for {
		select {
		case <-ctx.Done():
			return event{}, ctx.Err()
		case next, open := <-c.events:
			switch {
			case !open:
				return event{}, errors.New("the controllers have ended")
			case next.Event == "error":
				return event{}, fmt.Errorf("kubectl gc: %s", next.Message)
			case next.Event == name:
				return next, nil
			}
		}
	}
}
