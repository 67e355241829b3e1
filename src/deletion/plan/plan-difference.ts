import {
  compareObjects,
  type ObjectReference,
  objectKey,
  referenceTo,
} from '../../kube/object-reference.ts';
import { parseApiVersion, printedKindOf } from '../../kube/resource-type.ts';
import type { Fate, Plan } from './plan.ts';
import { stateChange } from './target-state.ts';

/** One thing that is not as it was when the first plan was made. */
export type PlanChange =
  /** The deletion touches it now, and did not before. */
  | { readonly kind: 'appeared'; readonly object: ObjectReference; readonly after: Fate }
  /** The deletion touched it before, and does not any more. */
  | { readonly kind: 'vanished'; readonly object: ObjectReference; readonly before: Fate }
  | {
      readonly kind: 'other-fate';
      readonly object: ObjectReference;
      readonly before: Fate;
      readonly after: Fate;
    }
  /** Another object of that name; `object` is the present one. */
  | { readonly kind: 'replaced'; readonly object: ObjectReference; readonly uid: string }
  /** What the plan depends on of a target is not as it was. */
  | {
      readonly kind: 'changed';
      readonly object: ObjectReference;
      /** `resourceVersion`, where that is all that is known. */
      readonly what: string;
      readonly before: string;
      readonly after: string;
    }
  | { readonly kind: 'other-request'; readonly object: ObjectReference }
  | { readonly kind: 'other-cluster'; readonly before: string; readonly after: string };

/** What changed between two plans, by object, and the same in words, one line each. */
export interface PlanDifference {
  readonly changes: readonly PlanChange[];
  readonly words: readonly string[];
}

/**
 * Compares a plan with one made later. When they were made, why something happens and in which
 * wave is no difference; what is asked of whom and what becomes of it is.
 */
export function planDifference(before: Plan, after: Plan): PlanDifference {
  const changes: PlanChange[] = [];
  if (isOtherCluster(before, after)) {
    const { cluster } = before;
    changes.push({
      kind: 'other-cluster',
      before: cluster.server || cluster.uid,
      after: after.cluster.server || after.cluster.uid,
    });
  }
  const objects = [...objectChanges(before, after), ...requestChanges(before, after)];
  for (const change of objects.sort((a, b) => compareObjects(a.object, b.object))) {
    changes.push(change);
  }
  return { changes, words: changes.map(spell) };
}

type ObjectChange = Exclude<PlanChange, { kind: 'other-cluster' }>;

/** By uid where both know it: one cluster may be reached under several addresses. */
function isOtherCluster({ cluster: a }: Plan, { cluster: b }: Plan): boolean {
  return a.uid !== '' && b.uid !== '' ? a.uid !== b.uid : a.server !== b.server;
}

function objectChanges(before: Plan, after: Plan): ObjectChange[] {
  const changes: ObjectChange[] = [];
  const old = new Map(before.objects.map((object) => [objectKey(object), object]));
  const oldNames = new Map(before.objects.map((object) => [nameKey(object), object]));
  const now = new Set(after.objects.map(objectKey));
  const replaced = new Set<string>();
  for (const planned of after.objects) {
    const object = referenceTo(planned);
    const known = old.get(objectKey(planned));
    if (known) {
      if (known.fate !== planned.fate) {
        changes.push({ kind: 'other-fate', object, before: known.fate, after: planned.fate });
      } else if (known.then !== planned.then) {
        const [before, after] = [known, planned].map(({ fate, then = fate }) => then) as [
          Fate,
          Fate,
        ];
        changes.push({ kind: 'other-fate', object, before, after });
      }
      continue;
    }
    const namesake = oldNames.get(nameKey(planned));
    if (namesake && !now.has(objectKey(namesake))) {
      replaced.add(objectKey(namesake));
      changes.push({ kind: 'replaced', object, uid: namesake.uid });
    } else changes.push({ kind: 'appeared', object, after: planned.fate });
  }
  for (const planned of before.objects) {
    const key = objectKey(planned);
    if (now.has(key) || replaced.has(key)) continue;
    changes.push({ kind: 'vanished', object: referenceTo(planned), before: planned.fate });
  }
  return changes;
}

function requestChanges(before: Plan, after: Plan): ObjectChange[] {
  const old = new Map(before.requests.map((request) => [objectKey(request), request]));
  return after.requests.flatMap((request): ObjectChange[] => {
    const known = old.get(objectKey(request));
    if (!known) return [];
    const object = referenceTo(request);
    const isSame =
      known.propagationPolicy === request.propagationPolicy &&
      known.gracePeriodSeconds === request.gracePeriodSeconds;
    if (!isSame) return [{ kind: 'other-request', object }];
    if (known.dependsOn && request.dependsOn) {
      const change = stateChange(known.dependsOn, request.dependsOn);
      return change ? [{ kind: 'changed', object, ...change }] : [];
    }
    const { resourceVersion: earlier } = known;
    const { resourceVersion: later } = request;
    if (earlier === undefined || later === undefined || earlier === later) return [];
    return [{ kind: 'changed', object, what: 'resourceVersion', before: earlier, after: later }];
  });
}

function spell(change: PlanChange): string {
  if (change.kind === 'other-cluster') {
    return `the plan is for ${change.before}, and this is ${change.after}`;
  }
  const name = nameOf(change.object);
  switch (change.kind) {
    case 'appeared':
      return `${name} is new: ${change.after}`;
    case 'vanished':
      return `${name} is not touched any more (was: ${change.before})`;
    case 'other-fate':
      return `${name} would now be ${change.after} (was: ${change.before})`;
    case 'replaced':
      return `${name} was replaced: its uid is ${change.object.uid || 'unknown'} (was: ${change.uid || 'unknown'})`;
    case 'changed':
      return `${name} was changed: its ${change.what}: ${change.after} (was: ${change.before})`;
    case 'other-request':
      return `${name} is requested with other options`;
  }
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
