import { GcError, usageError } from '../errors.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import { distance } from '../kube/type-argument.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { hasSelector, type Selectors, selectorsOf } from './selectors.ts';
import type { NamedTarget } from './targets.ts';

export interface Selection {
  readonly targets: readonly NamedTarget[];
  /** Undefined looks in every namespace. */
  readonly namespace: string | undefined;
  readonly selectors: Selectors;
}

/**
 * The objects that the arguments name, in argument order, each once.
 * A name that is nowhere, or in several namespaces while none was given, is an error.
 */
export function selectObjects(snapshot: Snapshot, selection: Selection): ObjectRecord[] {
  const { targets, selectors } = selection;
  refuseNameAndSelector(targets, selectors);
  const matches = selectorsOf(selectors);
  const found = targets.flatMap((target) => {
    const namespace = target.namespace ?? selection.namespace;
    if (target.name !== undefined)
      return [findNamed(snapshot, target.type, target.name, namespace)];
    return ofType(snapshot, target.type, namespace).filter(matches);
  });
  return [...new Set(found)];
}

/** kubectl takes either names or a selector. */
export function refuseNameAndSelector(targets: readonly NamedTarget[], selectors: Selectors): void {
  if (hasSelector(selectors) && targets.some((target) => target.name !== undefined)) {
    throw usageError('name-and-selector', 'name cannot be provided when a selector is specified');
  }
}

function findNamed(
  snapshot: Snapshot,
  type: ResourceType,
  name: string,
  namespace: string | undefined,
): ObjectRecord {
  const candidates = ofType(snapshot, type, namespace);
  const found = candidates.filter((record) => record.name === name);
  const [first, second] = found;
  if (first && !second) return first;
  if (second) {
    throw usageError(
      'ambiguous-name',
      `${groupResourceOf(type)} "${name}" is in ${found.length} namespaces: ${found.map((record) => record.namespace).join(', ')}`,
      'Say which one with -n.',
    );
  }
  throw notFound(snapshot, type, name, candidates, namespace);
}

function notFound(
  snapshot: Snapshot,
  type: ResourceType,
  name: string,
  candidates: readonly ObjectRecord[],
  namespace: string | undefined,
): GcError {
  const resource = groupResourceOf(type);
  const where = namespace !== undefined && type.namespaced ? ` in namespace ${namespace}` : '';
  const unread = snapshot.coverage.problems.find((problem) => problem.resource === resource);
  if (unread) {
    return new GcError(`nobody can tell whether ${resource} "${name}" is${where || ' there'}`, {
      code: 'not-read',
      suggestions: [unread.message],
    });
  }
  const elsewhere = ofType(snapshot, type, undefined).filter((record) => record.name === name);
  const near = nearNames(name, candidates);
  return new GcError(`${resource} "${name}" not found${where}`, {
    code: 'not-found',
    suggestions: [
      ...(elsewhere.length > 0
        ? [`It is in namespace ${elsewhere.map((record) => record.namespace).join(', ')}: use -n.`]
        : []),
      ...(near.length > 0 ? [`Did you mean ${near.join(' or ')}?`] : []),
    ],
  });
}

function nearNames(name: string, candidates: readonly ObjectRecord[]): string[] {
  return candidates
    .map((record) => ({ record, off: distance(name, record.name) }))
    .filter(({ off }) => off <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.off - b.off)
    .slice(0, 3)
    .map(({ record }) => record.name);
}

function ofType(
  snapshot: Snapshot,
  type: ResourceType,
  namespace: string | undefined,
): ObjectRecord[] {
  const resource = groupResourceOf(type);
  return snapshot.records.filter(
    (record) =>
      groupResourceOf(record.type) === resource &&
      (namespace === undefined || !type.namespaced || record.namespace === namespace),
  );
}
