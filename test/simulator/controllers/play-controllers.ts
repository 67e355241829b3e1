import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import type { ResourceTypes } from '../../../src/kube/resource-types.ts';
import type { ControllerSettings } from '../../../src/settings/controller-settings.ts';
import type { SimulatedRequest } from '../../../src/simulator/api-server/request.ts';
import { type SimulationClock, simulate } from '../../../src/simulator/simulate.ts';
import { servedTypes, snapshotOf } from '../../support/builders.ts';

const now = Date.parse('2026-02-01T00:00:00Z');
/** A time so many seconds after the beginning. */
export const at = (seconds: number) =>
  new Date(now + seconds * 1000).toISOString().replace('.000', '');

interface Options {
  readonly requests?: readonly SimulatedRequest[];
  readonly settings?: Partial<ControllerSettings>;
  readonly clock?: Partial<SimulationClock>;
  readonly types?: ResourceTypes;
}

/** What collectors do, `12s pod-garbage-collector-controller delete web removed PG-16`, and what is left open. */
export function play(
  records: readonly ObjectRecord[],
  { requests = [], settings = {}, clock, types = servedTypes }: Options = {},
) {
  const simulation = simulate(
    snapshotOf(records, { types }),
    requests,
    { kubelets: false, ...settings },
    {
      now,
      ...clock,
    },
  );
  const { steps, objects, undetermined, ended } = simulation;
  return {
    steps: steps
      .filter(({ actor }) => actor !== 'user' && !actor.startsWith('garbage'))
      .map(({ at: time, actor, verb, object, policy, result, rule }) => {
        const seconds = Math.floor((Date.parse(time) - now) / 1000);
        const what = policy === undefined ? verb : `${verb}/${policy}`;
        return `${seconds}s ${actor} ${what} ${object.name} ${result} ${rule}`;
      }),
    left: objects.map(({ name }) => name),
    open: undetermined.map(({ object }) => object.name),
    ended,
  };
}

/** The same in lines: each step, what is left open, and how it ended: `quiet: web, db`, with what is left. */
export function told(...given: Parameters<typeof play>): string[] {
  const { steps, open, left, ended } = play(...given);
  const end = left.length > 0 ? `${ended}: ${left.join(', ')}` : ended;
  return [...steps, ...(open.length > 0 ? [`open: ${open.join(', ')}`] : []), end];
}
