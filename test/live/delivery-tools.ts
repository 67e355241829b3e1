import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { objectPath, type ResourceType } from '../../src/kube/resource-type.ts';
import type { Cluster } from '../support/cluster.ts';
import { toolTypes } from '../support/delivery.ts';

/** An object as the server has it. */
export interface Delivered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly unknown[];
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
  // biome-ignore lint/suspicious/noExplicitAny: a custom resource has any fields
  readonly spec?: any;
  // biome-ignore lint/suspicious/noExplicitAny: the same
  readonly status?: any;
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

async function listed(cluster: Cluster, type: ResourceType): Promise<Delivered[]> {
  const { items } = await cluster.get<{ items: Delivered[] }>(objectPath(type, ''));
  return items.map((one) => ({ ...one, kind: type.kind }));
}

export async function everything(cluster: Cluster): Promise<Delivered[]> {
  return (await Promise.all(kinds.map((kind) => listed(cluster, kind)))).flat();
}

/**
 * What the controllers do with objects of theirs that are being deleted: finalize of kustomize-controller
 * v1.9.6 and finalizeApplicationDeletion of Argo CD v3.2.0, without clusters, projects and hooks; and what OLM does
 * once such an object is gone.
 */
export function startTools(cluster: Cluster, only: readonly string[]): { stop(): Promise<void> } {
  let isOn = true;
  const working = (async () => {
    while (isOn) {
      if (only.includes('OperatorGroup')) await sweep(cluster).catch(() => undefined);
      for (const kind of only) {
        const found = await listed(cluster, kindOf(kind));
        for (const tool of found.filter(({ metadata }) => metadata.deletionTimestamp)) {
          await (works[kind] ?? compose)(cluster, tool).catch(() => undefined);
        }
      }
      await sleep(100);
    }
  })();
  return {
    stop: async () => {
      isOn = false;
      await working;
    },
  };
}

const works: Readonly<Record<string, typeof compose>> = {
  Application: cascade,
  Cluster: tearDown,
  ClusterServiceVersion: cleanUp,
  HelmRelease: uninstall,
  Kustomization: prune,
};

/** reconcileDelete of helm-controller: what it uninstalls carries its labels, as its post-renderer sets them. */
async function uninstall(cluster: Cluster, tool: Delivered): Promise<void> {
  const { spec = {}, metadata } = tool;
  if (!metadata.finalizers?.includes('finalizers.fluxcd.io')) return;
  const key = 'helm.toolkit.fluxcd.io/';
  const all = spec.suspend || spec.kubeConfig ? [] : await everything(cluster);
  const due = all.filter(
    ({ metadata: { labels = {}, annotations = {} } }) =>
      labels[`${key}name`] === metadata.name &&
      labels[`${key}namespace`] === metadata.namespace &&
      annotations['helm.sh/resource-policy'] !== 'keep',
  );
  await removeAll(cluster, due, 'Background');
  await release(cluster, 'HelmRelease', tool, (one) => one === 'finalizers.fluxcd.io');
}

async function prune(cluster: Cluster, tool: Delivered): Promise<void> {
  const { spec = {}, status = {}, metadata } = tool;
  if (!metadata.finalizers?.includes('finalizers.fluxcd.io')) return;
  const policy = spec.deletionPolicy ?? 'MirrorPrune';
  const deletes = policy === 'MirrorPrune' ? spec.prune : policy !== 'Orphan';
  if (!spec.suspend && deletes && !spec.kubeConfig) {
    for (const { id } of status.inventory?.entries ?? []) {
      const [namespace, name, , kind] = (id as string).split('_');
      const path = objectPath(kindOf(kind ?? ''), namespace ?? '', name);
      const { status: code, body } = await cluster.request(path);
      if (code !== 200) continue;
      const { labels = {}, annotations = {} } = (JSON.parse(body) as Delivered).metadata;
      const key = 'kustomize.toolkit.fluxcd.io/';
      const isOwn =
        labels[`${key}name`] === metadata.name && labels[`${key}namespace`] === metadata.namespace;
      const off = { prune: 'disabled', reconcile: 'disabled', ssa: 'ignore' };
      const isSpared = Object.entries(off).some(([word, value]) =>
        [labels, annotations].some((all) => all[key + word]?.toLowerCase() === value),
      );
      if (isOwn && !isSpared) await remove(cluster, path, 'Background');
    }
  }
  await release(cluster, 'Kustomization', tool, (one) => one === 'finalizers.fluxcd.io');
}

const cascading = 'resources-finalizer.argocd.argoproj.io';
export const trackingId = 'argocd.argoproj.io/tracking-id';

async function cascade(cluster: Cluster, app: Delivered): Promise<void> {
  const { spec = {}, metadata } = app;
  const isCascading = (one: string) => one === cascading || one.startsWith(`${cascading}/`);
  const finalizer = metadata.finalizers?.find(isCascading);
  if (finalizer === undefined) return;
  const isHere = spec.destination?.server === 'https://kubernetes.default.svc';
  const all = isHere ? await everything(cluster) : [];
  const live = all.filter(
    (one) =>
      one.metadata.uid !== metadata.uid &&
      one.metadata.ownerReferences === undefined &&
      one.metadata.annotations?.[trackingId]?.startsWith(`${metadata.namespace}_${metadata.name}:`),
  );
  const due = live.filter(
    ({ metadata: { annotations = {} } }) =>
      !annotations['argocd.argoproj.io/sync-options']?.includes('Delete=false') &&
      annotations['helm.sh/resource-policy'] !== 'keep',
  );
  const policy = finalizer === `${cascading}/background` ? 'Background' : 'Foreground';
  await removeAll(cluster, due, policy);
  if (due.length === 0) await release(cluster, 'Application', app, isCascading);
}

/** reconcileDeletion of kro v0.9.4, and what Crossplane v2.1.0 does with the composite resource of a claim. */
async function compose(cluster: Cluster, tool: Delivered): Promise<void> {
  const { name, namespace, labels: own = {}, finalizers = [] } = tool.metadata;
  const isClaim = finalizers.includes('finalizer.apiextensions.crossplane.io');
  if (!isClaim && !finalizers.includes('kro.run/finalizer')) return;
  const all = await everything(cluster);
  const due = all.filter(({ metadata: { labels = {} } }) =>
    isClaim
      ? labels['crossplane.io/claim-name'] === name &&
        labels['crossplane.io/claim-namespace'] === namespace
      : labels['applyset.kubernetes.io/part-of'] === own['applyset.kubernetes.io/id'],
  );
  await removeAll(cluster, due, 'Background');
  if (isClaim || due.length === 0) await release(cluster, 'Widget', tool, () => true);
}

/** processFinalizer of OLM v0.46.0. */
async function cleanUp(cluster: Cluster, csv: Delivered): Promise<void> {
  const { name, namespace, finalizers } = csv.metadata;
  if (!finalizers?.includes('operators.coreos.com/csv-cleanup')) return;
  const all = await everything(cluster);
  const due = all.filter(
    ({ kind, metadata: { labels = {} } }) =>
      (kind === 'ClusterRole' || kind === 'ValidatingWebhookConfiguration') &&
      labels['olm.owner.kind'] === 'ClusterServiceVersion' &&
      labels['olm.owner'] === name &&
      labels['olm.owner.namespace'] === namespace,
  );
  await removeAll(cluster, due, 'Background');
  if (due.length > 0) return;
  await release(cluster, csv.kind, csv, (one) => one === 'operators.coreos.com/csv-cleanup');
}

/** removeDanglingChildCSVs and operatorGroupDeleted of OLM v0.46.0. */
async function sweep(cluster: Cluster): Promise<void> {
  for (const object of await everything(cluster)) {
    const { kind, metadata } = object;
    const { labels = {}, name } = metadata;
    const isCopy = kind === 'ClusterServiceVersion' && labels['olm.copiedFrom'] !== undefined;
    const isRole = kind === 'ClusterRole' && labels['olm.owner.kind'] === 'OperatorGroup';
    if (!isCopy && !isRole) continue;
    const parent = isCopy
      ? objectPath(kindOf(kind), labels['olm.copiedFrom'] ?? '', name)
      : objectPath(
          kindOf('OperatorGroup'),
          labels['olm.owner.namespace'] ?? '',
          labels['olm.owner'],
        );
    const { status } = await cluster.request(parent);
    if (status === 404) await removeAll(cluster, [object], 'Background');
  }
}

/** reconcileDelete of the Cluster controller of Cluster API v1.13.5. */
async function tearDown(cluster: Cluster, one: Delivered): Promise<void> {
  const { name, namespace, uid, finalizers } = one.metadata;
  if (!finalizers?.includes('cluster.cluster.x-k8s.io') || one.spec.paused) return;
  const all = await everything(cluster);
  const machines = all.filter(
    ({ kind, metadata }) =>
      kind === 'MachineDeployment' &&
      metadata.namespace === namespace &&
      metadata.labels?.['cluster.x-k8s.io/cluster-name'] === name,
  );
  const isOwn = ({ metadata }: Delivered) =>
    metadata.ownerReferences?.some((reference) => (reference as { uid: string }).uid === uid);
  await removeAll(cluster, machines.filter(isOwn), 'Background');
  if (machines.length > 0) return;
  for (const reference of [one.spec.controlPlaneRef, one.spec.infrastructureRef]) {
    const there = all.filter(
      ({ kind, metadata }) =>
        kind === reference?.kind &&
        metadata.namespace === namespace &&
        metadata.name === reference.name,
    );
    await removeAll(cluster, there, 'Background');
    if (there.length > 0) return;
  }
  await release(cluster, one.kind, one, (finalizer) => finalizer === 'cluster.cluster.x-k8s.io');
}

async function removeAll(
  cluster: Cluster,
  due: readonly Delivered[],
  policy: string,
): Promise<void> {
  for (const { kind, metadata } of due) {
    const { namespace = '', name, deletionTimestamp } = metadata;
    if (deletionTimestamp === undefined)
      await remove(cluster, objectPath(kindOf(kind), namespace, name), policy);
  }
}

async function remove(cluster: Cluster, path: string, propagationPolicy: string): Promise<void> {
  await cluster.request(path, { method: 'DELETE', body: { propagationPolicy } });
}

async function release(
  cluster: Cluster,
  kind: string,
  { metadata: { name, namespace = '', finalizers = [] } }: Delivered,
  isOwn: (finalizer: string) => boolean,
): Promise<void> {
  const type = kindOf(kind);
  const rest = finalizers.filter((one) => !isOwn(one));
  await cluster.patch(objectPath(type, namespace, name), { metadata: { finalizers: rest } });
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
  await cluster.make('Namespace argocd');
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
