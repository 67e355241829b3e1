import {
  isDeletingDependents,
  type ObjectRecord,
  type OwnerReference,
} from '../../kube/object-record.ts';
import { isEventType, type ResourceType } from '../../kube/resource-type.ts';
import type { Graph } from './graph.ts';
import {
  type GettablePlace,
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
  const place = ownerPlaceOf(graph.snapshot.types, dependent, reference);
  if (place.end === 'at') return lookUp(graph, reference, place);
  const { end, rule, because } = place;
  const outcome = end === 'unknown' ? 'not-read' : place.outcome;
  return { reference, class: classOf[end], outcome, found: undefined, rule, because };
}

const classOf: Readonly<Record<NoPlace['end'], ReferenceClass>> = {
  frozen: 'unresolvable',
  gone: 'dangling',
  unknown: 'unknown',
};

function lookUp(
  graph: Graph,
  reference: OwnerReference,
  { type, namespace }: GettablePlace,
): ClassifiedReference {
  const { kind, name, uid } = reference;
  const classified = (
    cls: ReferenceClass,
    outcome: LookupOutcome,
    rule: string,
    because: string,
  ): ClassifiedReference => ({ reference, class: cls, outcome, found, rule, because });
  const where = namespace === '' ? '' : ` in namespace ${namespace}`;
  const owner = graph.withUid(uid);
  // Of several objects of one name, as files of two clusters show them, it is the one with that uid.
  const isThere = owner !== undefined && graph.isAt(owner, type, namespace, name);
  const found = isThere ? owner : graph.at(type, namespace, name);
  if (found?.uid === '') {
    const because = `${kind} ${name} is a manifest without uid, so it is unknown whether it is this owner`;
    return classified('unknown', 'not-applied', 'GC-28', because);
  }
  if (found && (isThere || found.uid === uid)) {
    return isDeletingDependents(found)
      ? classified(
          'waiting',
          'found',
          'GC-27',
          `${kind} ${name} is being deleted in the foreground`,
        )
      : classified('solid', 'found', 'GC-27', `${kind} ${name} exists${where}`);
  }
  if (found) {
    return classified('dangling', 'other-uid', 'GC-28', otherUidThere(reference, namespace));
  }
  const isRead = isCovered(graph, type, namespace, name);
  // Some servers show one object under two groups; only its kind and coordinates are the same.
  const isTwin =
    owner?.type.kind === type.kind && owner.namespace === namespace && owner.name === name;
  // A uid belongs to one object only: known elsewhere, it cannot be here as well, read or not.
  if (owner && !isTwin) {
    const because = isRead
      ? `${nothingThere(reference, namespace)}; the uid belongs to another object`
      : uidElsewhere(reference, namespace);
    return classified('dangling', 'elsewhere', 'GC-28', because);
  }
  return isRead
    ? classified('dangling', 'absent', 'GC-27', nothingThere(reference, namespace))
    : classified('unknown', 'not-read', 'GC-27', `${kind} objects${where} were not read`);
}

/** Events are the same objects under both of their groups, so reading one of these is enough. */
function isCovered(graph: Graph, type: ResourceType, namespace: string, name: string): boolean {
  if (!isEventType(type)) return graph.coverage.covers(type, namespace, name);
  const twins = graph.snapshot.types.all.filter(isEventType);
  return twins.some((twin) => graph.coverage.covers(twin, namespace, name));
}
