import {
  isDeletingDependents,
  type ObjectRecord,
  type OwnerReference,
} from '../../kube/object-record.ts';
import { leadsElsewhere, notAName } from '../../kube/path-segment.ts';
import { isEventType, type ResourceType } from '../../kube/resource-type.ts';
import type { Graph } from './graph.ts';

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
 * the owner is looked up by the reference's own version, kind and name in the dependent's
 * namespace, and must have exactly the reference's uid (GC-27, GC-28).
 */
export function classifyReference(
  graph: Graph,
  dependent: ObjectRecord,
  reference: OwnerReference,
): ClassifiedReference {
  const { apiVersion, kind, name, uid } = reference;
  const answer = (
    cls: ReferenceClass,
    outcome: LookupOutcome,
    rule: string,
    because: string,
    found?: ObjectRecord,
  ): ClassifiedReference => ({ reference, class: cls, outcome, found, rule, because });

  const mapping = graph.snapshot.types.mapKind(apiVersion, kind);
  if (mapping.kind === 'unknown') return answer('unknown', 'not-read', 'GC-29', mapping.because);
  if (mapping.kind === 'unserved') {
    const served = mapping.otherVersions.map((type) => type.version);
    return served.length > 0
      ? answer(
          'unresolvable',
          'unserved-version',
          'GC-30',
          `${apiVersion} does not serve ${kind}; ${served.join(', ')} of its group does, and the collector never tries another version`,
        )
      : answer('unresolvable', 'unserved-kind', 'GC-30', `no API serves ${apiVersion} ${kind}`);
  }

  const namespaced = mapping.kind === 'served' ? mapping.type.namespaced : mapping.namespaced;
  if (namespaced && !dependent.type.namespaced) {
    return answer(
      'unresolvable',
      'namespaced-owner-of-cluster-object',
      'GC-45',
      `${dependent.type.kind} is cluster-scoped, so there is no namespace in which to look for ${kind} ${name}`,
    );
  }
  if (mapping.kind === 'list-kind') {
    return answer(
      'dangling',
      'list-kind',
      'GC-29',
      `${kind} is a list, and a GET of one finds nothing`,
    );
  }

  const { type } = mapping;
  const namespace = type.namespaced ? dependent.namespace : '';
  const where = namespace === '' ? '' : ` in namespace ${namespace}`;
  if (!type.verbs.includes('get')) {
    return answer(
      'dangling',
      'not-gettable',
      'GC-29',
      `${kind} objects cannot be read back, so none is ever found`,
    );
  }
  if (leadsElsewhere(name)) return answer('unknown', 'not-read', 'GC-27', notAName(kind, name));
  const found = graph.at(type, namespace, name);
  if (found) {
    if (found.uid === '') {
      return answer(
        'unknown',
        'not-applied',
        'GC-28',
        `${kind} ${name} is a manifest without uid, so nobody can tell whether it is this owner`,
        found,
      );
    }
    if (found.uid === uid) {
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
    const recreated = graph.withUid(uid)
      ? ''
      : ': the owner was deleted, and one with the same name created';
    return answer(
      'dangling',
      'other-uid',
      'GC-28',
      `the ${kind} ${name}${where} has another uid${recreated}`,
      found,
    );
  }
  return classifyMissing(graph, reference, type, namespace, where, answer);
}

function classifyMissing(
  graph: Graph,
  { kind, name, uid }: OwnerReference,
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
  const owner = graph.withUid(uid);
  if (owner && !isServedTwice(owner, type, namespace, name)) {
    return answer(
      'dangling',
      'elsewhere',
      'GC-28',
      `the object with that uid is not the ${kind} ${name}${where}`,
    );
  }
  if (!isCovered(graph, type, namespace, name)) {
    return answer('unknown', 'not-read', 'GC-27', `${kind} objects${where} were not read`);
  }
  return answer('dangling', 'absent', 'GC-27', `there is no ${kind} ${name}${where}`);
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
