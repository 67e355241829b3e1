import type { PlannedObject } from '../../../src/deletion/plan/plan.ts';
import { TrackedObjects } from '../../../src/perform/follow/tracked-objects.ts';
import type { Happening } from '../../../src/perform/progress-event.ts';
import { servedTypes } from '../../support/builders.ts';

/** What follows objects, and what it tells: `web gone`, with the finalizers that it names. */
export function following(...objects: readonly PlannedObject[]) {
  const told: string[] = [];
  const emit = (event: Happening) => {
    if (event.type !== 'observed') return;
    const finalizers = event.finalizers === undefined ? '' : ` [${event.finalizers}]`;
    told.push(`${event.object.name} ${event.observation}${finalizers}`);
  };
  const tracked = new TrackedObjects(objects, servedTypes, emit);
  const the = (uid: string) => {
    const object = tracked.find(uid);
    if (!object) throw new Error(`${uid} is not followed`);
    return object;
  };
  return { tracked, told, the };
}
