import { isBeingDeleted } from '../kube/object-record.ts';
import type { Step } from '../simulator/timeline.ts';
import { heldObjects, removalOf } from './blockers.ts';
import { keyOf } from './object-key.ts';
import type { Fate, PlannedObject } from './plan.ts';
import type { PlayedDeletion } from './play-deletion.ts';
import { openEnds, type TouchedObject } from './touched-objects.ts';

/** What becomes of an object, and who decides it. */
export type Verdict = Pick<PlannedObject, 'fate' | 'because' | 'rule' | 'blockedBy'>;

/** Reads fates from what was played with the deletion and without it. */
export function fatesOf(
  touched: readonly TouchedObject[],
  played: Pick<PlayedDeletion, 'with' | 'without' | 'released'>,
): (object: TouchedObject) => Verdict {
  const keys = new Set(touched.map(({ key }) => key));
  const steps = stepsByObject(played.with.steps, keys);
  const stepsWithout = stepsByObject(played.without.steps, keys);
  const open = openEnds(played.with);
  const unread = new Set(played.with.unknown.map(({ object }) => keyOf(object)));
  const held = heldObjects(played.with);

  return (object) => {
    const { key, end, otherwise, isTarget } = object;
    const mine = steps.get(key) ?? noSteps;
    const because = open.get(key);
    if (because !== undefined)
      return verdict('unknown', because, unread.has(key) ? 'GC-29' : 'SIM-4');
    if (!end) return freed(goes(object, mine), played.released.get(key));
    if (isBeingDeleted(end)) {
      const { because: waits, blockedBy } = held(end);
      const began = mine.find(begins);
      const why = began ? `${began.because}; ${waits}` : `it is being deleted already; ${waits}`;
      return { ...verdict('terminating', why, began?.rule ?? 'GC-62'), blockedBy };
    }
    const refused = isTarget
      ? mine.find(({ result, actor }) => isRefused(result, actor))
      : undefined;
    if (refused) return verdict('kept', `the API server refuses: ${refused.because}`, refused.rule);
    const changed = mine.findLast(({ result }) => result === 'changed');
    const fate: Fate = end.ownerReferences.length > 0 || isTarget ? 'kept' : 'orphaned';
    if (changed) {
      const owners = end.ownerReferences.map(({ kind, name }) => `${kind} ${name}`);
      const also = owners.length > 0 ? `also owned by ${owners.join(', ')}; ` : '';
      return verdict(fate, also + changed.because, changed.rule);
    }
    const spared = stepsWithout.get(key)?.findLast(({ result }) => result !== 'refused');
    if (!otherwise && spared) {
      return verdict(
        fate,
        `it stays, and without this deletion it would go: ${spared.because}`,
        spared.rule,
      );
    }
    return verdict(fate, spared?.because ?? 'nothing happens to it', spared?.rule ?? 'GC-22.10');
  };
}

function goes({ otherwise, isTarget, record }: TouchedObject, steps: readonly Step[]): Verdict {
  const began = steps.find(begins);
  const last = steps.findLast(({ result }) => result === 'removed' || result === 'changed');
  if (began) {
    const ended = last && last !== began ? `; ${last.because}` : '';
    return verdict('deleted', began.because + ended, began.rule);
  }
  if (last) return verdict('deleted', `it is being deleted already; ${last.because}`, last.rule);
  if (isTarget && !otherwise && !isBeingDeleted(record)) {
    const because = 'the input holds another object of its name or its uid, and only one can exist';
    return verdict('unknown', because, 'GC-5');
  }
  return verdict('deleted', 'its deletion ends at once', 'GC-61');
}

/** Adds who takes off what the object was held by. */
function freed(verdict: Verdict, finalizers: readonly string[] = []): Verdict {
  const words = finalizers.map((name) => removalOf(name)).join('; ');
  return words === '' ? verdict : { ...verdict, because: `${verdict.because}; ${words}` };
}

function isRefused(result: Step['result'], actor: Step['actor']): boolean {
  return result === 'refused' && actor === 'user';
}

function begins({ result }: Step): boolean {
  return result === 'removed' || result === 'terminating';
}

function verdict(fate: Fate, because: string, rule: string): Verdict {
  return { fate, because, rule, blockedBy: [] };
}

const noSteps: readonly Step[] = [];

function stepsByObject(steps: readonly Step[], keys: ReadonlySet<string>): Map<string, Step[]> {
  const found = new Map<string, Step[]>();
  for (const step of steps) {
    const key = keyOf(step.object);
    if (!keys.has(key)) continue;
    const list = found.get(key);
    if (list) list.push(step);
    else found.set(key, [step]);
  }
  return found;
}
