import { describe, expect, test } from 'vitest';
import { endedPodsThreshold } from '../../../../src/audit/rules/pods.ts';
import type { ControllerSettings } from '../../../../src/controllers/settings/controller-settings.ts';
import { builderOf, pod } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const namespace = builderOf('v1', 'Namespace');
const ended = Array.from({ length: 10 }, (_, index) =>
  pod(`done-${index}`, {
    namespace: index < 7 ? 'shop' : 'bank',
    creationTimestamp: `2026-01-01T00:00:0${index}Z`,
    facts: { phase: index % 2 ? 'Failed' : 'Succeeded' },
  }),
);
const running = pod('web', { facts: { phase: 'Running' } });
const records = [...ended, running, namespace('shop'), namespace('bank')];
const found = (settings?: Partial<ControllerSettings>, unread: readonly string[] = []) =>
  violationsOf(endedPodsThreshold, records, { ...(settings && { settings }), unread });
const head = '10 pods of the cluster have ended, and its terminated-pod-gc-threshold is';

describe('ended pods', () => {
  test('are near the threshold', () => {
    expect(found({ terminatedPodGCThreshold: 11 })).toEqual([
      {
        at: 'Namespace shop',
        message: `${head} 11; namespace shop has 7 of them`,
        command: 'kubectl gc podgc-preview',
      },
    ]);
  });

  test('are above it, and some go', () => {
    expect(found({ terminatedPodGCThreshold: 8 })).toMatchObject([
      {
        message: `${head} 8; namespace shop has 7 of them, and the next pass deletes 2`,
        severity: 'warning',
        related: ['Pod done-0', 'Pod done-1'],
      },
    ]);
  });
});

test('a threshold that was not read is a guess', () => {
  const many = Array.from({ length: 11_250 }, (_, index) =>
    pod(`done-${index}`, { uid: `uid-${index}`, facts: { phase: 'Succeeded' } }),
  );
  expect(violationsOf(endedPodsThreshold, many)).toMatchObject([
    {
      at: 'Pod done-0',
      message:
        '11250 pods of the cluster have ended, and its terminated-pod-gc-threshold is 12500, which is the default; namespace shop has 11250 of them',
      confidence: 'likely',
    },
  ]);
});

test.each<[string, Partial<ControllerSettings>]>([
  ['far below', { terminatedPodGCThreshold: 12 }],
  ['without a threshold', { terminatedPodGCThreshold: 0 }],
  ['without the collector', { terminatedPodGCThreshold: 8, controllers: ['*', '-podgc'] }],
])('they are left alone: %s', (_, settings) => {
  expect(found(settings)).toEqual([]);
});

test('is not checked while pods were not read', () => {
  expect(found({ terminatedPodGCThreshold: 20 }, ['pods'])).toEqual([
    { notChecked: 10, because: 'pods were not read' },
  ]);
});
