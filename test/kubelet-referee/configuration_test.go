package referee

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/validation"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	"k8s.io/kubernetes/pkg/kubelet/kubeletconfig/util/codec"
)

// Why a kubelet does not start with a KubeletConfiguration, in its order; empty: it does.
func checkConfiguration(text string) (faults []string) {
	// Defaulting panics over feature gates that it does not know.
	defer func() {
		if fault := recover(); fault != nil {
			faults = []string{fmt.Sprint(fault)}
		}
	}()
	_, codecs, err := scheme.NewSchemeAndCodecs(serializer.EnableStrict)
	if err != nil {
		return []string{err.Error()}
	}
	configuration, err := codec.DecodeKubeletConfiguration(context.Background(), codecs, []byte(text))
	if err != nil {
		return []string{err.Error()}
	}
	// What this machine has is not the file's fault.
	configuration.FailCgroupV1 = false
	if configuration.EvictionHard == nil {
		configuration.EvictionHard = eviction.DefaultEvictionHard
	}
	err = validation.ValidateKubeletConfiguration(configuration, utilfeature.DefaultFeatureGate)
	if err != nil {
		var several utilerrors.Aggregate
		if !errors.As(err, &several) {
			return []string{err.Error()}
		}
		messages := []string{}
		for _, one := range several.Errors() {
			messages = append(messages, one.Error())
		}
		return messages
	}
	_, err = eviction.ParseThresholdConfig(
		configuration.EnforceNodeAllocatable, configuration.EvictionHard, configuration.EvictionSoft,
		configuration.EvictionSoftGracePeriod, configuration.EvictionMinimumReclaim,
	)
	if err != nil {
		return []string{err.Error()}
	}
	return []string{}
}
