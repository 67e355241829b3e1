import {
  isDeletingDependents,
  type ObjectRecord,
  type OwnerReference,
} from '../../kube/object-record.ts';
import { isEventType, type ResourceType } from '../../kube/resource-type.ts';
import type { Graph } from './graph.ts';
import {
  type NoPlace,
  nothingThere,
  otherUidThere,
  ownerPlaceOf,
  uidElsewhere,
} from './owner-place.ts';

/**
 * solid: the owner lives. dangling: it certainly does not. waiting: it is being deleted in the
 * foreground. unresolvable: the garbage collector cannot look it up and freezes the dependent.
 * unknown: what the garbage collector would look up could not be read.
 */
export type ReferenceClass = 'solid' | 'dangling' | 'waiting' | 'unresolvable' | 'unknown';

/** The exact outcome of the lookup. */
export type LookupOutcome =
  | 'found'
  | 'absent'
  | 'other-uid'
  | 'elsewhere'
  | 'list-kind'
  | 'not-gettable'
  | 'unserved-kind'
  | 'unserved-version'
  | 'namespaced-owner-of-cluster-object'
  | 'not-read'
  | 'not-applied';

export interface ClassifiedReference {
  readonly reference: OwnerReference;
  readonly class: ReferenceClass;
  readonly outcome: LookupOutcome;
  /** The object at the reference's coordinates: the owner, or one that took its name. */
  readonly found: ObjectRecord | undefined;
  /** Rule of docs/collectors/garbage-collector.md that decides. */
  readonly rule: string;
  readonly because: string;
}

/**
 * Mirrors isDangling and classifyReferences, pkg/controller/garbagecollector/garbagecollector.go:
 * what is found where the reference leads must have exactly the reference's uid (GC-27, GC-28).
 */
export function classifyReference(
  graph: Graph,
  dependent: ObjectRecord,
  reference: OwnerReference,
): ClassifiedReference {
  const { kind, name, uid } = reference;
  const answer = (
    cls: ReferenceClass,
    outcome: LookupOutcome,
    rule: string,
    because: string,
    found?: ObjectRecord,
  ): ClassifiedReference => ({ reference, class: cls, outcome, found, rule, because });

  const place = ownerPlaceOf(graph.snapshot.types, dependent, reference);
  if (place.end !== 'at') {
    const { end, outcome, rule, because } = place;
    return answer(classOf[end], end === 'unknown' ? 'not-read' : outcome, rule, because);
  }
  const { type, namespace } = place;
  const where = namespace === '' ? '' : ` in namespace ${namespace}`;
  const owner = graph.withUid(uid);
  const isThere = owner !== undefined && graph.isSurelyAt(owner, type, namespace, name);
  const found = isThere ? owner : graph.at(type, namespace, name);
  if (found) {
    if (found.uid === '') {
      return answer(
        'unknown',
        'not-applied',
        'GC-28',
        `${kind} ${name} is a manifest without uid, so it is unknown whether it is this owner`,
        found,
      );
    }
    if (isThere || found.uid === uid) {
      return isDeletingDependents(found)
        ? answer(
            'waiting',
            'found',
            'GC-27',
            `${kind} ${name} is being deleted in the foreground`,
            found,
          )
        : answer('solid', 'found', 'GC-27', `${kind} ${name} exists${where}`, found);
    }
    const recreated = owner ? '' : ': the owner was deleted, and one with the same name created';
    return answer(
      'dangling',
      'other-uid',
      'GC-28',
      `${otherUidThere(reference, namespace)}${recreated}`,
      found,
    );
  }
  return classifyMissing(graph, owner, reference, type, namespace, where, answer);
}

const classOf: Readonly<Record<NoPlace['end'], ReferenceClass>> = {
  frozen: 'unresolvable',
  gone: 'dangling',
  unknown: 'unknown',
};

function classifyMissing(
  graph: Graph,
  owner: ObjectRecord | undefined,
  { kind, name }: OwnerReference,
  type: ResourceType,
  namespace: string,
  where: string,
  answer: (
    cls: ReferenceClass,
    outcome: LookupOutcome,
    rule: string,
    because: string,
    found?: ObjectRecord,
  ) => ClassifiedReference,
): ClassifiedReference {
  // A uid belongs to one object only: known elsewhere, it cannot be here as well, read or not.
  if (owner && !isServedTwice(owner, type, namespace, name)) {
    return answer(
      'dangling',
      'elsewhere',
      'GC-28',
      isCovered(graph, type, namespace, name)
        ? `${nothingThere({ kind, name }, namespace)}; the object with that uid is another`
        : uidElsewhere({ kind, name }, namespace),
    );
  }
  if (!isCovered(graph, type, namespace, name)) {
    return answer('unknown', 'not-read', 'GC-27', `${kind} objects${where} were not read`);
  }
  return answer('dangling', 'absent', 'GC-27', nothingThere({ kind, name }, namespace));
}

/** Some servers show one object under two groups; only its kind and coordinates are the same. */
function isServedTwice(
  owner: ObjectRecord,
  type: ResourceType,
  namespace: string,
  name: string,
): boolean {
  return owner.type.kind === type.kind && owner.namespace === namespace && owner.name === name;
}

/** Events are the same objects under both of their groups, so reading one of these is enough. */
function isCovered(graph: Graph, type: ResourceType, namespace: string, name: string): boolean {
  if (!isEventType(type)) return graph.coverage.covers(type, namespace, name);
  const twins = graph.snapshot.types.all.filter(isEventType);
  return twins.some((twin) => graph.coverage.covers(twin, namespace, name));
}
