import { describe, expect, it } from 'vitest';
import { mismatches, readRecording, simulateCase } from './recorded-case.ts';

const recordings = ['gc-curated', 'gc-11', 'gc-12', 'running-41', 'namespace-31'];

/** Random cases that once ended otherwise than simulated, or differently in two plays, among others. */
const differential = ['differential-running', 'differential-after', 'differential-namespace'];

describe.each([...recordings, ...differential])('what a real control plane did in %s', (name) => {
  const recording = readRecording(name);
  const played = recording.cases.map((one) => ({ one, simulation: simulateCase(recording, one) }));

  it('is what the simulation says, outside of what it calls undetermined', () => {
    const wrong = played.flatMap(({ one, simulation }) =>
      mismatches(one, simulation).map((mismatch) => `${one.id}: ${mismatch}`),
    );
    expect(wrong).toEqual([]);
  });

  it('is called undetermined wherever two plays ended differently', () => {
    const certain = played.filter(
      ({ one, simulation }) => one.otherFinal && simulation.undetermined.length === 0,
    );
    expect(certain.map(({ one }) => one.id)).toEqual([]);
  });
});

it('is undetermined in fewer than one recorded case in ten', () => {
  const all = recordings
    .map(readRecording)
    .flatMap((recording) =>
      recording.cases.map((one) => simulateCase(recording, one).undetermined.length),
    );
  expect(all.filter((count) => count > 0).length / all.length).toBeLessThan(0.1);
});

it('ends the same way every time', () => {
  const recording = readRecording('running-41');
  const once = recording.cases.map((one) => simulateCase(recording, one));
  const again = recording.cases.map((one) => simulateCase(recording, one));
  expect(again).toEqual(once);
});
