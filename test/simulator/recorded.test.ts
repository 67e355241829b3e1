import { describe, expect, test } from 'vitest';
import type { Simulation } from '../../src/simulator/simulation.ts';
import { endedInTwoWays, mismatches, readRecording, simulateCase } from './recorded-case.ts';

const recordings = ['gc-curated', 'gc-11', 'gc-12', 'running-41', 'namespace-31'];

/** Random cases that once ended otherwise than simulated, or differently in two plays, among others. */
const differential = [
  'differential-running',
  'differential-after',
  'differential-namespace',
  'differential-namespace-running',
];

const played = [...recordings, ...differential].map((name) => {
  const recording = readRecording(name);
  const cases = recording.cases.map((one) => ({ id: one.id, one }));
  return { name, recording, cases };
});

/** By the name of the recording and the id of the case, once its test has run. */
const simulated = new Map<string, Simulation>();

describe.each(played)('what a real control plane did in $name', ({ name, recording, cases }) => {
  test.each(cases)('is what the simulation of $id says', ({ id, one }) => {
    const simulation = simulateCase(recording, one);
    simulated.set(`${name} ${id}`, simulation);
    // Outside of what the simulation calls undetermined.
    expect(mismatches(one, simulation)).toEqual([]);
    // Two plays ended differently: nothing certain may be said.
    if (one.otherFinal) expect(simulation.undetermined).not.toEqual([]);
  });
});

test('is undetermined in fewer than one recorded case in ten', () => {
  const all = played
    .filter(({ name }) => recordings.includes(name))
    .flatMap(({ name, cases }) => cases.map(({ id }) => simulated.get(`${name} ${id}`)));
  expect(all).not.toContain(undefined);
  const undetermined = all.filter((simulation) => simulation?.undetermined.length !== 0);
  // Two orders at least are named, each by the write that comes first in it.
  const reasons = undetermined.flatMap((simulation) => simulation?.undetermined ?? []);
  const unnamed = reasons.filter(({ because }) => because.split(', as when ').length < 3);
  expect(unnamed).toEqual([]);
  expect(undetermined.length / all.length).toBeLessThan(0.1);
});

// Second ends are rare: a proxy held requests and watches of the garbage collector up for seconds (docs/evidence/fidelity.md).
test('is undetermined only where the real control plane has ended in two ways', () => {
  const unproven = played
    .filter(({ name }) => recordings.includes(name))
    .flatMap(({ name, cases }) =>
      cases.flatMap(({ id, one }) => {
        const open = simulated.get(`${name} ${id}`)?.undetermined ?? [];
        const uids = open.map(({ object }) => object.uid);
        return uids.length === 0 || endedInTwoWays(one, uids) ? [] : `${name} ${id}`;
      }),
    );
  expect(unproven).toEqual([]);
});

test('ends the same way every time', () => {
  const running = played.find(({ name }) => name === 'running-41');
  expect(running?.cases.length).toBeGreaterThan(0);
  for (const { id, one } of running?.cases ?? []) {
    const again = running && simulateCase(running.recording, one);
    expect(again).toEqual(simulated.get(`running-41 ${id}`));
  }
});
