import { describe, expect, test } from 'vitest';
import { mismatches, readRecording, simulateCase } from './recorded-case.ts';

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
  const cases = recording.cases.map((one) => ({ one, simulation: simulateCase(recording, one) }));
  return { name, recording, cases };
});

describe.each(played)('what a real control plane did in $name', ({ cases }) => {
  test('is what the simulation says, outside of what it calls undetermined', () => {
    const wrong = cases.flatMap(({ one, simulation }) =>
      mismatches(one, simulation).map((mismatch) => `${one.id}: ${mismatch}`),
    );
    expect(wrong).toEqual([]);
  });

  test('is called undetermined wherever two plays ended differently', () => {
    const certain = cases.filter(
      ({ one, simulation }) => one.otherFinal && simulation.undetermined.length === 0,
    );
    expect(certain.map(({ one }) => one.id)).toEqual([]);
  });
});

test('is undetermined in fewer than one recorded case in ten', () => {
  const all = played
    .filter(({ name }) => recordings.includes(name))
    .flatMap(({ cases }) => cases.map(({ simulation }) => simulation.undetermined.length));
  expect(all.filter((count) => count > 0).length / all.length).toBeLessThan(0.1);
});

test('ends the same way every time', () => {
  const once = played.find(({ name }) => name === 'running-41');
  const again = once?.recording.cases.map((one) => simulateCase(once.recording, one));
  expect(again).toEqual(once?.cases.map(({ simulation }) => simulation));
});
