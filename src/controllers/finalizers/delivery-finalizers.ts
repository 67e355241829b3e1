import { type KnownFinalizer, setBy, workload } from './known-finalizer.ts';

/** Set by tools that deliver and compose other objects. */
export const deliveryFinalizers: readonly KnownFinalizer[] = [
  ...setBy(
    workload('Argo CD application controller', ['argocd-application-controller'], {
      labels: ['argocd-application-controller'],
    }),
    'https://argo-cd.readthedocs.io/en/stable/user-guide/app_deletion/',
    {
      'resources-finalizer.argocd.argoproj.io*': {
        protects: 'the resources that an Application deployed',
        removedWhen: 'every resource of the Application is deleted in its cluster',
      },
      'post-delete-finalizer.argocd.argoproj.io*': {
        protects: 'the PostDelete hooks of an Application',
        removedWhen: 'the hooks have run and were cleaned up',
      },
      'pre-delete-finalizer.argocd.argoproj.io*': {
        protects: 'the PreDelete hooks of an Application',
        removedWhen: 'the hooks have run and were cleaned up',
      },
    },
  ),
  {
    name: 'workflows.argoproj.io/artifact-gc',
    setBy: workload(
      'Argo Workflows controller',
      ['workflow-controller', 'argo-workflows-workflow-controller'],
      {
        labels: ['workflow-controller', 'argo-workflows-workflow-controller'],
        images: ['workflow-controller'],
      },
    ),
    protects: "a Workflow's artifacts, until they are deleted as its artifactGC says",
    removedWhen: 'its artifacts are deleted',
    source: 'https://github.com/argoproj/argo-workflows',
  },
  {
    name: 'finalizers.fluxcd.io',
    setBy: workload(
      'Flux controllers',
      [
        'kustomize-controller',
        'helm-controller',
        'source-controller',
        'notification-controller',
        'image-reflector-controller',
        'image-automation-controller',
      ],
      {
        namesByGroup: {
          'kustomize.toolkit.fluxcd.io': ['kustomize-controller'],
          'helm.toolkit.fluxcd.io': ['helm-controller'],
          'source.toolkit.fluxcd.io': ['source-controller'],
          'notification.toolkit.fluxcd.io': ['notification-controller'],
        },
      },
    ),
    protects: 'what a Kustomization or HelmRelease deployed, or a source stored',
    removedWhen: 'its objects are pruned, its release is uninstalled, or its artifact is deleted',
    source:
      'https://github.com/fluxcd/kustomize-controller/blob/main/api/v1/kustomization_types.go',
  },
  {
    name: 'fleet.cattle.io/*',
    setBy: workload('Fleet controller', ['fleet-controller', 'gitjob'], {
      labels: ['fleet-controller'],
      images: ['rancher/fleet'],
    }),
    protects: 'what a bundle deployed to other clusters',
    removedWhen: 'the bundle deployments are gone from their clusters',
    source: 'https://github.com/rancher/fleet',
  },
  ...setBy(
    workload(
      "the Crossplane provider of the object's API group",
      ['provider-*', 'upbound-provider-*', 'crossplane-provider-*'],
      { mayRunElsewhere: true, oneOfMany: true, images: ['/provider-'] },
    ),
    'https://github.com/crossplane/crossplane-runtime',
    {
      'finalizer.managedresource.crossplane.io': {
        protects: 'the external resource of a managed resource',
        removedWhen: 'the external resource was deleted, or its deletion policy is Orphan',
      },
      'in-use.crossplane.io': {
        protects: 'a ProviderConfig that managed resources use',
        removedWhen: 'no ProviderConfigUsage names it',
      },
    },
  ),
  ...setBy(
    workload('Crossplane', ['crossplane'], {
      labels: ['crossplane'],
      images: ['crossplane/crossplane'],
    }),
    'https://github.com/crossplane/crossplane',
    {
      'composite.apiextensions.crossplane.io': {
        protects: 'what a composite resource is composed of',
        removedWhen: 'the composed resources are deleted',
      },
      'finalizer.apiextensions.crossplane.io': {
        protects: 'the composite resource behind a claim',
        removedWhen: 'the composite resource is deleted',
      },
      'defined.apiextensions.crossplane.io': {
        protects: 'the CRD and the composite resources of a CompositeResourceDefinition',
        removedWhen: 'its composite resources and their CRD are gone',
      },
      'offered.apiextensions.crossplane.io': {
        protects: 'the claim CRD and the claims of a CompositeResourceDefinition',
        removedWhen: 'its claims and their CRD are gone',
      },
      'revision.pkg.crossplane.io': {
        protects: 'what a package revision installed',
        removedWhen: 'the revision is taken out of the lock and its objects are released',
      },
      'lock.pkg.crossplane.io': {
        protects: 'the list of installed packages',
        removedWhen: 'no package is left in it',
      },
    },
  ),
  {
    name: 'chains.tekton.dev*',
    setBy: workload('Tekton Chains', ['tekton-chains-controller', 'tekton-chains-watcher'], {
      labels: ['tekton-chains'],
    }),
    protects: 'a TaskRun or PipelineRun until it is signed',
    removedWhen: 'the run was signed and its provenance stored',
    source: 'https://github.com/tektoncd/chains',
  },
  {
    name: 'results.tekton.dev/*',
    setBy: workload('Tekton Results', ['tekton-results-controller', 'tekton-results-watcher'], {
      labels: ['tekton-results'],
    }),
    protects: 'a TaskRun or PipelineRun until its result is stored',
    removedWhen: 'the result and the logs were stored',
    source: 'https://github.com/tektoncd/results',
  },
  {
    name: '*.app.terraform.io/finalizer',
    setBy: workload(
      'HCP Terraform operator',
      ['hcp-terraform-operator', 'terraform-cloud-operator'],
      { labels: ['hcp-terraform-operator', 'terraform-cloud-operator'] },
    ),
    protects: 'the workspace, project, module or agent pool that it stands for',
    removedWhen: 'it was deleted at HCP Terraform, as its deletion policy says',
    source: 'https://github.com/hashicorp/hcp-terraform-operator',
  },
];
