// A cloud-controller-manager whose cloud is a file: the name of each Node that has an instance, one a line.
package main

import (
	"context"
	"os"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	cloudprovider "k8s.io/cloud-provider"
	"k8s.io/cloud-provider/app"
	"k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/fake"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	"k8s.io/component-base/cli"
	cliflag "k8s.io/component-base/cli/flag"
)

type fileCloud struct {
	fake.Cloud
}

func (cloud *fileCloud) InstancesV2() (cloudprovider.InstancesV2, bool) {
	return cloud, true
}

func (cloud *fileCloud) InstanceExists(_ context.Context, node *v1.Node) (bool, error) {
	text, err := os.ReadFile(os.Getenv("CLOUD_INSTANCES"))
	return slices.Contains(strings.Fields(string(text)), node.Name), err
}

func (cloud *fileCloud) InstanceShutdown(context.Context, *v1.Node) (bool, error) {
	return false, nil
}

func (cloud *fileCloud) InstanceMetadata(_ context.Context, node *v1.Node) (*cloudprovider.InstanceMetadata, error) {
	return &cloudprovider.InstanceMetadata{ProviderID: "file://" + node.Name}, nil
}

func main() {
	opts, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		panic(err)
	}
	cloud := func(*config.CompletedConfig) cloudprovider.Interface { return &fileCloud{} }
	command := app.NewCloudControllerManagerCommand(opts, cloud, app.DefaultInitFuncConstructors,
		names.CCMControllerAliases(), cliflag.NamedFlagSets{}, wait.NeverStop)
	os.Exit(cli.Run(command))
}
