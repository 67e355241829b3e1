import type { ObjectRecord } from '../../kube/object-record.ts';
import {
  compareObjects,
  type ObjectReference,
  objectKey,
  referenceTo,
} from '../../kube/object-reference.ts';
import { parseApiVersion, printedKindOf } from '../../kube/resource-type.ts';
import type { DeletionIntent, Plan, PlannedObject, PlannedRequest, TargetState } from './plan.ts';

/**
 * One thing that is not as it was when the first plan was made, with a line for people. `appeared` and `vanished`: the
 * deletion touches it only now, or not any more. `changed`: what the plan depends on of a target.
 */
interface PlanChange {
  readonly kind:
    | 'other-cluster'
    | 'appeared'
    | 'vanished'
    | 'other-fate'
    | 'replaced'
    | 'changed'
    | 'other-request';
  readonly words: string;
}

interface ObjectChange extends PlanChange {
  readonly object: ObjectReference;
}

/**
 * Compares a plan with one made later. When they were made, why something happens and in which
 * wave is no difference; what is asked of whom and what becomes of it is.
 */
export function planDifference(before: Plan, after: Plan): PlanChange[] {
  const objects = [...objectChanges(before, after), ...requestChanges(before, after)];
  return [
    ...clusterChange(before, after),
    ...objects
      .sort((a, b) => compareObjects(a.object, b.object))
      .map(({ kind, words, object }) => ({ kind, words: `${nameOf(object)} ${words}` })),
  ];
}

/** By uid where both know it: one cluster may be reached under several addresses. */
function clusterChange({ cluster: a }: Plan, { cluster: b }: Plan): PlanChange[] {
  const isOther = a.uid !== '' && b.uid !== '' ? a.uid !== b.uid : a.server !== b.server;
  const words = `the plan is for ${a.server || a.uid}, and this is ${b.server || b.uid}`;
  return isOther ? [{ kind: 'other-cluster', words }] : [];
}

function objectChanges(before: Plan, after: Plan): ObjectChange[] {
  const old = new Map(before.objects.map((object) => [objectKey(object), object]));
  const oldNames = new Map(before.objects.map((object) => [nameKey(object), object]));
  const now = new Set(after.objects.map(objectKey));
  const replaced = new Set<string>();
  const changes = after.objects.flatMap((object): ObjectChange[] => {
    const known = old.get(objectKey(object));
    if (known) return fateChange(known, object);
    const namesake = oldNames.get(nameKey(object));
    if (!namesake || now.has(objectKey(namesake))) {
      return [{ kind: 'appeared', object, words: `is new: ${object.fate}` }];
    }
    replaced.add(objectKey(namesake));
    const words = `was replaced: its uid is ${object.uid || 'unknown'} (was: ${namesake.uid || 'unknown'})`;
    return [{ kind: 'replaced', object, words }];
  });
  const vanished = before.objects.flatMap((object): ObjectChange[] => {
    const key = objectKey(object);
    const words = `is not touched any more (was: ${object.fate})`;
    return now.has(key) || replaced.has(key) ? [] : [{ kind: 'vanished', object, words }];
  });
  return [...changes, ...vanished];
}

/** The immediate end, or else the end after finalizers are removed. */
function fateChange(known: PlannedObject, object: PlannedObject): ObjectChange[] {
  const isSame = known.fate === object.fate;
  if (isSame && known.then === object.then) return [];
  const [was, is] = [known, object].map(({ fate, then = fate }) => (isSame ? then : fate));
  return [{ kind: 'other-fate', object, words: `would now be ${is} (was: ${was})` }];
}

function requestChanges(before: Plan, after: Plan): ObjectChange[] {
  const old = new Map(before.requests.map((request) => [objectKey(request), request]));
  return after.requests.flatMap((object): ObjectChange[] => {
    const known = old.get(objectKey(object));
    if (!known) return [];
    const isSame =
      known.propagationPolicy === object.propagationPolicy &&
      known.gracePeriodSeconds === object.gracePeriodSeconds;
    if (!isSame)
      return [{ kind: 'other-request', object, words: 'is requested with other options' }];
    const change = targetChange(known, object);
    if (!change) return [];
    const words = `was changed: its ${change.what}: ${change.after} (was: ${change.before})`;
    return [{ kind: 'changed', object, words }];
  });
}

/** Of what the plan depends on; of the resourceVersion, where that is all that is known. */
function targetChange(
  before: PlannedRequest,
  after: PlannedRequest,
): ReturnType<typeof stateChange> {
  if (before.dependsOn && after.dependsOn) return stateChange(before.dependsOn, after.dependsOn);
  const { resourceVersion: was } = before;
  const { resourceVersion: is } = after;
  if (was === undefined || is === undefined || was === is) return undefined;
  return { what: 'resourceVersion', before: was, after: is };
}

function nameOf({ apiVersion, kind, namespace, name }: ObjectReference): string {
  const group = parseApiVersion(apiVersion)?.group ?? '';
  const where = namespace === '' ? '' : ` in namespace ${namespace}`;
  return `${printedKindOf({ group, kind })}/${name}${where}`;
}

/** The same for all objects of a name, whatever their uid. */
function nameKey(object: ObjectReference): string {
  return objectKey({ ...referenceTo(object), uid: '' });
}

/**
 * The state of a target that the plan depends on; undefined if its metadata does not show it: a target that was selected by
 * its fields is bound to its resourceVersion.
 */
export function targetStateOf(
  { finalizers, ownerReferences, deletionTimestamp, labels }: ObjectRecord,
  selectedBy: DeletionIntent['selectedBy'],
): TargetState | undefined {
  if (selectedBy === 'fields') return undefined;
  const owners = ownerReferences.map(
    ({ uid, blockOwnerDeletion }) => uid + (blockOwnerDeletion === true ? ' (blocking)' : ''),
  );
  return {
    finalizers: [...finalizers].sort(),
    owners: owners.sort(),
    terminating: deletionTimestamp !== undefined,
    ...(selectedBy === 'labels' && { labels: sorted(labels ?? {}) }),
  };
}

/** The same with its fields in alphabetical order. */
export function sorted<T extends object>(fields: T): T {
  const entries = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries) as T;
}

/** The first part that differs, with what it was and is, in words; undefined where nothing does. */
export function stateChange(
  before: TargetState,
  after: TargetState,
): { readonly what: string; readonly before: string; readonly after: string } | undefined {
  for (const field of ['finalizers', 'owners', 'terminating', 'labels'] as const) {
    if (before[field] === undefined) continue;
    const [was, is] = [JSON.stringify(before[field]), JSON.stringify(after[field])];
    if (was !== is) return { what: words[field], before: was ?? 'none', after: is ?? 'none' };
  }
  return undefined;
}

const words = {
  finalizers: 'finalizers',
  owners: 'owner references',
  terminating: 'deletion',
  labels: 'labels',
};
