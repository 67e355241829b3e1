import { yamlValue } from '../../src/files/parsing/yaml-value.ts';
import { casesOf } from '../support/rows.ts';
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

/** Of each tool and its kind: what there is, what goes, and what else is so. */
const text = `
Flux Kustomization
  all entries, and what they own | family | all
  in the foreground | family | all | cascade: foreground
  with orphan, which is about dependents | family | all | cascade: orphan
  a namespace with all that is in it | home | home | entries: [Namespace app]
  a namespace and more | home, ClusterRole r | home, ClusterRole r
  prune false | family | | spec: {prune: false}
  prune false, but Delete | family | all | spec: {prune: false, deletionPolicy: Delete}
  Orphan | family | | spec: {deletionPolicy: Orphan}
  MirrorPrune | family | all | spec: {deletionPolicy: MirrorPrune}
  WaitForTermination | family | all | spec: {deletionPolicy: WaitForTermination}
  suspended | family | | spec: {suspend: true}
  suspended, with Delete | family | | spec: {suspend: true, deletionPolicy: Delete}
  an entry without its labels | family | ConfigMap a | unmarked: [b]
  a labelled object that is no entry | family | ConfigMap a | entries: [ConfigMap a]
  prune disabled | family | ConfigMap a | metadata: {b: {kustomize.toolkit.fluxcd.io/prune: disabled}}
  reconcile disabled | family | all but a | metadata: {a: {kustomize.toolkit.fluxcd.io/reconcile: Disabled}}
  ssa Ignore | family | all but a | metadata: {a: {kustomize.toolkit.fluxcd.io/ssa: Ignore}}
  no prune, and nothing applied | | | spec: {prune: false}
  an entry that is gone | ConfigMap a | ConfigMap a | entries: [ConfigMap a, Secret gone]
  a Secret and a Service | Secret s, Service w | Secret s, Service w
HelmRelease HelmRelease
  all of its release, and what that owns | family | all
  suspended | family | | spec: {suspend: true}
  no finalizer | family | | finalizers: []
  not what is not labelled | family | ConfigMap a | unmarked: [b], entries: []
  the resource policy of Helm | family | all but a | metadata: {a: {helm.sh/resource-policy: keep}}
  a namespace with all that is in it | home | home
Argo CD Application
  all resources, and what they own | family | all
  the foreground finalizer | family | all | finalizers: [resources-finalizer.argocd.argoproj.io/foreground]
  the background finalizer | family | all | finalizers: [resources-finalizer.argocd.argoproj.io/background]
  no finalizer | family | | finalizers: []
  with orphan | family | all | cascade: orphan
  Delete=false | family | ConfigMap a | metadata: {b: {argocd.argoproj.io/sync-options: Delete=false}}
  Prune=false alone | family | all | metadata: {b: {argocd.argoproj.io/sync-options: Prune=false}}
  the resource policy of Helm | family | all but a | metadata: {a: {helm.sh/resource-policy: keep}}
  a resource that its status does not list | family | all | entries: [ConfigMap a]
  a namespace with all that is in it | home | home | entries: [Namespace app]
  another cluster | ConfigMap a | | spec: {destination: {server: 'https://prod:6443'}}, unmarked: [a]
  a cluster role | ClusterRole r, Secret s | ClusterRole r, Secret s
kro Widget
  all of the ApplySet, and what it owns | family | all
  in the foreground | family | all | cascade: foreground
  with orphan | family | all | cascade: orphan
  not what is not marked | family | all but a | unmarked: [a]
  a namespace | home | home | unmarked: [a, s, w]
  nothing without its finalizer | family | | finalizers: []
Crossplane Widget
  the composite resource | Gadget x | Gadget x | finalizers: [finalizer.apiextensions.crossplane.io]
  one of another claim | Gadget x | | finalizers: [finalizer.apiextensions.crossplane.io], unmarked: [x]
OLM ClusterServiceVersion
  cluster roles and webhooks, and what it owns |
    ClusterRole r, ValidatingWebhookConfiguration w, ConfigMap a < app, ConfigMap b < a |
    ClusterRole r, ConfigMap a, ConfigMap b, ValidatingWebhookConfiguration w
  neither a ConfigMap without owner nor what is not labelled | ConfigMap a, ClusterRole r, ClusterRole s | ClusterRole r |
    unmarked: [s]
  its copy, and no definition | CustomResourceDefinition d.example.com, ClusterServiceVersion app | ClusterServiceVersion app
  in the foreground | ClusterRole r, ConfigMap a < app | ClusterRole r, ConfigMap a | cascade: foreground
  with orphan | ClusterRole r, ConfigMap a < app | ClusterRole r | cascade: orphan
OLM OperatorGroup
  the cluster roles of an OperatorGroup | ClusterRole r, ClusterRole s, ConfigMap a | ClusterRole r |
    finalizers: [], unmarked: [s]
Cluster API Cluster
  machines, control plane and infrastructure |
    MachineDeployment m < app, Widget plane < app, Widget net < app, ConfigMap c < plane, Widget other |
    ConfigMap c, MachineDeployment m, Widget net, Widget plane | spec: {PLANE, NET}
  infrastructure that it does not own, with orphan | Widget net, ConfigMap a < app | Widget net |
    cascade: orphan, spec: {NET}
  in the foreground | MachineDeployment m < app, Widget plane, Widget net |
    MachineDeployment m, Widget net, Widget plane | cascade: foreground, spec: {PLANE, NET}
  nothing without its finalizer | Widget net | | finalizers: [], spec: {NET}
`;

/** Words for what many cases have. */
const words: Readonly<Record<string, string>> = {
  family: 'ConfigMap a, ConfigMap b, ConfigMap c < b, ConfigMap d < c',
  'all but a': 'ConfigMap b, ConfigMap c, ConfigMap d',
  all: 'ConfigMap a, ConfigMap b, ConfigMap c, ConfigMap d',
  home: 'Namespace app, ConfigMap a, Secret s, Service w',
  PLANE: 'controlPlaneRef: {apiGroup: example.com, kind: Widget, name: plane}',
  NET: 'infrastructureRef: {apiGroup: example.com, kind: Widget, name: net}',
};

const listed = (cell = ''): string[] =>
  cell
    .split(', ')
    .flatMap((one) => (words[one] ?? one).split(', '))
    .filter(Boolean);

export const cases: readonly Case[] = casesOf(text.replaceAll('|\n    ', '| ')).flatMap(
  ([head = '', ...rows]) => {
    const [, name, tool] = /^(.*) (\w+)$/.exec(head) ?? [];
    return rows.map((row): Case => {
      const [title, objects, goes, more = ''] = row.split('|').map((cell) => cell.trim());
      const rest = more.replace(/PLANE|NET/g, (word) => words[word] ?? word);
      return {
        title: `${name}: ${title}`,
        tool: tool as ToolKind,
        objects: listed(objects),
        goes: listed(goes),
        ...(yamlValue(`{${rest}}`) as Partial<Case>),
      };
    });
  },
);
