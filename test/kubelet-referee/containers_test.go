package referee

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	internalapi "k8s.io/cri-api/pkg/apis"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	kubeletconfiginternal "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/kuberuntime"
	"k8s.io/kubernetes/pkg/kubelet/logs"
)

type containerCase struct {
	MinAgeMs           int64            `json:"minAgeMs"`
	MaxPerPodContainer int              `json:"maxPerPodContainer"`
	MaxContainers      int              `json:"maxContainers"`
	SourcesReady       bool             `json:"sourcesReady"`
	DeleteAll          bool             `json:"deleteAll"`
	NowMs              int64            `json:"nowMs"`
	Containers         []containerEntry `json:"containers"`
	Sandboxes          []sandboxEntry   `json:"sandboxes"`
	ContentRemoved     []string         `json:"contentRemoved"`
	RuntimeRemoved     []string         `json:"runtimeRemoved"`
	NotStopping        []string         `json:"notStopping"`
}

type containerEntry struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	PodUID    string `json:"podUid"`
	SandboxID string `json:"sandboxId"`
	State     string `json:"state"`
	CreatedMs int64  `json:"createdMs"`
}

type sandboxEntry struct {
	ID        string `json:"id"`
	PodUID    string `json:"podUid"`
	Ready     bool   `json:"ready"`
	CreatedMs int64  `json:"createdMs"`
}

type containerOutcome struct {
	Containers []string `json:"containers"`
	Sandboxes  []string `json:"sandboxes"`
}

// What the kubelet knows of pods.
func (given containerCase) IsPodTerminationRequested(uid types.UID) bool {
	return slices.Contains(given.ContentRemoved, string(uid))
}

func (given containerCase) ShouldPodContentBeRemoved(uid types.UID) bool {
	return slices.Contains(given.ContentRemoved, string(uid))
}

func (given containerCase) ShouldPodRuntimeBeRemoved(uid types.UID) bool {
	return slices.Contains(given.RuntimeRemoved, string(uid))
}

var states = map[string]runtimeapi.ContainerState{
	"created": runtimeapi.ContainerState_CONTAINER_CREATED,
	"running": runtimeapi.ContainerState_CONTAINER_RUNNING,
	"exited":  runtimeapi.ContainerState_CONTAINER_EXITED,
	"unknown": runtimeapi.ContainerState_CONTAINER_UNKNOWN,
}

// A runtime and a filesystem of which only what the pass touches is there.
type criRuntime struct {
	internalapi.RuntimeService
	given   containerCase
	epoch   time.Time
	outcome *containerOutcome
}

func (r *criRuntime) nanoseconds(milliseconds int64) int64 {
	return r.epoch.Add(time.Duration(milliseconds) * time.Millisecond).UnixNano()
}

func (r *criRuntime) Version(context.Context, string) (*runtimeapi.VersionResponse, error) {
	return &runtimeapi.VersionResponse{Version: "0.1.0", RuntimeName: "test", RuntimeVersion: "1.0.0", RuntimeApiVersion: "1.0.0"}, nil
}

func (r *criRuntime) ListContainers(context.Context, *runtimeapi.ContainerFilter) ([]*runtimeapi.Container, error) {
	var list []*runtimeapi.Container
	for _, one := range r.given.Containers {
		if slices.Contains(r.outcome.Containers, one.ID) {
			continue
		}
		list = append(list, &runtimeapi.Container{
			Id:           one.ID,
			PodSandboxId: one.SandboxID,
			Metadata:     &runtimeapi.ContainerMetadata{Name: one.Name},
			State:        states[one.State],
			CreatedAt:    r.nanoseconds(one.CreatedMs),
			Labels:       map[string]string{"io.kubernetes.pod.uid": one.PodUID},
		})
	}
	return list, nil
}

func (r *criRuntime) ListPodSandbox(context.Context, *runtimeapi.PodSandboxFilter) ([]*runtimeapi.PodSandbox, error) {
	var list []*runtimeapi.PodSandbox
	for _, one := range r.given.Sandboxes {
		state := runtimeapi.PodSandboxState_SANDBOX_NOTREADY
		if one.Ready {
			state = runtimeapi.PodSandboxState_SANDBOX_READY
		}
		list = append(list, &runtimeapi.PodSandbox{
			Id:        one.ID,
			Metadata:  &runtimeapi.PodSandboxMetadata{Uid: one.PodUID},
			State:     state,
			CreatedAt: r.nanoseconds(one.CreatedMs),
		})
	}
	return list, nil
}

func (r *criRuntime) ContainerStatus(_ context.Context, id string, _ bool) (*runtimeapi.ContainerStatusResponse, error) {
	for _, one := range r.given.Containers {
		if one.ID == id && !slices.Contains(r.outcome.Containers, id) {
			labels := map[string]string{"io.kubernetes.pod.uid": one.PodUID, "io.kubernetes.container.name": one.Name}
			return &runtimeapi.ContainerStatusResponse{Status: &runtimeapi.ContainerStatus{Id: id, State: states[one.State], Labels: labels, Annotations: map[string]string{}}}, nil
		}
	}
	return nil, errors.New("no such container")
}

func (r *criRuntime) StopContainer(_ context.Context, id string, _ int64) error {
	if slices.Contains(r.given.NotStopping, id) {
		return errors.New("the runtime refuses")
	}
	return nil
}

func (r *criRuntime) RemoveContainer(_ context.Context, id string) error {
	r.outcome.Containers = append(r.outcome.Containers, id)
	return nil
}

func (r *criRuntime) StopPodSandbox(context.Context, string) error { return nil }

func (r *criRuntime) RemovePodSandbox(_ context.Context, id string) error {
	r.outcome.Sandboxes = append(r.outcome.Sandboxes, id)
	return nil
}

// There are no logs.
type noFiles struct {
	container.OSInterface
}

func (noFiles) ReadDir(string) ([]os.DirEntry, error) { return nil, nil }

func (noFiles) Stat(string) (os.FileInfo, error) { return nil, fs.ErrNotExist }

func (noFiles) Remove(string) error { return nil }

func (noFiles) Glob(string) ([]string, error) { return nil, nil }

// Plays one pass in a bubble whose clock stands still at the time of the case.
func playContainers(t *testing.T, given containerCase) containerOutcome {
	outcome := containerOutcome{Containers: []string{}, Sandboxes: []string{}}
	root := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		epoch := time.Now()
		time.Sleep(time.Duration(given.NowMs) * time.Millisecond)
		runtime := &criRuntime{given: given, epoch: epoch, outcome: &outcome}
		manager, _, err := kuberuntime.NewKubeGenericRuntimeManager(
			t.Context(), &record.FakeRecorder{}, nil, nil, nil, root, filepath.Join(root, "logs"), nil, given, 110,
			noFiles{}, nil, nil, nil, false, nil, 0, 0, "NeverVerifyPreloadedImages", nil, "", "", nil,
			false, metav1.Duration{}, runtime, nil, cm.NewFakeContainerManager(), logs.NewStubContainerLogManager(), nil, false, "", nil, 0,
			kubeletconfiginternal.NoneMemoryReservationPolicy, nil, noop.NewTracerProvider(), nil, nil, nil,
		)
		if err != nil {
			t.Fatal(err)
		}
		policy := container.GCPolicy{
			MinAge:             time.Duration(given.MinAgeMs) * time.Millisecond,
			MaxPerPodContainer: given.MaxPerPodContainer,
			MaxContainers:      given.MaxContainers,
		}
		if err := manager.GarbageCollect(t.Context(), policy, given.SourcesReady, given.DeleteAll); err != nil {
			t.Fatal(err)
		}
	})
	return outcome
}
