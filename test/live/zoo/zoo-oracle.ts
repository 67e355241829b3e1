import type { KubeObject } from '../../../src/kube/record-codec.ts';
import type { Cluster } from '../../support/cluster.ts';

/** The objects of a cluster by `Kind.group namespace/name`; in their content every uid is the name of its object. */
export type Dump = ReadonlyMap<string, { readonly uid: string; readonly content: KubeObject }>;

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** Reads every object in these namespaces, and every cluster-scoped one whose name `isMeant`. */
export async function dumpOf(
  cluster: Cluster,
  namespaces: readonly string[],
  isMeant: (name: string) => boolean,
): Promise<Dump> {
  const objects: [string, KubeObject][] = [];
  const { groups } = await cluster.get<{
    groups: { preferredVersion: { groupVersion: string } }[];
  }>('/apis');
  const roots = [
    '/api/v1',
    ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`),
  ];
  const read = async (path: string, key: string, isOurs: (name: string) => boolean) => {
    for (const object of await cluster.list(path)) {
      const { name = '', namespace = '' } = object.metadata as Record<string, string>;
      if (isOurs(name)) objects.push([`${key} ${namespace}/${name}`, object]);
    }
  };
  for (const root of roots) {
    const found = await cluster.find<{ resources: ApiResource[] }>(root);
    const group = root === '/api/v1' ? '' : `.${root.split('/')[2]}`;
    for (const { name, kind, namespaced, verbs } of found?.resources ?? []) {
      if (!verbs.includes('list') || !verbs.includes('get')) continue;
      const key = `${kind}${group}`;
      if (!namespaced) await read(`${root}/${name}`, key, isMeant);
      else
        for (const namespace of namespaces)
          await read(`${root}/namespaces/${namespace}/${name}`, key, () => true);
    }
  }
  return named(objects.filter(([, object]) => !isMadeAnew(object)));
}

const makers = /^(ReplicaSet|ReplicationController|StatefulSet|DaemonSet|Job)$/;

/** Does a controller make such an object under whatever name, or does it only say what happened? */
function isMadeAnew({ kind, metadata }: KubeObject): boolean {
  if (kind === 'Event' || kind === 'IPAddress' || kind === 'PodMetrics') return true;
  const labels = Object(metadata.labels) as Record<string, string>;
  if (labels['endpointslice.kubernetes.io/managed-by']?.endsWith('controller.k8s.io')) return true;
  if (labels['endpoints.kubernetes.io/managed-by'] !== undefined) return true;
  const owners = (metadata.ownerReferences ?? []) as { kind: string; controller?: boolean }[];
  return kind === 'Pod' && owners.some((one) => one.controller && makers.test(one.kind));
}

function named(objects: readonly [string, KubeObject][]): Dump {
  const uids = new Map(objects.map(([key, { metadata }]) => [`${metadata.uid}`, key]));
  const withNames = (text: string) =>
    text.replace(
      /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
      (uid) => `<${uids.get(uid) ?? uid}>`,
    );
  return new Map(
    objects.map(([key, object]) => [
      key,
      {
        uid: `${object.metadata.uid}`,
        content: sorted(JSON.parse(withNames(JSON.stringify(lasting(object))))),
      },
    ]),
  );
}

/** Lists whose order follows uids or says nothing, in an order of their own. */
function sorted({ metadata, ...rest }: KubeObject): KubeObject {
  const inOrder = (list: unknown) => (list as object[]).map(canonical).sort();
  const { managedFields, ownerReferences } = metadata;
  return {
    ...rest,
    metadata: {
      ...metadata,
      managedFields: inOrder(managedFields),
      ownerReferences: inOrder(ownerReferences),
    },
  } as KubeObject;
}

/** JSON whose fields are in alphabetical order. */
function canonical(value: object): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** Without what Kubernetes decides anew for each object. */
function lasting(object: KubeObject): object {
  const { metadata, status, ...rest } = structuredClone(object) as KubeObject & {
    spec?: Record<string, never>;
    status?: unknown;
    data?: object;
    type?: string;
  };
  for (const field of ['resourceVersion', 'generation', 'creationTimestamp'])
    delete metadata[field];
  const owners = (metadata.ownerReferences ?? []) as object[];
  const managed = (metadata.managedFields ?? []) as Record<string, unknown>[];
  const managedFields = managed
    .filter(({ subresource }) => subresource === undefined)
    .map(({ time: _, ...entry }) => entry);
  const isCustom = object.apiVersion.includes('.example.com/');
  if (rest.type === 'kubernetes.io/service-account-token') {
    rest.data = { fields: Object.keys(rest.data ?? {}).sort() };
  }
  if (object.kind === 'Pod') delete rest.spec?.nodeName;
  const claim = rest.spec?.claimRef as Record<string, unknown> | undefined;
  if (object.kind === 'PersistentVolume' && claim) delete claim.resourceVersion;
  return {
    metadata: { ...metadata, managedFields, ownerReferences: owners },
    ...rest,
    ...(isCustom && { status }),
  };
}

/** `missing KEY`, `new KEY` and `KEY PATH` for each field that is not as before. */
export function differences(before: Dump, after: Dump): string[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].sort().flatMap((key) => {
    if (!after.has(key)) return `missing ${key}`;
    if (!before.has(key)) return `new ${key}`;
    const [was, is] = [before.get(key), after.get(key)];
    const paths = pathsOf(was?.content, is?.content, '');
    // Who has set a reference is noted anew of an object that lived on, and of one that nobody managed.
    const managers = was?.content.metadata.managedFields;
    const isNoted = was?.uid === is?.uid || (Array.isArray(managers) && managers.length === 0);
    return paths
      .filter((path) => !isNoted || !path.startsWith('.metadata.managedFields'))
      .map((path) => `${key} ${path}`);
  });
}

function pathsOf(before: unknown, after: unknown, path: string): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const isOpen = [before, after].every((one) => typeof one === 'object' && one !== null);
  if (!isOpen || path.split('.').length > 5) return [path];
  const [a, b] = [before, after] as Record<string, unknown>[];
  const names = new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})]);
  return [...names].flatMap((name) => pathsOf(a?.[name], b?.[name], `${path}.${name}`));
}
