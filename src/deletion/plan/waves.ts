import { type Next, relationsAmong } from './relations.ts';
import type { TouchedObject } from './touched-objects.ts';

/** When each object is touched, and because of which other one. */
export interface Waves {
  readonly waves: ReadonlyMap<TouchedObject, number>;
  /** What leads from a target to an object is the chain of its causes. */
  readonly causes: ReadonlyMap<TouchedObject, TouchedObject>;
}

/**
 * How many causes lie between a target and an object: a target is in wave 0, and an object of wave
 * n is touched because one of wave n - 1 is: it depends on it, lives in it, is defined by it or was applied by it, or,
 * where nothing of that leads to it, it waited for it. So waves tell in which order things begin.
 * With Foreground they end the other way round.
 */
export function wavesOf(touched: readonly TouchedObject[]): Waves {
  const relations = relationsAmong(touched);
  const { above } = relations;
  const below: Next<TouchedObject> = (object) => [
    ...relations.below(object),
    ...relations.delivered(object),
  ];
  const waves = new Map<TouchedObject, number>();
  const causes = new Map<TouchedObject, TouchedObject>();
  let wave = touched.filter(({ isTarget }) => isTarget);
  for (const object of wave) waves.set(object, 0);
  const reached = [...wave];
  spread(wave, below);
  // What holds an owner up may be what the deletion begins with.
  for (let at = 0; at < reached.length; at++) {
    const object = reached[at] as TouchedObject;
    wave = above(object).filter((owner) => !waves.has(owner));
    for (const owner of wave) enter(owner, object);
    spread(wave, below);
  }
  let last = 0;
  for (const at of waves.values()) last = Math.max(last, at);
  for (const object of touched) if (!waves.has(object)) waves.set(object, last + 1);
  return { waves, causes };

  function enter(object: TouchedObject, cause: TouchedObject): void {
    waves.set(object, (waves.get(cause) ?? 0) + 1);
    causes.set(object, cause);
    reached.push(object);
  }

  function spread(from: readonly TouchedObject[], next: Next<TouchedObject>): void {
    let front = [...from];
    while (front.length > 0) {
      const following: TouchedObject[] = [];
      for (const object of front) {
        for (const other of next(object)) {
          if (waves.has(other)) continue;
          enter(other, object);
          following.push(other);
        }
      }
      front = following;
    }
  }
}
