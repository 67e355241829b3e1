import type { FinalizerController, KnownFinalizer } from './known-finalizer.ts';

const argoApplications: FinalizerController = {
  title: 'Argo CD application controller',
  runsIn: 'workload',
  names: ['argocd-application-controller'],
  labels: ['argocd-application-controller'],
};
const flux: FinalizerController = {
  title: 'Flux controllers',
  runsIn: 'workload',
  names: [
    'kustomize-controller',
    'helm-controller',
    'source-controller',
    'notification-controller',
    'image-reflector-controller',
    'image-automation-controller',
  ],
  namesByGroup: {
    'kustomize.toolkit.fluxcd.io': ['kustomize-controller'],
    'helm.toolkit.fluxcd.io': ['helm-controller'],
    'source.toolkit.fluxcd.io': ['source-controller'],
    'notification.toolkit.fluxcd.io': ['notification-controller'],
  },
};
const crossplane: FinalizerController = {
  title: 'Crossplane',
  runsIn: 'workload',
  names: ['crossplane'],
  labels: ['crossplane'],
  images: ['crossplane/crossplane'],
};
const crossplaneProvider: FinalizerController = {
  title: "the Crossplane provider of the object's API group",
  runsIn: 'workload',
  mayRunElsewhere: true,
  oneOfMany: true,
  names: ['provider-*', 'upbound-provider-*', 'crossplane-provider-*'],
  images: ['/provider-'],
};
const tekton = (part: string): FinalizerController => ({
  title: `Tekton ${part}`,
  runsIn: 'workload',
  names: [`tekton-${part.toLowerCase()}-controller`, `tekton-${part.toLowerCase()}-watcher`],
  labels: [`tekton-${part.toLowerCase()}`],
});
const fleet: FinalizerController = {
  title: 'Fleet controller',
  runsIn: 'workload',
  names: ['fleet-controller', 'gitjob'],
  labels: ['fleet-controller'],
  images: ['rancher/fleet'],
};

const argo = 'https://argo-cd.readthedocs.io/en/stable/user-guide/app_deletion/';
const crossplaneSource = 'https://github.com/crossplane/crossplane';

/** Set by tools that deliver and compose other objects. */
export const deliveryFinalizers: readonly KnownFinalizer[] = [
  {
    name: 'resources-finalizer.argocd.argoproj.io*',
    setBy: argoApplications,
    protects: 'the resources that an Application deployed',
    removedWhen: 'every resource of the Application is deleted in its cluster',
    source: argo,
  },
  {
    name: 'post-delete-finalizer.argocd.argoproj.io*',
    setBy: argoApplications,
    protects: 'the PostDelete hooks of an Application',
    removedWhen: 'the hooks have run and were cleaned up',
    source: argo,
  },
  {
    name: 'pre-delete-finalizer.argocd.argoproj.io*',
    setBy: argoApplications,
    protects: 'the PreDelete hooks of an Application',
    removedWhen: 'the hooks have run and were cleaned up',
    source: argo,
  },
  {
    name: 'workflows.argoproj.io/artifact-gc',
    setBy: {
      title: 'Argo Workflows controller',
      runsIn: 'workload',
      names: ['workflow-controller', 'argo-workflows-workflow-controller'],
      labels: ['workflow-controller', 'argo-workflows-workflow-controller'],
      images: ['workflow-controller'],
    },
    protects: "a Workflow's artifacts, until they are deleted as its artifactGC says",
    removedWhen: 'its artifacts are deleted',
    source: 'https://github.com/argoproj/argo-workflows',
  },
  {
    name: 'finalizers.fluxcd.io',
    setBy: flux,
    protects: 'what a Kustomization or HelmRelease deployed, or a source stored',
    removedWhen: 'its objects are pruned, its release is uninstalled, or its artifact is deleted',
    source:
      'https://github.com/fluxcd/kustomize-controller/blob/main/api/v1/kustomization_types.go',
  },
  {
    name: 'fleet.cattle.io/*',
    setBy: fleet,
    protects: 'what a bundle deployed to other clusters',
    removedWhen: 'the bundle deployments are gone from their clusters',
    source: 'https://github.com/rancher/fleet',
  },
  {
    name: 'finalizer.managedresource.crossplane.io',
    setBy: crossplaneProvider,
    protects: 'the external resource of a managed resource',
    removedWhen: 'the external resource was deleted, or its deletion policy is Orphan',
    source: 'https://github.com/crossplane/crossplane-runtime',
  },
  {
    name: 'in-use.crossplane.io',
    setBy: crossplaneProvider,
    protects: 'a ProviderConfig that managed resources use',
    removedWhen: 'no ProviderConfigUsage names it',
    source: 'https://github.com/crossplane/crossplane-runtime',
  },
  {
    name: 'composite.apiextensions.crossplane.io',
    setBy: crossplane,
    protects: 'what a composite resource is composed of',
    removedWhen: 'the composed resources are deleted',
    source: crossplaneSource,
  },
  {
    name: 'finalizer.apiextensions.crossplane.io',
    setBy: crossplane,
    protects: 'the composite resource behind a claim',
    removedWhen: 'the composite resource is deleted',
    source: crossplaneSource,
  },
  {
    name: 'defined.apiextensions.crossplane.io',
    setBy: crossplane,
    protects: 'the CRD and the composite resources of a CompositeResourceDefinition',
    removedWhen: 'its composite resources and their CRD are gone',
    source: crossplaneSource,
  },
  {
    name: 'offered.apiextensions.crossplane.io',
    setBy: crossplane,
    protects: 'the claim CRD and the claims of a CompositeResourceDefinition',
    removedWhen: 'its claims and their CRD are gone',
    source: crossplaneSource,
  },
  {
    name: 'revision.pkg.crossplane.io',
    setBy: crossplane,
    protects: 'what a package revision installed',
    removedWhen: 'the revision is taken out of the lock and its objects are released',
    source: crossplaneSource,
  },
  {
    name: 'lock.pkg.crossplane.io',
    setBy: crossplane,
    protects: 'the list of installed packages',
    removedWhen: 'no package is left in it',
    source: crossplaneSource,
  },
  {
    name: 'chains.tekton.dev*',
    setBy: tekton('Chains'),
    protects: 'a TaskRun or PipelineRun until it is signed',
    removedWhen: 'the run was signed and its provenance stored',
    source: 'https://github.com/tektoncd/chains',
  },
  {
    name: 'results.tekton.dev/*',
    setBy: tekton('Results'),
    protects: 'a TaskRun or PipelineRun until its result is stored',
    removedWhen: 'the result and the logs were stored',
    source: 'https://github.com/tektoncd/results',
  },
  {
    name: '*.app.terraform.io/finalizer',
    setBy: {
      title: 'HCP Terraform operator',
      runsIn: 'workload',
      names: ['hcp-terraform-operator', 'terraform-cloud-operator'],
      labels: ['hcp-terraform-operator', 'terraform-cloud-operator'],
    },
    protects: 'the workspace, project, module or agent pool that it stands for',
    removedWhen: 'it was deleted at HCP Terraform, as its deletion policy says',
    source: 'https://github.com/hashicorp/hcp-terraform-operator',
  },
];
