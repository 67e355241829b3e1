import {
  type Identity,
  identityOfReference,
  type OwnershipNode,
  sameCoordinates,
} from './ownership-node.ts';

/**
 * Which dependents refer to an owner by these coordinates, and which by others; one with two
 * references may do both. Mirrors partitionDependents, graph_builder.go (GC-26).
 */
export function partitionDependents(
  dependents: Iterable<OwnershipNode>,
  owner: Identity,
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
  absent: Identity,
): Identity | undefined {
  const isClusterScoped = absent.namespace === '';
  let first: Identity | undefined;
  let following: Identity | undefined;
  for (const { owners, identity } of dependents) {
    for (const reference of owners) {
      if (reference.uid !== absent.uid) continue;
      const inPlace = isClusterScoped || absent.namespace === identity.namespace;
      if (inPlace && sameCoordinates(reference, absent)) continue;
      const sameKind = reference.apiVersion === absent.apiVersion && reference.kind === absent.kind;
      const namespace = isClusterScoped && sameKind ? '' : identity.namespace;
      const alternate = identityOfReference(reference, namespace);
      if (compare(alternate, absent) === 0) continue;
      if (!first || compare(alternate, first) < 0) first = alternate;
      if (compare(absent, alternate) < 0 && (!following || compare(alternate, following) < 0)) {
        following = alternate;
      }
    }
  }
  return following ?? first;
}

const significance = ['kind', 'apiVersion', 'namespace', 'name', 'uid'] as const;

function compare(a: Identity, b: Identity): number {
  for (const field of significance) {
    if (a[field] !== b[field]) return a[field] < b[field] ? -1 : 1;
  }
  return 0;
}
