package referee

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/trace/noop"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	statsapi "k8s.io/kubelet/pkg/apis/stats/v1alpha1"
	"k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/images"
)

type imageCase struct {
	High      int         `json:"high"`
	Low       int         `json:"low"`
	MinAgeMs  int64       `json:"minAgeMs"`
	MaxAgeMs  int64       `json:"maxAgeMs"`
	StartedMs int64       `json:"startedMs"`
	Steps     []imageStep `json:"steps"`
}

// One pass, at a time after the beginning.
type imageStep struct {
	AtMs       int64        `json:"atMs"`
	DeleteAll  bool         `json:"deleteAll"`
	Images     []imageEntry `json:"images"`
	Containers []imageUser  `json:"containers"`
	// Keys left out stay nil, as a runtime that does not tell leaves them.
	Capacity  *uint64  `json:"capacity"`
	Available *uint64  `json:"available"`
	Failing   []string `json:"failing"`
}

type imageEntry struct {
	ID     string `json:"id"`
	Size   int64  `json:"size"`
	Pinned bool   `json:"pinned"`
}

type imageUser struct {
	Image  string   `json:"image"`
	Mounts []string `json:"mounts"`
}

type imageOutcome struct {
	Removed []string `json:"removed"`
	Failed  bool     `json:"failed"`
	Events  []string `json:"events"`
}

// A runtime of which only images and their users are there.
type imageRuntime struct {
	container.Runtime
	step    imageStep
	removed []string
}

func (r *imageRuntime) ListImages(context.Context) ([]container.Image, error) {
	var list []container.Image
	for _, image := range r.step.Images {
		list = append(list, container.Image{ID: image.ID, Size: image.Size, Pinned: image.Pinned})
	}
	return list, nil
}

func (r *imageRuntime) GetPods(context.Context, bool) ([]*container.Pod, error) {
	pod := &container.Pod{ID: "pod", Name: "pod", Namespace: "default"}
	for index, user := range r.step.Containers {
		pod.Containers = append(pod.Containers, &container.Container{
			ID:      container.ContainerID{Type: "test", ID: fmt.Sprint(index)},
			ImageID: user.Image,
		})
	}
	return []*container.Pod{pod}, nil
}

func (r *imageRuntime) GetContainerStatus(_ context.Context, _ types.UID, id container.ContainerID) (*container.Status, error) {
	status := &container.Status{ID: id}
	var index int
	if _, err := fmt.Sscan(id.ID, &index); err != nil {
		return nil, err
	}
	for _, image := range r.step.Containers[index].Mounts {
		status.Mounts = append(status.Mounts, container.Mount{Image: &runtimeapi.ImageSpec{Image: image}})
	}
	return status, nil
}

func (r *imageRuntime) RemoveImage(_ context.Context, image container.ImageSpec) error {
	if slices.Contains(r.step.Failing, image.Image) {
		return errors.New("the runtime refuses")
	}
	r.removed = append(r.removed, image.Image)
	return nil
}

func (r *imageRuntime) ImageFsStats(context.Context) (*statsapi.FsStats, *statsapi.FsStats, error) {
	return &statsapi.FsStats{CapacityBytes: r.step.Capacity, AvailableBytes: r.step.Available}, nil, nil
}

// Plays a case in a bubble whose clock starts at 2000-01-01 and moves only between the passes.
func playImages(t *testing.T, given imageCase) []imageOutcome {
	var outcomes []imageOutcome
	synctest.Test(t, func(t *testing.T) {
		beginning := time.Now()
		runtime := &imageRuntime{}
		recorder := record.NewFakeRecorder(100)
		policy := images.ImageGCPolicy{
			HighThresholdPercent: given.High,
			LowThresholdPercent:  given.Low,
			MinAge:               time.Duration(given.MinAgeMs) * time.Millisecond,
			MaxAge:               time.Duration(given.MaxAgeMs) * time.Millisecond,
		}
		manager, err := images.NewImageGCManager(runtime, runtime, nil, recorder, &v1.ObjectReference{Kind: "Node"}, policy, noop.NewTracerProvider())
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range given.Steps {
			time.Sleep(time.Until(beginning.Add(time.Duration(step.AtMs) * time.Millisecond)))
			runtime.step, runtime.removed = step, []string{}
			if step.DeleteAll {
				err = manager.DeleteUnusedImages(t.Context())
			} else {
				err = manager.GarbageCollect(t.Context(), beginning.Add(time.Duration(given.StartedMs)*time.Millisecond))
			}
			outcome := imageOutcome{Removed: runtime.removed, Failed: err != nil, Events: []string{}}
			for len(recorder.Events) > 0 {
				outcome.Events = append(outcome.Events, <-recorder.Events)
			}
			outcomes = append(outcomes, outcome)
		}
	})
	return outcomes
}
