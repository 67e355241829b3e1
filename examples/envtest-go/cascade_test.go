package controllers

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"
)

// server is a test's own API server, reached by plain HTTP; yours is reached by your client.
type server struct {
	t      *testing.T
	client *http.Client
}

func newServer(t *testing.T) *server {
	t.Helper()
	if os.Getenv("TEST_SERVER") == "" {
		t.Skip("TEST_SERVER, TEST_CA, TEST_TOKEN, TEST_KUBECONFIG and KUBECTL_GC name the API server and the command")
	}
	authority, err := os.ReadFile(os.Getenv("TEST_CA"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	return &server{t, &http.Client{Transport: transport}}
}

func (s *server) send(method, path string, body any) (int, map[string]any) {
	s.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	request, err := http.NewRequest(method, os.Getenv("TEST_SERVER")+path, bytes.NewReader(text))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TEST_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	answer, err := s.client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(content, &object); err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, object
}

const configMaps = "/api/v1/namespaces/default/configmaps"

// create makes a ConfigMap that belongs to an owner, and answers its uid.
func (s *server) create(name, owner, ownerUID string, finalizers ...string) string {
	s.t.Helper()
	metadata := map[string]any{"name": name, "finalizers": finalizers}
	if owner != "" {
		metadata["ownerReferences"] = []map[string]any{{
			"apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": ownerUID, "blockOwnerDeletion": true,
		}}
	}
	status, object := s.send("POST", configMaps, map[string]any{"metadata": metadata})
	if status != http.StatusCreated {
		s.t.Fatalf("creating %s: %d %v", name, status, object["message"])
	}
	return fmt.Sprint(object["metadata"].(map[string]any)["uid"])
}

func (s *server) exists(name string) bool {
	s.t.Helper()
	status, _ := s.send("GET", configMaps+"/"+name, nil)
	return status == http.StatusOK
}

func TestDeletionsCascade(t *testing.T) {
	api := newServer(t)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	running, err := Start(ctx, os.Getenv("KUBECTL_GC"), os.Getenv("TEST_KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := running.Stop(); err != nil {
			t.Error(err)
		}
	}()

	parent := api.create("parent", "", "")
	child := api.create("child", "parent", parent)
	api.create("grandchild", "child", child)
	api.create("held", "parent", parent, "example.com/hold")
	api.create("other", "", "")
	api.send("DELETE", configMaps+"/parent", map[string]any{"propagationPolicy": "Foreground"})

	deleting, err := running.Settle(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if api.exists("child") || api.exists("grandchild") || !api.exists("other") {
		t.Error("not the dependents, or not only they, are gone")
	}
	names := map[string]string{}
	for _, object := range deleting {
		names[object.Name] = fmt.Sprint(object.Finalizers)
	}
	want := map[string]string{"parent": "[foregroundDeletion]", "held": "[example.com/hold]"}
	if fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("still being deleted: %v, want %v", names, want)
	}
}
