import { noReferences, type ObjectRecord, type OwnerReference } from '../../kube/object-record.ts';
import { compareObjects, type ObjectReference } from '../../kube/object-reference.ts';

/**
 * One node of the garbage collector's graph; mirrors `node`,
 * pkg/controller/garbagecollector/graph.go (GC-3).
 */
export class OwnershipNode {
  /** Of an owner that it knows from references only, as these spell it. */
  identity: ObjectReference;
  /** The object as the informer last delivered it; undefined for a virtual node. */
  seen: ObjectRecord | undefined = undefined;
  owners: readonly OwnerReference[] = noReferences;
  dependents: Set<OwnershipNode> | undefined = undefined;
  beingDeleted = false;
  deletingDependents = false;
  /** Under which identities a virtual node was looked up and not found; those it had before are among them. */
  absentAs: readonly ObjectReference[] = noIdentities;

  constructor(identity: ObjectReference) {
    this.identity = identity;
  }

  get isObserved(): boolean {
    return this.seen !== undefined;
  }

  get hasDependents(): boolean {
    return this.dependents !== undefined && this.dependents.size > 0;
  }

  addDependent(dependent: OwnershipNode): void {
    this.dependents ??= new Set();
    this.dependents.add(dependent);
  }

  /** False when it was proven before. */
  proveAbsent(identity: ObjectReference): boolean {
    if (this.absentAs.some((one) => sameIdentity(one, identity))) return false;
    this.absentAs = [...this.absentAs, identity];
    return true;
  }

  /** Only an explicit blockOwnerDeletion of true blocks (GC-7). */
  blockingDependents(): OwnershipNode[] {
    const blocking: OwnershipNode[] = [];
    for (const dependent of this.dependents ?? []) {
      if (blocks(dependent.owners, this.identity.uid)) blocking.push(dependent);
    }
    return blocking;
  }
}

const noIdentities: readonly ObjectReference[] = Object.freeze([]);

function blocks(references: readonly OwnerReference[], uid: string): boolean {
  return references.some(
    (reference) => reference.uid === uid && reference.blockOwnerDeletion === true,
  );
}

export function sameIdentity(a: ObjectReference, b: ObjectReference): boolean {
  return a.namespace === b.namespace && sameCoordinates(a, b);
}

/** Everything but the namespace: mirrors ownerReferenceMatchesCoordinates. */
export function sameCoordinates(
  a: Omit<ObjectReference, 'namespace'>,
  b: Omit<ObjectReference, 'namespace'>,
): boolean {
  return a.uid === b.uid && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;
}

export function identityOfReference(reference: OwnerReference, namespace: string): ObjectReference {
  const { apiVersion, kind, name, uid } = reference;
  return { apiVersion, kind, name, uid, namespace };
}

/**
 * Which dependents refer to an owner by these coordinates, and which by others; one with two
 * references may do both. Mirrors partitionDependents, graph_builder.go (GC-26).
 */
export function partitionDependents(
  dependents: Iterable<OwnershipNode>,
  owner: ObjectReference,
): { readonly matching: OwnershipNode[]; readonly other: OwnershipNode[] } {
  const matching: OwnershipNode[] = [];
  const other: OwnershipNode[] = [];
  for (const dependent of dependents) {
    if (owner.namespace !== '' && owner.namespace !== dependent.identity.namespace) {
      other.push(dependent);
      continue;
    }
    const references = dependent.owners.filter((reference) => reference.uid === owner.uid);
    if (references.some((reference) => sameCoordinates(reference, owner))) matching.push(dependent);
    if (references.some((reference) => !sameCoordinates(reference, owner))) other.push(dependent);
  }
  return { matching, other };
}

/**
 * What else dependents call an owner that is not where `absent` says: the identity that follows it
 * in order, else the first. Mirrors getAlternateOwnerIdentity, graph_builder.go (GC-26).
 */
export function alternateIdentity(
  dependents: Iterable<OwnershipNode>,
  absent: ObjectReference,
): ObjectReference | undefined {
  const isClusterScoped = absent.namespace === '';
  let first: ObjectReference | undefined;
  let following: ObjectReference | undefined;
  for (const { owners, identity } of dependents) {
    for (const reference of owners) {
      if (reference.uid !== absent.uid) continue;
      const inPlace = isClusterScoped || absent.namespace === identity.namespace;
      if (inPlace && sameCoordinates(reference, absent)) continue;
      const sameKind = reference.apiVersion === absent.apiVersion && reference.kind === absent.kind;
      const namespace = isClusterScoped && sameKind ? '' : identity.namespace;
      const alternate = identityOfReference(reference, namespace);
      if (compareObjects(alternate, absent) === 0) continue;
      if (!first || compareObjects(alternate, first) < 0) first = alternate;
      if (
        compareObjects(absent, alternate) < 0 &&
        (!following || compareObjects(alternate, following) < 0)
      ) {
        following = alternate;
      }
    }
  }
  return following ?? first;
}
