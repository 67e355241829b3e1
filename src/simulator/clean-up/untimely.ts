import { timeOf } from '../../kube/timestamp.ts';
import type { Played } from '../play.ts';
import type { Scene } from '../scene.ts';
import { identityOf } from '../timeline.ts';
import type { Undetermined } from '../undetermined.ts';

/**
 * What collectors may or may not have done by the end, as only they know when they look next; and what
 * they leave to chance.
 */
export function untimely({ world: { state }, collectors }: Played, scene: Scene): Undetermined[] {
  const end = scene.now + scene.duration;
  return collectors.flatMap(({ collector: { controller }, timings, doubts }) => {
    const late = [...timings.values()].flatMap(({ object, from, to, done }): Undetermined[] => {
      const isOver = to !== undefined && end >= to;
      if (end < from || isOver || (!done && !state.current(object))) return [];
      const until = to === undefined ? 'on' : `to ${timeOf(to)}`;
      const because = `the outcome depends on when ${controller} acts, from ${timeOf(from)} ${until}: the simulation ends at ${timeOf(end)}`;
      return [{ object: identityOf(object), because }];
    });
    const open = doubts.flatMap(({ object, because, from }): Undetermined[] =>
      from <= end && state.current(object) ? [{ object: identityOf(object), because }] : [],
    );
    return [...late, ...open];
  });
}
