/**
 * `ConfigMap a`, or with an owner among these `ConfigMap a < b`, or the tool's object `ConfigMap a < app`; Namespace
 * and what is in none are the case's own.
 */
export interface Case {
  readonly title: string;
  readonly tool?:
    | 'Kustomization'
    | 'HelmRelease'
    | 'Application'
    | 'Widget'
    | 'ClusterServiceVersion'
    | 'OperatorGroup'
    | 'Cluster';
  readonly spec?: object;
  readonly finalizers?: readonly string[];
  readonly objects: readonly string[];
  /** Beside the labels or the annotation of the tool. */
  readonly metadata?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Not marked as the tool's own. */
  readonly unmarked?: readonly string[];
  /** In the inventory; all without an owner by default. */
  readonly entries?: readonly string[];
  readonly cascade?: 'background' | 'foreground' | 'orphan';
  /** What goes, beside the object of the tool. */
  readonly goes: readonly string[];
}

export const cm = ['ConfigMap a', 'ConfigMap b', 'ConfigMap c < b', 'ConfigMap d < c'];
export const all = ['ConfigMap a', 'ConfigMap b', 'ConfigMap c', 'ConfigMap d'];
export const home = ['Namespace app', 'ConfigMap a', 'Secret s', 'Service w'];
export const key = 'kustomize.toolkit.fluxcd.io/';
const app = { tool: 'Application' } as const;
const chart = { tool: 'HelmRelease' } as const;
export const argo = 'resources-finalizer.argocd.argoproj.io';
export const kro = { tool: 'Widget' } as const;
const claim = { ...kro, finalizers: ['finalizer.apiextensions.crossplane.io'] } as const;
const xr = ['Gadget x'];
const olm = { tool: 'ClusterServiceVersion' } as const;
const capi = { tool: 'Cluster' } as const;
const infrastructureRef = { apiGroup: 'example.com', kind: 'Widget', name: 'net' };
const controlPlaneRef = { apiGroup: 'example.com', kind: 'Widget', name: 'plane' };

export const cases: readonly Case[] = [
  { title: 'Flux: all entries, and what they own', objects: cm, goes: all },
  { title: 'Flux: in the foreground', objects: cm, cascade: 'foreground', goes: all },
  {
    title: 'Flux: with orphan, which is about dependents',
    objects: cm,
    cascade: 'orphan',
    goes: all,
  },
  {
    title: 'Flux: a namespace with all that is in it',
    objects: home,
    entries: ['Namespace app'],
    goes: home,
  },
  {
    title: 'Flux: a namespace and more',
    objects: [...home, 'ClusterRole r'],
    goes: [...home, 'ClusterRole r'],
  },
  { title: 'Flux: prune false', spec: { prune: false }, objects: cm, goes: [] },
  {
    title: 'Flux: prune false, but Delete',
    spec: { prune: false, deletionPolicy: 'Delete' },
    objects: cm,
    goes: all,
  },
  { title: 'Flux: Orphan', spec: { deletionPolicy: 'Orphan' }, objects: cm, goes: [] },
  { title: 'Flux: MirrorPrune', spec: { deletionPolicy: 'MirrorPrune' }, objects: cm, goes: all },
  {
    title: 'Flux: WaitForTermination',
    spec: { deletionPolicy: 'WaitForTermination' },
    objects: cm,
    goes: all,
  },
  { title: 'Flux: suspended', spec: { suspend: true }, objects: cm, goes: [] },
  {
    title: 'Flux: suspended, with Delete',
    spec: { suspend: true, deletionPolicy: 'Delete' },
    objects: cm,
    goes: [],
  },
  {
    title: 'Flux: an entry without its labels',
    objects: cm,
    unmarked: ['b'],
    goes: ['ConfigMap a'],
  },
  {
    title: 'Flux: a labelled object that is no entry',
    objects: cm,
    entries: ['ConfigMap a'],
    goes: ['ConfigMap a'],
  },
  {
    title: 'Flux: prune disabled',
    objects: cm,
    metadata: { b: { [`${key}prune`]: 'disabled' } },
    goes: ['ConfigMap a'],
  },
  {
    title: 'Flux: reconcile disabled',
    objects: cm,
    metadata: { a: { [`${key}reconcile`]: 'Disabled' } },
    goes: all.slice(1),
  },
  {
    title: 'Flux: ssa Ignore',
    objects: cm,
    metadata: { a: { [`${key}ssa`]: 'Ignore' } },
    goes: all.slice(1),
  },
  { title: 'Flux: no prune, and nothing applied', spec: { prune: false }, objects: [], goes: [] },
  {
    title: 'Flux: an entry that is gone',
    objects: ['ConfigMap a'],
    entries: ['ConfigMap a', 'Secret gone'],
    goes: ['ConfigMap a'],
  },
  {
    title: 'Flux: a Secret and a Service',
    objects: ['Secret s', 'Service w'],
    goes: ['Secret s', 'Service w'],
  },
  {
    ...chart,
    title: 'HelmRelease: all of its release, and what that owns',
    objects: cm,
    goes: all,
  },
  { ...chart, title: 'HelmRelease: suspended', spec: { suspend: true }, objects: cm, goes: [] },
  { ...chart, title: 'HelmRelease: no finalizer', finalizers: [], objects: cm, goes: [] },
  {
    ...chart,
    title: 'HelmRelease: not what is not labelled',
    objects: cm,
    unmarked: ['b'],
    entries: [],
    goes: ['ConfigMap a'],
  },
  {
    ...chart,
    title: 'HelmRelease: the resource policy of Helm',
    objects: cm,
    metadata: { a: { 'helm.sh/resource-policy': 'keep' } },
    goes: all.slice(1),
  },
  { ...chart, title: 'HelmRelease: a namespace with all that is in it', objects: home, goes: home },
  { ...app, title: 'Argo CD: all resources, and what they own', objects: cm, goes: all },
  {
    ...app,
    title: 'Argo CD: the foreground finalizer',
    finalizers: [`${argo}/foreground`],
    objects: cm,
    goes: all,
  },
  {
    ...app,
    title: 'Argo CD: the background finalizer',
    finalizers: [`${argo}/background`],
    objects: cm,
    goes: all,
  },
  { ...app, title: 'Argo CD: no finalizer', finalizers: [], objects: cm, goes: [] },
  { ...app, title: 'Argo CD: with orphan', cascade: 'orphan', objects: cm, goes: all },
  {
    ...app,
    title: 'Argo CD: Delete=false',
    objects: cm,
    metadata: { b: { 'argocd.argoproj.io/sync-options': 'Delete=false' } },
    goes: ['ConfigMap a'],
  },
  {
    ...app,
    title: 'Argo CD: Prune=false alone',
    objects: cm,
    metadata: { b: { 'argocd.argoproj.io/sync-options': 'Prune=false' } },
    goes: all,
  },
  {
    ...app,
    title: 'Argo CD: the resource policy of Helm',
    objects: cm,
    metadata: { a: { 'helm.sh/resource-policy': 'keep' } },
    goes: all.slice(1),
  },
  {
    ...app,
    title: 'Argo CD: a resource that its status does not list',
    objects: cm,
    entries: ['ConfigMap a'],
    goes: all,
  },
  {
    ...app,
    title: 'Argo CD: a namespace with all that is in it',
    objects: home,
    entries: ['Namespace app'],
    goes: home,
  },
  {
    ...app,
    title: 'Argo CD: another cluster',
    spec: { destination: { server: 'https://prod:6443' } },
    objects: ['ConfigMap a'],
    unmarked: ['a'],
    goes: [],
  },
  {
    ...app,
    title: 'Argo CD: a cluster role',
    objects: ['ClusterRole r', 'Secret s'],
    goes: ['ClusterRole r', 'Secret s'],
  },
  { ...kro, title: 'kro: all of the ApplySet, and what it owns', objects: cm, goes: all },
  { ...kro, title: 'kro: in the foreground', cascade: 'foreground', objects: cm, goes: all },
  { ...kro, title: 'kro: with orphan', cascade: 'orphan', objects: cm, goes: all },
  {
    ...kro,
    title: 'kro: not what is not marked',
    objects: cm,
    unmarked: ['a'],
    goes: all.slice(1),
  },
  { ...kro, title: 'kro: a namespace', objects: home, unmarked: ['a', 's', 'w'], goes: home },
  { ...kro, title: 'kro: nothing without its finalizer', finalizers: [], objects: cm, goes: [] },
  { ...claim, title: 'Crossplane: the composite resource', objects: xr, goes: xr },
  { ...claim, title: 'Crossplane: one of another claim', objects: xr, unmarked: ['x'], goes: [] },
  {
    ...olm,
    title: 'OLM: cluster roles and webhooks, and what it owns',
    objects: [
      'ClusterRole r',
      'ValidatingWebhookConfiguration w',
      'ConfigMap a < app',
      'ConfigMap b < a',
    ],
    goes: ['ClusterRole r', 'ConfigMap a', 'ConfigMap b', 'ValidatingWebhookConfiguration w'],
  },
  {
    ...olm,
    title: 'OLM: neither a ConfigMap without owner nor what is not labelled',
    objects: ['ConfigMap a', 'ClusterRole r', 'ClusterRole s'],
    unmarked: ['s'],
    goes: ['ClusterRole r'],
  },
  {
    ...olm,
    title: 'OLM: its copy, and no definition',
    objects: ['CustomResourceDefinition d.example.com', 'ClusterServiceVersion app'],
    goes: ['ClusterServiceVersion app'],
  },
  {
    ...olm,
    title: 'OLM: in the foreground',
    cascade: 'foreground',
    objects: ['ClusterRole r', 'ConfigMap a < app'],
    goes: ['ClusterRole r', 'ConfigMap a'],
  },
  {
    ...olm,
    title: 'OLM: with orphan',
    cascade: 'orphan',
    objects: ['ClusterRole r', 'ConfigMap a < app'],
    goes: ['ClusterRole r'],
  },
  {
    tool: 'OperatorGroup',
    title: 'OLM: the cluster roles of an OperatorGroup',
    finalizers: [],
    objects: ['ClusterRole r', 'ClusterRole s', 'ConfigMap a'],
    unmarked: ['s'],
    goes: ['ClusterRole r'],
  },
  {
    ...capi,
    title: 'Cluster API: machines, control plane and infrastructure',
    spec: { controlPlaneRef, infrastructureRef },
    objects: [
      'MachineDeployment m < app',
      'Widget plane < app',
      'Widget net < app',
      'ConfigMap c < plane',
      'Widget other',
    ],
    goes: ['ConfigMap c', 'MachineDeployment m', 'Widget net', 'Widget plane'],
  },
  {
    ...capi,
    title: 'Cluster API: infrastructure that it does not own, with orphan',
    cascade: 'orphan',
    spec: { infrastructureRef },
    objects: ['Widget net', 'ConfigMap a < app'],
    goes: ['Widget net'],
  },
  {
    ...capi,
    title: 'Cluster API: in the foreground',
    cascade: 'foreground',
    spec: { controlPlaneRef, infrastructureRef },
    objects: ['MachineDeployment m < app', 'Widget plane', 'Widget net'],
    goes: ['MachineDeployment m', 'Widget net', 'Widget plane'],
  },
  {
    ...capi,
    title: 'Cluster API: nothing without its finalizer',
    finalizers: [],
    spec: { infrastructureRef },
    objects: ['Widget net'],
    goes: [],
  },
];
