import { expect, test } from 'vitest';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import type { Cause } from '../../../src/simulator/engine/causes.ts';
import {
  type RecordedStep,
  recordingTimeline,
  type Step,
  spelledStep,
} from '../../../src/simulator/engine/timeline.ts';
import { configMap } from '../../support/builders.ts';

const start = Date.parse('2026-01-03T00:00:00Z');
const told = { because: 'it is to go', rule: 'GC-1' };
const object = configMap('a');

test('a step says when, who, what and why, in milliseconds', () => {
  const steps: Step[] = [];
  let now = start;
  let write: Cause | undefined;
  const causes = { writeOf: () => write };
  const record = { push: (step: RecordedStep) => steps.push(spelledStep(step)) };
  const { note } = recordingTimeline(() => now, record, causes);
  note('user', 'delete', object, 'terminating', () => ({ ...told, policy: 'Foreground' }));
  now += 1_500;
  const nothing = { object: undefined, decided: undefined, cause: undefined };
  const before = { ...nothing, at: start, object: configMap('b'), from: start, to: start };
  write = { ...nothing, at: now, from: start, to: start + 89_001, cause: before };
  note('kubelet', 'delete', object, 'removed', () => told);
  write = { ...nothing, at: now, from: start, to: undefined };
  note('pod-garbage-collector-controller', 'delete', object, 'removed', () => told);
  const [at, notBefore] = ['2026-01-03T00:00:01.500Z', '2026-01-03T00:00:00Z'];
  const what = { verb: 'delete', object: referenceTo(object), ...told };
  const removed = { ...what, at, notBefore, result: 'removed' };
  expect(steps).toStrictEqual([
    {
      ...what,
      at: '2026-01-03T00:00:00.000Z',
      actor: 'user',
      policy: 'Foreground',
      result: 'terminating',
    },
    {
      ...removed,
      notAfter: '2026-01-03T00:01:30Z',
      follows: referenceTo(configMap('b')),
      actor: 'kubelet',
    },
    { ...removed, actor: 'pod-garbage-collector-controller' },
  ]);
});

test('a repeated refusal is recorded once for a controller, and each time for a user', () => {
  const steps: Step[] = [];
  const { note } = recordingTimeline(() => start, {
    push: (step) => steps.push(spelledStep(step)),
  });
  for (const name of ['a', 'a', 'b']) {
    note('namespace-controller', 'update', configMap(name), 'refused', () => told);
    note('user', 'update', configMap(name), 'refused', () => told);
  }
  note('namespace-controller', 'update', object, 'refused', () => ({
    ...told,
    because: 'it is held',
  }));
  note('namespace-controller', 'delete', object, 'refused', () => told);
  note('namespace-controller', 'update', object, 'changed', () => told);
  note('namespace-controller', 'update', object, 'changed', () => told);
  const lines = steps.map(
    ({ actor, verb, object: { name }, result }) => `${actor} ${verb} ${name} ${result}`,
  );
  expect(lines).toEqual([
    'namespace-controller update a refused',
    'user update a refused',
    'user update a refused',
    'namespace-controller update b refused',
    'user update b refused',
    'namespace-controller update a refused',
    'namespace-controller delete a refused',
    'namespace-controller update a changed',
    'namespace-controller update a changed',
  ]);
});
