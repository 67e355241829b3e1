import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../support/cluster.ts';

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

/** The kinds that the cases have, and where they are listed. */
const kinds = [
  { group: '', kind: 'ConfigMap', path: '/api/v1', plural: 'configmaps', namespaced: true },
  { group: '', kind: 'Secret', path: '/api/v1', plural: 'secrets', namespaced: true },
  { group: '', kind: 'Service', path: '/api/v1', plural: 'services', namespaced: true },
  { group: '', kind: 'Namespace', path: '/api/v1', plural: 'namespaces', namespaced: false },
  {
    group: 'rbac.authorization.k8s.io',
    kind: 'ClusterRole',
    path: '/apis/rbac.authorization.k8s.io/v1',
    plural: 'clusterroles',
    namespaced: false,
  },
  {
    group: 'kustomize.toolkit.fluxcd.io',
    kind: 'Kustomization',
    path: '/apis/kustomize.toolkit.fluxcd.io/v1',
    plural: 'kustomizations',
    namespaced: true,
  },
  {
    group: 'helm.toolkit.fluxcd.io',
    kind: 'HelmRelease',
    path: '/apis/helm.toolkit.fluxcd.io/v2',
    plural: 'helmreleases',
    namespaced: true,
  },
  {
    group: 'argoproj.io',
    kind: 'Application',
    path: '/apis/argoproj.io/v1alpha1',
    plural: 'applications',
    namespaced: true,
  },
  {
    group: 'example.com',
    kind: 'Widget',
    path: '/apis/example.com/v1',
    plural: 'widgets',
    namespaced: true,
  },
  {
    group: 'example.com',
    kind: 'Gadget',
    path: '/apis/example.com/v1',
    plural: 'gadgets',
    namespaced: false,
  },
] as const;

type Kind = (typeof kinds)[number];

export function pathOf(
  { path, plural, namespaced }: Kind,
  namespace: string,
  name?: string,
): string {
  const home = namespaced ? `/namespaces/${namespace}` : '';
  return `${path}${home}/${plural}${name === undefined ? '' : `/${name}`}`;
}

export function kindOf(kind: string): Kind {
  const found = kinds.find((one) => one.kind === kind);
  if (!found) throw new Error(`no case has a ${kind}`);
  return found;
}

async function listed(cluster: Cluster, { path, plural, kind }: Kind): Promise<Delivered[]> {
  const { items } = await cluster.get<{ items: Delivered[] }>(`${path}/${plural}`);
  return items.map((one) => ({ ...one, kind }));
}

export async function everything(cluster: Cluster): Promise<Delivered[]> {
  return (await Promise.all(kinds.map((kind) => listed(cluster, kind)))).flat();
}

/**
 * What the controllers do with objects of theirs that are being deleted: finalize of kustomize-controller
 * v1.9.6 and finalizeApplicationDeletion of Argo CD v3.2.0, without clusters, projects and hooks.
 */
export function startTools(cluster: Cluster, only: readonly string[]): { stop(): Promise<void> } {
  let isOn = true;
  const working = (async () => {
    while (isOn) {
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
      const path = pathOf(kindOf(kind ?? ''), namespace ?? '', name);
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
      one.metadata.annotations?.['argocd.argoproj.io/tracking-id']?.startsWith(`${metadata.name}:`),
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

async function removeAll(
  cluster: Cluster,
  due: readonly Delivered[],
  policy: string,
): Promise<void> {
  for (const { kind, metadata } of due) {
    const { namespace = '', name, deletionTimestamp } = metadata;
    if (deletionTimestamp === undefined)
      await remove(cluster, pathOf(kindOf(kind), namespace, name), policy);
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
  await cluster.patch(pathOf(type, namespace, name), { metadata: { finalizers: rest } });
}

/** The real kustomize-controller, where a binary of it is named. */
export function startKustomizeController(
  binary: string,
  kubeconfig: string,
): { stop(): Promise<void> } {
  const flags = [
    '--health-addr=127.0.0.1:0',
    '--metrics-addr=127.0.0.1:0',
    '--events-addr=',
    '--watch-all-namespaces',
    '--enable-leader-election=false',
  ];
  const env = { ...process.env, RUNTIME_NAMESPACE: 'flux-system', KUBECONFIG: kubeconfig };
  const running = spawn(binary, flags, { env, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()));
  return {
    stop: async () => {
      running.kill();
      await ended;
    },
  };
}
