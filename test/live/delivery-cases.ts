import type { ToolKind } from './delivery-tools.ts';

/**
 * `ConfigMap a`, or with an owner among these `ConfigMap a < b`, or the tool's object `ConfigMap a < app`; Namespace
 * and what is in none are the case's own.
 */
export interface Case {
  readonly title: string;
  readonly tool: ToolKind;
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

/** Makes the cases of a tool: what there is, what goes, and what else is so. */
const casesOf =
  (name: string, tool: Case['tool'], always: Partial<Case> = {}) =>
  (
    title: string,
    objects: readonly string[],
    goes: readonly string[],
    rest: Partial<Case> = {},
  ): Case => ({ ...always, title: `${name}: ${title}`, tool, objects, goes, ...rest });

export const cm = ['ConfigMap a', 'ConfigMap b', 'ConfigMap c < b', 'ConfigMap d < c'];
export const all = ['ConfigMap a', 'ConfigMap b', 'ConfigMap c', 'ConfigMap d'];
const home = ['Namespace app', 'ConfigMap a', 'Secret s', 'Service w'];
const key = 'kustomize.toolkit.fluxcd.io/';
const argo = 'resources-finalizer.argocd.argoproj.io';
const [a, notA] = [all.slice(0, 1), all.slice(1)];
const both = ['Secret s', 'Service w'];
const roleAndSecret = ['ClusterRole r', 'Secret s'];
const xr = ['Gadget x'];
const owned = ['ClusterRole r', 'ConfigMap a < app'];
const kept = { metadata: { a: { 'helm.sh/resource-policy': 'keep' } } };
const reference = (name: string) => ({ apiGroup: 'example.com', kind: 'Widget', name });
const infrastructure = { infrastructureRef: reference('net') };
const whole = { controlPlaneRef: reference('plane'), ...infrastructure };

export const flux = casesOf('Flux', 'Kustomization');
const chart = casesOf('HelmRelease', 'HelmRelease');
const argoCd = casesOf('Argo CD', 'Application');
const kro = casesOf('kro', 'Widget');
const claim = casesOf('Crossplane', 'Widget', {
  finalizers: ['finalizer.apiextensions.crossplane.io'],
});
const olm = casesOf('OLM', 'ClusterServiceVersion');
const group = casesOf('OLM', 'OperatorGroup', { finalizers: [] });
const capi = casesOf('Cluster API', 'Cluster');
const fluxMark = (name: string, mark: string, value: string) => ({
  metadata: { [name]: { [key + mark]: value } },
});
const syncOption = (value: string) => ({
  metadata: { b: { 'argocd.argoproj.io/sync-options': value } },
});

export const cases: readonly Case[] = [
  flux('all entries, and what they own', cm, all),
  flux('in the foreground', cm, all, { cascade: 'foreground' }),
  flux('with orphan, which is about dependents', cm, all, { cascade: 'orphan' }),
  flux('a namespace with all that is in it', home, home, { entries: ['Namespace app'] }),
  flux('a namespace and more', [...home, 'ClusterRole r'], [...home, 'ClusterRole r']),
  flux('prune false', cm, [], { spec: { prune: false } }),
  flux('prune false, but Delete', cm, all, { spec: { prune: false, deletionPolicy: 'Delete' } }),
  flux('Orphan', cm, [], { spec: { deletionPolicy: 'Orphan' } }),
  flux('MirrorPrune', cm, all, { spec: { deletionPolicy: 'MirrorPrune' } }),
  flux('WaitForTermination', cm, all, { spec: { deletionPolicy: 'WaitForTermination' } }),
  flux('suspended', cm, [], { spec: { suspend: true } }),
  flux('suspended, with Delete', cm, [], { spec: { suspend: true, deletionPolicy: 'Delete' } }),
  flux('an entry without its labels', cm, a, { unmarked: ['b'] }),
  flux('a labelled object that is no entry', cm, a, { entries: a }),
  flux('prune disabled', cm, a, fluxMark('b', 'prune', 'disabled')),
  flux('reconcile disabled', cm, notA, fluxMark('a', 'reconcile', 'Disabled')),
  flux('ssa Ignore', cm, notA, fluxMark('a', 'ssa', 'Ignore')),
  flux('no prune, and nothing applied', [], [], { spec: { prune: false } }),
  flux('an entry that is gone', a, a, { entries: [...a, 'Secret gone'] }),
  flux('a Secret and a Service', both, both),
  chart('all of its release, and what that owns', cm, all),
  chart('suspended', cm, [], { spec: { suspend: true } }),
  chart('no finalizer', cm, [], { finalizers: [] }),
  chart('not what is not labelled', cm, a, { unmarked: ['b'], entries: [] }),
  chart('the resource policy of Helm', cm, notA, kept),
  chart('a namespace with all that is in it', home, home),
  argoCd('all resources, and what they own', cm, all),
  argoCd('the foreground finalizer', cm, all, { finalizers: [`${argo}/foreground`] }),
  argoCd('the background finalizer', cm, all, { finalizers: [`${argo}/background`] }),
  argoCd('no finalizer', cm, [], { finalizers: [] }),
  argoCd('with orphan', cm, all, { cascade: 'orphan' }),
  argoCd('Delete=false', cm, a, syncOption('Delete=false')),
  argoCd('Prune=false alone', cm, all, syncOption('Prune=false')),
  argoCd('the resource policy of Helm', cm, notA, kept),
  argoCd('a resource that its status does not list', cm, all, { entries: a }),
  argoCd('a namespace with all that is in it', home, home, { entries: ['Namespace app'] }),
  argoCd('another cluster', a, [], {
    spec: { destination: { server: 'https://prod:6443' } },
    unmarked: ['a'],
  }),
  argoCd('a cluster role', roleAndSecret, roleAndSecret),
  kro('all of the ApplySet, and what it owns', cm, all),
  kro('in the foreground', cm, all, { cascade: 'foreground' }),
  kro('with orphan', cm, all, { cascade: 'orphan' }),
  kro('not what is not marked', cm, notA, { unmarked: ['a'] }),
  kro('a namespace', home, home, { unmarked: ['a', 's', 'w'] }),
  kro('nothing without its finalizer', cm, [], { finalizers: [] }),
  claim('the composite resource', xr, xr),
  claim('one of another claim', xr, [], { unmarked: ['x'] }),
  olm(
    'cluster roles and webhooks, and what it owns',
    ['ClusterRole r', 'ValidatingWebhookConfiguration w', 'ConfigMap a < app', 'ConfigMap b < a'],
    ['ClusterRole r', 'ConfigMap a', 'ConfigMap b', 'ValidatingWebhookConfiguration w'],
  ),
  olm(
    'neither a ConfigMap without owner nor what is not labelled',
    ['ConfigMap a', 'ClusterRole r', 'ClusterRole s'],
    ['ClusterRole r'],
    { unmarked: ['s'] },
  ),
  olm(
    'its copy, and no definition',
    ['CustomResourceDefinition d.example.com', 'ClusterServiceVersion app'],
    ['ClusterServiceVersion app'],
  ),
  olm('in the foreground', owned, ['ClusterRole r', 'ConfigMap a'], { cascade: 'foreground' }),
  olm('with orphan', owned, ['ClusterRole r'], { cascade: 'orphan' }),
  group(
    'the cluster roles of an OperatorGroup',
    ['ClusterRole r', 'ClusterRole s', 'ConfigMap a'],
    ['ClusterRole r'],
    { unmarked: ['s'] },
  ),
  capi(
    'machines, control plane and infrastructure',
    [
      'MachineDeployment m < app',
      'Widget plane < app',
      'Widget net < app',
      'ConfigMap c < plane',
      'Widget other',
    ],
    ['ConfigMap c', 'MachineDeployment m', 'Widget net', 'Widget plane'],
    { spec: whole },
  ),
  capi(
    'infrastructure that it does not own, with orphan',
    ['Widget net', 'ConfigMap a < app'],
    ['Widget net'],
    { cascade: 'orphan', spec: infrastructure },
  ),
  capi(
    'in the foreground',
    ['MachineDeployment m < app', 'Widget plane', 'Widget net'],
    ['MachineDeployment m', 'Widget net', 'Widget plane'],
    { cascade: 'foreground', spec: whole },
  ),
  capi('nothing without its finalizer', ['Widget net'], [], {
    finalizers: [],
    spec: infrastructure,
  }),
];
