// Package referee plays passes of garbage collection through the kubelet's own code.
//
// It reads cases from the file that REFEREE_CASES names and writes what came of them to REFEREE_OUTCOMES.
package referee

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"k8s.io/klog/v2"
)

type cases struct {
	Images     []imageCase     `json:"images"`
	Containers []containerCase `json:"containers"`
	// Files in JSON.
	Configurations []string `json:"configurations"`
}

type outcomes struct {
	Images     [][]imageOutcome   `json:"images"`
	Containers []containerOutcome `json:"containers"`
	// Why a kubelet does not start with each.
	Configurations [][]string `json:"configurations"`
}

func TestReferee(t *testing.T) {
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	_ = flags.Parse([]string{"-logtostderr=false", "-alsologtostderr=false", "-stderrthreshold=FATAL"})
	klog.SetOutput(nothing{})
	text, err := os.ReadFile(os.Getenv("REFEREE_CASES"))
	if err != nil {
		t.Fatal(err)
	}
	var given cases
	if err := json.Unmarshal(text, &given); err != nil {
		t.Fatal(err)
	}
	played := outcomes{Images: [][]imageOutcome{}, Containers: []containerOutcome{}, Configurations: [][]string{}}
	for _, one := range given.Images {
		played.Images = append(played.Images, playImages(t, one))
	}
	for _, one := range given.Containers {
		played.Containers = append(played.Containers, playContainers(t, one))
	}
	for _, one := range given.Configurations {
		played.Configurations = append(played.Configurations, checkConfiguration(one))
	}
	text, err = json.Marshal(played)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("REFEREE_OUTCOMES"), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

type nothing struct{}

func (nothing) Write(bytes []byte) (int, error) { return len(bytes), nil }
