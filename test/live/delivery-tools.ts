import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { objectPath } from '../../src/cluster/api-path.ts';
import type { ResourceType } from '../../src/kube/resource-type.ts';
import type { Cluster } from '../support/cluster.ts';
import { toolTypes } from '../support/delivery.ts';

/** An object as the server has it. */
export interface Delivered {
  readonly kind: string;
  readonly metadata: Marks & {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly ownerReferences?: readonly { readonly uid: string }[];
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
  // biome-ignore lint/suspicious/noExplicitAny: a custom resource has any fields
  readonly spec?: any;
  // biome-ignore lint/suspicious/noExplicitAny: the same
  readonly status?: any;
}

type Texts = Readonly<Record<string, string>>;

/** By which a tool knows its own. */
export interface Marks {
  readonly labels?: Texts;
  readonly annotations?: Texts;
}

/** The kinds that the cases have. */
const kinds = [
  'v1 ConfigMap',
  'v1 Secret',
  'v1 Service',
  'v1 Namespace',
  'rbac.authorization.k8s.io/v1 ClusterRole',
  'kustomize.toolkit.fluxcd.io/v1 Kustomization',
  'helm.toolkit.fluxcd.io/v2 HelmRelease',
  'argoproj.io/v1alpha1 Application',
  'example.com/v1 Widget',
  'example.com/v1 Gadget',
  'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration',
  'apiextensions.k8s.io/v1 CustomResourceDefinition',
  'operators.coreos.com/v1alpha1 ClusterServiceVersion',
  'operators.coreos.com/v1 OperatorGroup',
  'cluster.x-k8s.io/v1beta2 Cluster',
  'cluster.x-k8s.io/v1beta2 MachineDeployment',
].flatMap((text) => {
  const [apiVersion = '', kind = ''] = text.split(' ');
  return toolTypes.find(apiVersion, kind) ?? [];
});

export function kindOf(kind: string): ResourceType {
  const found = kinds.find((one) => one.kind === kind);
  if (!found) throw new Error(`no case has a ${kind}`);
  return found;
}

export async function everything(cluster: Cluster): Promise<Delivered[]> {
  const lists = kinds.map((type) => cluster.list<Delivered>(objectPath(type, '')));
  return (await Promise.all(lists)).flat();
}

/** Where a tool's object is, and what it applied. */
interface Place {
  readonly app: string;
  readonly namespace: string;
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** The namespace of what it applied. */
  readonly home: string;
}

/** What a tool does with an object of its own that is being deleted, as its code does it. */
interface Tool {
  readonly spec: object;
  readonly finalizer?: string;
  readonly isOwn?: (finalizer: string) => boolean;
  /** How it marks what it applied. */
  readonly marks: (place: Place) => Marks;
  /** What it deletes of all there is, before it removes its finalizer. */
  readonly due?: (one: Delivered, all: readonly Delivered[]) => readonly Delivered[];
  /** Does it wait for the end of that? */
  readonly waits?: (one: Delivered) => boolean;
  readonly policy?: (one: Delivered) => string;
}

const cascading = 'resources-finalizer.argocd.argoproj.io';
const trackingId = 'argocd.argoproj.io/tracking-id';
const claimed = 'finalizer.apiextensions.crossplane.io';
const clusterName = 'cluster.x-k8s.io/cluster-name';
const isKept = ({ annotations = {} }: Marks) => annotations['helm.sh/resource-policy'] === 'keep';
/** Does it have all of these labels? */
const isLabelled = ({ metadata: { labels = {} } }: Delivered, wanted: Texts) =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value);
const hasFinalizer = ({ metadata }: Delivered, finalizer: string) =>
  metadata.finalizers?.includes(finalizer) ?? false;

const fluxLabels = (group: string) => (name: string, namespace: string) => ({
  [`${group}.toolkit.fluxcd.io/name`]: name,
  [`${group}.toolkit.fluxcd.io/namespace`]: namespace,
});
const ofKustomization = fluxLabels('kustomize');
const ofHelmRelease = fluxLabels('helm');
const ofClaim = (name: string, namespace: string) => ({
  'crossplane.io/claim-name': name,
  'crossplane.io/claim-namespace': namespace,
});
const ofOlm = (kind: string, name: string, namespace: string) => ({
  'olm.owner': name,
  'olm.owner.namespace': namespace,
  'olm.owner.kind': kind,
});
const here = 'https://kubernetes.default.svc';
const sourceRef = { kind: 'GitRepository', name: 'none' };
const flux = {
  spec: { prune: true, interval: '10m', path: './', sourceRef },
  finalizer: 'finalizers.fluxcd.io',
};

/**
 * finalize of kustomize-controller v1.9.6, reconcileDelete of helm-controller, finalizeApplicationDeletion of Argo CD v3.2.0
 * without clusters, projects and hooks, reconcileDeletion of kro v0.9.4, what Crossplane v2.1.0 does with the composite
 * resource of a claim, processFinalizer of OLM v0.46.0, and reconcileDelete of the Cluster controller of Cluster API v1.13.5.
 */
export const tools = {
  Kustomization: {
    ...flux,
    marks: ({ app, namespace }) => ({ labels: ofKustomization(app, namespace) }),
    due: ({ spec, status, metadata: { name, namespace = '' } }, all) => {
      const policy = spec.deletionPolicy ?? 'MirrorPrune';
      const deletes = policy === 'MirrorPrune' ? spec.prune : policy !== 'Orphan';
      if (spec.suspend || !deletes || spec.kubeConfig) return [];
      const ids = (status?.inventory?.entries ?? []).map(({ id }: { id: string }) => id);
      const off = { prune: 'disabled', reconcile: 'disabled', ssa: 'ignore' };
      const isSpared = ({ labels = {}, annotations = {} }: Marks) =>
        Object.entries(off).some(([word, value]) =>
          [labels, annotations].some(
            (texts) => texts[`kustomize.toolkit.fluxcd.io/${word}`]?.toLowerCase() === value,
          ),
        );
      return all.filter(
        (one) =>
          ids.includes(entryOf(one)) &&
          isLabelled(one, ofKustomization(name, namespace)) &&
          !isSpared(one.metadata),
      );
    },
  },
  HelmRelease: {
    ...flux,
    marks: ({ app, namespace }) => ({ labels: ofHelmRelease(app, namespace) }),
    // What it uninstalls carries its labels, as its post-renderer sets them.
    due: ({ spec, metadata: { name, namespace = '' } }, all) =>
      spec.suspend || spec.kubeConfig
        ? []
        : all.filter(
            (one) => isLabelled(one, ofHelmRelease(name, namespace)) && !isKept(one.metadata),
          ),
  },
  Application: {
    spec: { project: 'default', destination: { server: here } },
    finalizer: cascading,
    isOwn: (one) => one === cascading || one.startsWith(`${cascading}/`),
    // An application outside of Argo's own namespace is named with its namespace.
    marks: ({ app, namespace, group, kind, home, name }) => ({
      annotations: { [trackingId]: `${namespace}_${app}:${group}/${kind}:${home}/${name}` },
    }),
    due: ({ spec, metadata: { uid, name, namespace } }, all) =>
      all.filter(({ metadata }) => {
        const { annotations = {}, ownerReferences } = metadata;
        return (
          spec.destination?.server === here &&
          metadata.uid !== uid &&
          ownerReferences === undefined &&
          annotations[trackingId]?.startsWith(`${namespace}_${name}:`) &&
          !annotations['argocd.argoproj.io/sync-options']?.includes('Delete=false') &&
          !isKept(metadata)
        );
      }),
    waits: () => true,
    policy: (one) => (hasFinalizer(one, `${cascading}/background`) ? 'Background' : 'Foreground'),
  },
  Widget: {
    spec: {},
    finalizer: 'kro.run/finalizer',
    isOwn: (one) => one === 'kro.run/finalizer' || one === claimed,
    marks: ({ app, namespace }) => ({
      labels: { 'applyset.kubernetes.io/part-of': app, ...ofClaim(app, namespace) },
    }),
    due: (tool, all) => {
      const { name, namespace = '', labels = {} } = tool.metadata;
      const own = { 'applyset.kubernetes.io/part-of': labels['applyset.kubernetes.io/id'] ?? '' };
      const wanted = hasFinalizer(tool, claimed) ? ofClaim(name, namespace) : own;
      return all.filter((one) => isLabelled(one, wanted));
    },
    waits: (one) => !hasFinalizer(one, claimed),
  },
  ClusterServiceVersion: {
    // What the real definition asks for.
    spec: { displayName: 'test', install: { strategy: 'deployment', spec: { deployments: [] } } },
    finalizer: 'operators.coreos.com/csv-cleanup',
    marks: ({ app, home, kind }) => ({
      labels: markOfOlm('ClusterServiceVersion', kind, app, home),
    }),
    due: ({ kind, metadata: { name, namespace = '' } }, all) =>
      all.filter(
        (one) =>
          (one.kind === 'ClusterRole' || one.kind === 'ValidatingWebhookConfiguration') &&
          isLabelled(one, ofOlm(kind, name, namespace)),
      ),
    waits: () => true,
  },
  OperatorGroup: {
    spec: {},
    marks: ({ app, home, kind }) => ({ labels: markOfOlm('OperatorGroup', kind, app, home) }),
  },
  Cluster: {
    spec: {},
    finalizer: 'cluster.cluster.x-k8s.io',
    marks: ({ app }) => ({ labels: { [clusterName]: app } }),
    /** Machines first, then the control plane, then the infrastructure. */
    due: ({ spec, metadata: { name, namespace } }, all) => {
      const inHome = all.filter(({ metadata }) => metadata.namespace === namespace);
      const machines = inHome.filter(
        (one) => one.kind === 'MachineDeployment' && isLabelled(one, { [clusterName]: name }),
      );
      const references = [spec.controlPlaneRef, spec.infrastructureRef].map((reference) =>
        inHome.filter(
          ({ kind, metadata }) => kind === reference?.kind && metadata.name === reference.name,
        ),
      );
      return [machines, ...references].find((some) => some.length > 0) ?? [];
    },
    waits: () => true,
  },
} satisfies Readonly<Record<string, Tool>>;

export type ToolKind = keyof typeof tools;

export const toolOf = (kind: ToolKind): Tool => tools[kind];

/** A copy has another label; a definition none of OLM's. */
function markOfOlm(tool: string, kind: string, app: string, home: string): Texts {
  if (kind === 'ClusterServiceVersion') return { 'olm.copiedFrom': home };
  if (kind === 'CustomResourceDefinition') return { [operatorOf(app)]: '' };
  return ofOlm(tool, app, home);
}

export function operatorOf(app: string): string {
  return `operators.coreos.com/${app}.test`;
}

/** As Flux names an object in its inventory. */
export function entryOf({ kind, metadata: { name, namespace = '' } }: Delivered): string {
  return `${namespace}_${name}_${kindOf(kind).group}_${kind}`;
}

/** Plays these tools. */
export function startTools(cluster: Cluster, only: readonly ToolKind[]): { stop(): Promise<void> } {
  let isOn = true;
  const working = (async () => {
    for (; isOn; await sleep(100)) {
      const all = await everything(cluster);
      if (only.includes('OperatorGroup')) await sweep(cluster, all).catch(() => undefined);
      for (const one of all) {
        const isPlayed = only.some((kind) => kind === one.kind) && one.metadata.deletionTimestamp;
        if (isPlayed) await finalizeTool(cluster, one, all).catch(() => undefined);
      }
    }
  })();
  return {
    stop: async () => {
      isOn = false;
      await working;
    },
  };
}

/** What a tool does in one look at an object of its own that is being deleted. */
export async function finalizeTool(cluster: Cluster, one: Delivered, all: readonly Delivered[]) {
  const { finalizer, isOwn = (text) => text === finalizer, ...tool } = toolOf(one.kind as ToolKind);
  const { name, namespace = '', finalizers = [] } = one.metadata;
  if (!finalizers.some(isOwn)) return;
  const due = tool.due?.(one, all) ?? [];
  await removeAll(cluster, due, tool.policy?.(one) ?? 'Background');
  if (due.length > 0 && tool.waits?.(one)) return;
  const rest = finalizers.filter((text) => !isOwn(text));
  await cluster.patch(objectPath(kindOf(one.kind), namespace, name), {
    metadata: { finalizers: rest },
  });
}

/** removeDanglingChildCSVs and operatorGroupDeleted of OLM v0.46.0: it deletes what is left of objects that are gone. */
async function sweep(cluster: Cluster, all: readonly Delivered[]): Promise<void> {
  for (const object of all) {
    const { kind, metadata } = object;
    const { labels = {}, name } = metadata;
    const isCopy = kind === 'ClusterServiceVersion' && labels['olm.copiedFrom'] !== undefined;
    const isRole = kind === 'ClusterRole' && labels['olm.owner.kind'] === 'OperatorGroup';
    if (!isCopy && !isRole) continue;
    const [type, home, named] = isCopy
      ? [kind, labels['olm.copiedFrom'], name]
      : ['OperatorGroup', labels['olm.owner.namespace'], labels['olm.owner']];
    const { status } = await cluster.request(objectPath(kindOf(type), home ?? '', named));
    if (status === 404) await removeAll(cluster, [object], 'Background');
  }
}

async function removeAll(cluster: Cluster, due: readonly Delivered[], propagationPolicy: string) {
  for (const { kind, metadata } of due) {
    const { namespace = '', name, deletionTimestamp } = metadata;
    if (deletionTimestamp === undefined)
      await cluster.remove(objectPath(kindOf(kind), namespace, name), { propagationPolicy });
  }
}

/** The real kustomize-controller, where a binary of it is named. */
export function startKustomizeController(binary: string, kubeconfig: string) {
  const flags = [
    '--health-addr=127.0.0.1:0',
    '--metrics-addr=127.0.0.1:0',
    '--events-addr=',
    '--watch-all-namespaces',
    '--enable-leader-election=false',
  ];
  return startController(binary, flags, {
    RUNTIME_NAMESPACE: 'flux-system',
    KUBECONFIG: kubeconfig,
  });
}

/** The real argocd-application-controller, with a Redis that the binary brings and without a server of repositories. */
export async function startArgo(binary: string, cluster: Cluster, kubeconfig: string) {
  const metadata = { labels: { 'app.kubernetes.io/part-of': 'argocd' } };
  const { status } = await cluster.request('/api/v1/namespaces/argocd');
  if (status === 404) await cluster.make('Namespace argocd');
  await cluster.make('ConfigMap argocd/argocd-cm', { metadata });
  await cluster.make('Secret argocd/argocd-secret', {
    metadata,
    stringData: { 'server.secretkey': 'for tests' },
  });
  await cluster.make('argoproj.io/v1alpha1 AppProject argocd/default', {
    spec: {
      sourceRepos: ['*'],
      sourceNamespaces: ['*'],
      destinations: [{ namespace: '*', server: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    },
  });
  const flags = [
    '--namespace=argocd',
    '--application-namespaces=*',
    '--repo-server=127.0.0.1:1',
    '--metrics-port=0',
  ];
  return startController(binary, flags, {
    ARGOCD_FAKE_IN_CLUSTER: 'true',
    ARGOCD_CONTROLLER_REPLICAS: '1',
    KUBECONFIG: kubeconfig,
  });
}

function startController(
  binary: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
): { stop(): Promise<void> } {
  const log = process.env.DELIVERY_LOG;
  const output = log === undefined ? 'ignore' : openSync(log, 'a');
  const running = spawn(binary, flags, {
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
  });
  const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()));
  return {
    stop: async () => {
      running.kill();
      await ended;
    },
  };
}
