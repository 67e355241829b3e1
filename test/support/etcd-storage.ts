import { randomUUID } from 'node:crypto';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from '../../src/kube/resource-type.ts';

/** Resources whose place in etcd is not their plural. */
const places = new Map([
  ['nodes', 'minions'],
  ['services', 'services/specs'],
  ['endpoints', 'services/endpoints'],
  ['replicationcontrollers', 'controllers'],
  ['events.events.k8s.io', 'events'],
  ['ingresses.networking.k8s.io', 'ingress'],
  ['apiservices.apiregistration.k8s.io', 'apiregistration.k8s.io/apiservices'],
  [
    'customresourcedefinitions.apiextensions.k8s.io',
    'apiextensions.k8s.io/customresourcedefinitions',
  ],
]);

/** Served only when an API server is told to. */
const leaseCandidate: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1beta1',
  kind: 'LeaseCandidate',
  resource: 'leasecandidates',
  singular: 'leasecandidate',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: [],
};

const builtIn = new Map(
  [...builtInTypes, leaseCandidate].map((type) => [`${apiVersionOf(type)} ${type.kind}`, type]),
);

type FindType = (apiVersion: string, kind: string) => ResourceType | undefined;

/** `/registry/pods/shop/web-1`: where an API server looks for an object. */
function etcdKey(object: KubeObject, findCustom: FindType): string {
  const { apiVersion, kind, metadata } = object;
  const known = builtIn.get(`${apiVersion} ${kind}`);
  const type = known ?? findCustom(apiVersion, kind);
  if (!type) throw new Error(`not served: ${apiVersion} ${kind}`);
  const groupResource = groupResourceOf(type);
  const place =
    places.get(groupResource) ?? (known ? type.resource : `${type.group}/${type.resource}`);
  const namespace = type.namespaced ? [metadata.namespace ?? 'default'] : [];
  return ['/registry', place, ...namespace, metadata.name].join('/');
}

/** The object as it can be stored: what a CREATE would have filled in is filled in, and nothing else. */
function storable(object: KubeObject, now: string): KubeObject {
  return { ...object, metadata: { uid: randomUUID(), creationTimestamp: now, ...object.metadata } };
}

/** Objects of one transaction; etcd takes 128. */
const atOnce = 32;

/**
 * Writes objects past the API server, which would otherwise replace uid, creationTimestamp
 * and deletionTimestamp. Resolves with them as they were stored. Those of one transaction begin
 * to exist together, so that no controller sees an object before its owner exists.
 */
export async function putIntoEtcd(
  etcd: string,
  objects: readonly KubeObject[],
  findCustom: FindType,
): Promise<KubeObject[]> {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const stored = objects.map((object) => storable(object, now));
  // Events of both API groups are stored under one key, and a transaction takes a key once.
  const values = [...new Map(stored.map((object) => [etcdKey(object, findCustom), object]))];
  const transactions: Promise<void>[] = [];
  for (let at = 0; at < values.length; at += atOnce) {
    transactions.push(putTogether(values.slice(at, at + atOnce)));
  }
  await Promise.all(transactions);
  return stored;

  async function putTogether(some: readonly (readonly [string, KubeObject])[]): Promise<void> {
    const success = some.map(([key, object]) => ({
      requestPut: { key: base64(key), value: base64(JSON.stringify(object)) },
    }));
    await postToEtcd(etcd, 'txn', { success });
  }
}

/** What etcd answers a request of its JSON gateway: `txn`, `put`, `range`; rejects when it refuses. */
export async function postToEtcd<T>(etcd: string, request: string, body: object): Promise<T> {
  const response = await fetch(`${etcd}/v3/kv/${request}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`etcd answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** The kinds that a CustomResourceDefinition makes servable. */
export function customTypes(definition: KubeObject): ResourceType[] {
  const spec = definition.spec as {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string; readonly singular?: string };
    readonly versions: readonly { readonly name: string }[];
  };
  return spec.versions.map(({ name }) => ({
    group: spec.group,
    version: name,
    kind: spec.names.kind,
    resource: spec.names.plural,
    singular: spec.names.singular ?? spec.names.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: spec.scope === 'Namespaced',
    verbs: [],
  }));
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
