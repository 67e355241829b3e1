import { expect, test } from 'vitest';
import { snapshotInfo } from '../../../src/questions/snapshot/info-document.ts';
import { snapshotInfoAnswer } from '../../../src/questions/snapshot/info-text.ts';
import { pod, snapshotOf } from '../../support/builders.ts';

test('the content of a snapshot besides metadata is named', () => {
  const whole = snapshotOf([pod('web-1', { facts: { nodeName: 'a', phase: 'Running' } })], {
    evidence: { settings: {}, nodes: [], fieldManagers: {}, answers: [] },
  });
  expect(snapshotInfo(whole).holds).toEqual([
    'facts',
    'settings',
    'nodes',
    'field-managers',
    'answers',
  ]);
});

test('lists of different moments are shown with both', () => {
  const slow = snapshotOf([], {
    observedAt: '2026-01-03T00:01:00Z',
    observedFrom: '2026-01-03T00:00:00Z',
  });
  const table = snapshotInfoAnswer.tableOf(snapshotInfo(slow), {
    colour: false,
    width: 80,
    now: 0,
  });
  expect(table.split('\n')[0]).toBe('Taken:    2026-01-03T00:00:00Z to 2026-01-03T00:01:00Z');
});
