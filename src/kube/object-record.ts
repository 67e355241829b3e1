import type { ObjectFacts } from './facts/object-facts.ts';
import { compareText } from './names.ts';
import type { ObjectLocation } from './object-reference.ts';
import type { ResourceType } from './resource-type.ts';

export type { Condition } from './facts/condition.ts';
export type { ObjectFacts } from './facts/object-facts.ts';

/**
 * What a record keeps of spec and status; undefined where only metadata was read. Which claims and
 * Secrets a pod uses is a question for pod-use.ts, whose answer may be that this was not read:
 * `facts?.nodeName ?? ''` would make an unread pod an unbound one. The second of the two types
 * makes the compiler refuse that.
 */
type RecordFacts = ObjectFacts | Omit<ObjectFacts, 'nodeName' | 'volumes'>;

/** One entry of metadata.ownerReferences, as stored. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean | undefined;
  /** Only an explicit true blocks a foreground deletion (GC-7). */
  readonly blockOwnerDeletion: boolean | undefined;
}

/** What a reference says that it leads to. */
export type OwnerKind = Pick<OwnerReference, 'apiVersion' | 'kind'>;

/** Who set a reference, read from managedFields when full metadata was at hand. */
export interface FieldManager {
  /** uid of the owner that the reference names. */
  readonly uid: string;
  readonly manager: string;
  readonly operation: string;
  /** RFC 3339, or undefined when the entry has no time. */
  readonly time: string | undefined;
}

/** Where in a file an object was read. */
export interface Place {
  readonly path: string;
  /** 1-based line of the document or list item. */
  readonly line: number;
}

/**
 * What is kept of one object: the same whether it was read from a cluster or a file.
 * Every field is always present (undefined where unset), so that all records share one hidden class.
 */
export interface ObjectRecord {
  readonly type: ResourceType;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  /** Empty for a manifest that was never applied. */
  readonly uid: string;
  readonly resourceVersion: string | undefined;
  /** RFC 3339. */
  readonly creationTimestamp: string | undefined;
  /** RFC 3339; set while the object is being deleted. */
  readonly deletionTimestamp: string | undefined;
  readonly deletionGracePeriodSeconds: number | undefined;
  readonly ownerReferences: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Only those of `keptAnnotations`. */
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly writers: readonly FieldManager[] | undefined;
  readonly facts: RecordFacts | undefined;
  readonly place: Place | undefined;
}

/** Shared by every record that has none, so that empty lists cost nothing. */
export const noReferences: readonly OwnerReference[] = Object.freeze([]);
export const noFinalizers: readonly string[] = Object.freeze([]);

/** An object of which no more than its kind and name is known. */
export function bareRecord({ type, namespace, name }: ObjectLocation): ObjectRecord {
  return {
    type,
    namespace,
    name,
    uid: '',
    resourceVersion: undefined,
    creationTimestamp: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    ownerReferences: noReferences,
    finalizers: noFinalizers,
    labels: undefined,
    annotations: undefined,
    writers: undefined,
    facts: undefined,
    place: undefined,
  };
}

/** With these an object asks an audit not to report it. */
export const waiverAnnotations = {
  /** Rules, joined by commas, or `all`. */
  rules: 'kubectl-gc.io/ignore',
  reason: 'kubectl-gc.io/ignore-reason',
  /** The last day, `2026-12-31`. */
  until: 'kubectl-gc.io/ignore-until',
} as const;

/**
 * Annotations that say who manages an object, or that a controller decides by. All others are dropped: last-applied-configuration
 * alone would carry a Secret's data into a snapshot.
 */
export const keptAnnotations: ReadonlySet<string> = new Set([
  'meta.helm.sh/release-name',
  'meta.helm.sh/release-namespace',
  'helm.sh/hook',
  'helm.sh/resource-policy',
  'argocd.argoproj.io/tracking-id',
  'argocd.argoproj.io/installation-id',
  'batch.kubernetes.io/job-tracking',
  'config.k8s.io/owning-inventory',
  'kubernetes.io/config.mirror',
  waiverAnnotations.rules,
  waiverAnnotations.reason,
  waiverAnnotations.until,
  'control-plane.alpha.kubernetes.io/leader',
  'deployment.kubernetes.io/revision',
  'deprecated.deployment.rollback.to',
  'kubernetes.io/service-account.name',
  'kubernetes.io/service-account.uid',
  'pv.kubernetes.io/bound-by-controller',
  'pv.kubernetes.io/migrated-to',
  'pv.kubernetes.io/provisioned-by',
  'resource.kubernetes.io/pod-claim-name',
]);

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** metadata.deletionTimestamp is set. */
export function isBeingDeleted(record: ObjectRecord): boolean {
  return record.deletionTimestamp !== undefined;
}

/** Upstream's deletingDependents: being deleted in the foreground (GC-3, GC-27). */
export function isDeletingDependents(record: ObjectRecord): boolean {
  return record.deletionTimestamp !== undefined && record.finalizers.includes(FOREGROUND);
}

/** Orders objects by what they are, so that nothing depends on the order in which they were read. */
export function byContent(a: ObjectRecord, b: ObjectRecord): number {
  return (
    compareText(a.type.group, b.type.group) ||
    compareText(a.type.kind, b.type.kind) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name) ||
    compareText(a.uid, b.uid)
  );
}
