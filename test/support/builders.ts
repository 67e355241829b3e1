import { builtInTypes } from '../../src/kube/built-in-types.ts';
import {
  bareRecord,
  FOREGROUND,
  noFinalizers,
  type ObjectRecord,
  ORPHAN,
  type OwnerReference,
} from '../../src/kube/object-record.ts';
import { type KubeObject, recordOf } from '../../src/kube/record-codec.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from '../../src/kube/resource-type.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { buildGraph, type Graph } from '../../src/snapshot/graph/graph.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';

const everyVerb = 'create,delete,deletecollection,get,list,patch,update,watch'.split(',');

/** A kind as a CustomResourceDefinition would add it: `customType('shops.example.com/v1 Shop')`. */
export function customType(text: string, changes: Partial<ResourceType> = {}): ResourceType {
  const [path = '', kind = ''] = text.split(' ');
  const [name = '', version = ''] = path.split('/');
  const [resource = '', ...group] = name.split('.');
  return {
    group: group.join('.'),
    version,
    kind,
    resource,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: everyVerb,
    ...changes,
  };
}

/** The kinds of test/support/custom-resources.ts. */
export const widgets = customType('widgets.example.com/v1 Widget');
export const gadgets = customType('gadgets.example.com/v1 Gadget', { namespaced: false });

/** A default API server's kinds and the two custom ones. */
export const servedTypes = new ResourceTypes([...builtInTypes, widgets, gadgets], {
  exhaustive: true,
});

/** The records of Kubernetes objects whose kinds are served here; what has no uid gets one, with a `prefix`. */
export function servedRecords(objects: readonly object[], prefix?: string): ObjectRecord[] {
  return (objects as readonly KubeObject[]).flatMap((object, index) => {
    const type = servedTypes.find(`${object.apiVersion}`, `${object.kind}`);
    const metadata = { ...(prefix && { uid: `${prefix}${index}` }), ...object.metadata };
    return type ? [recordOf({ ...object, metadata }, type)] : [];
  });
}

export interface Details extends Partial<Omit<ObjectRecord, 'type' | 'name'>> {
  /** Sets deletionTimestamp, and the finalizer of that policy. */
  readonly deleting?: 'background' | 'foreground' | 'orphan';
}

const policyFinalizers = { background: [], foreground: [FOREGROUND], orphan: [ORPHAN] };

/** An object of any kind; namespaced ones are in `shop`, uids read like `uid-pod-shop-web-1`. */
export function objectOfType(
  type: ResourceType,
  name: string,
  details: Details = {},
): ObjectRecord {
  const { deleting, ...given } = details;
  const namespace = type.namespaced ? (given.namespace ?? 'shop') : '';
  const finalizers = [...(given.finalizers ?? []), ...(deleting ? policyFinalizers[deleting] : [])];
  return {
    ...bareRecord({ type, namespace, name }),
    uid: ['uid', type.kind.toLowerCase(), namespace, name].filter(Boolean).join('-'),
    creationTimestamp: '2026-01-01T00:00:00Z',
    deletionTimestamp: deleting && '2026-01-02T00:00:00Z',
    ...given,
    namespace,
    finalizers: finalizers.length > 0 ? finalizers : noFinalizers,
  };
}

export type Build = (name: string, details?: Details) => ObjectRecord;

/** Makes objects of a served kind: `const secret = builderOf('v1', 'Secret')`. */
export function builderOf(apiVersion: string, kind: string): Build {
  const type = servedTypes.find(apiVersion, kind);
  if (!type) throw new Error(`nobody serves ${apiVersion} ${kind}`);
  return (name, details) => objectOfType(type, name, details);
}

export const pod = builderOf('v1', 'Pod');
export const node = builderOf('v1', 'Node');
export const configMap = builderOf('v1', 'ConfigMap');
export const secret = builderOf('v1', 'Secret');
export const event = builderOf('v1', 'Event');
export const deployment = builderOf('apps/v1', 'Deployment');
export const replicaSet = builderOf('apps/v1', 'ReplicaSet');
export const job = builderOf('batch/v1', 'Job');
export const autoscaler = builderOf('autoscaling/v2', 'HorizontalPodAutoscaler');
export const clusterRole = builderOf('rbac.authorization.k8s.io/v1', 'ClusterRole');
export const widget = builderOf('example.com/v1', 'Widget');
export const gadget = builderOf('example.com/v1', 'Gadget');

/** A reference to `owner`, right in every field unless `changes` make it wrong. */
export function ownedBy(
  owner: ObjectRecord,
  changes: Partial<OwnerReference> = {},
): OwnerReference {
  return {
    apiVersion: apiVersionOf(owner.type),
    kind: owner.type.kind,
    name: owner.name,
    uid: owner.uid,
    controller: undefined,
    blockOwnerDeletion: undefined,
    ...changes,
  };
}

/** A reference to an object that is nowhere: `ownedByGone('apps/v1 ReplicaSet web-6c4')`. */
export function ownedByGone(text: string, changes: Partial<OwnerReference> = {}): OwnerReference {
  const [apiVersion = '', kind = '', name = ''] = text.split(' ');
  const uid = `uid-gone-${name}`;
  return {
    apiVersion,
    kind,
    name,
    uid,
    controller: undefined,
    blockOwnerDeletion: undefined,
    ...changes,
  };
}

/** The reference's owner is held up by this object while it is deleted in the foreground. */
export const blocking = { blockOwnerDeletion: true };

export interface SnapshotOptions extends Partial<Omit<Snapshot, 'records' | 'coverage'>> {
  /** Resources that were not read: `['nodes']`. */
  readonly unread?: readonly string[];
  readonly coverage?: Partial<Snapshot['coverage']>;
}

/** A picture that saw every object of every kind, except of those in `unread`. */
export function snapshotOf(
  records: readonly ObjectRecord[],
  options: SnapshotOptions = {},
): Snapshot {
  const { unread = [], coverage, types = servedTypes, ...rest } = options;
  const resources = new Set(types.all.map(groupResourceOf));
  for (const resource of unread) resources.delete(resource);
  return {
    records,
    types,
    observedAt: '2026-01-03T00:00:00Z',
    serverVersion: 'v1.36.3',
    origin: { kind: 'cluster', server: 'https://shop.example.com' },
    ...rest,
    coverage: {
      read: [...resources].map((resource) => ({ resource })),
      asked: [],
      problems: [],
      ...coverage,
    },
  };
}

export function graphOf(records: readonly ObjectRecord[], options?: SnapshotOptions): Graph {
  return buildGraph(snapshotOf(records, options));
}
