import { describe, expect, test } from 'vitest';
import { ineffectiveImageGc } from '../../../../src/audit/rules/nodes.ts';
import { node } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const worker = node('worker-1');
const found = (configuration: object) =>
  violationsOf(ineffectiveImageGc, [worker], {
    kubelets: { read: [{ object: worker, configuration }], unread: [] },
  });

describe('settings that a kubelet does not start with', () => {
  test.each([
    [
      { imageGCHighThresholdPercent: 80, imageGCLowThresholdPercent: 80 },
      'invalid configuration: imageGCLowThresholdPercent (--image-gc-low-threshold) 80 must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) 80',
    ],
    [
      { imageMinimumGCAge: '2h', imageMaximumGCAge: '1h' },
      'invalid configuration: imageMaximumGCAge 1h0m0s must be greater than imageMinimumGCAge 2h0m0s',
    ],
    [
      { imageMaximumGCAge: '7d' },
      'imageMaximumGCAge: time: unknown unit "d" in duration "7d"; there are no days: 72h is three of them',
    ],
  ])('%o', (configuration, message) => {
    expect(found(configuration)).toEqual([
      {
        at: 'Node worker-1',
        message,
        command:
          'set the low threshold below the high one, which is at most 100, and the maximum age above the minimum',
        related: [],
        severity: 'error',
        consequence: 'the kubelet does not start with this configuration',
      },
    ]);
  });
});

test('a high threshold of 100 turns it off', () => {
  expect(found({ imageGCHighThresholdPercent: 100 })).toEqual([
    {
      at: 'Node worker-1',
      message:
        'imageGCHighThresholdPercent is 100 and imageMaximumGCAge is 0: image garbage collection does not run',
      command:
        'set imageGCHighThresholdPercent below 100, the default is 85, or an imageMaximumGCAge, in the KubeletConfiguration of worker-1',
      related: [],
    },
  ]);
});

test.each([
  ['the defaults', {}],
  ['a maximum age', { imageGCHighThresholdPercent: 100, imageMaximumGCAge: '168h' }],
  ['a fault that is not about images', { evictionSoft: { 'imagefs.available': '1%' } }],
])('settings are left alone: %s', (_, configuration) => {
  expect(found(configuration)).toEqual([]);
});

test('a kubelet that was not asked is told', () => {
  const unread = [{ object: worker, because: 'their kubelets gave no answer' }];
  const options = { kubelets: { read: [], unread } };
  expect(violationsOf(ineffectiveImageGc, [worker], options)).toEqual([
    { notChecked: 1, because: 'their kubelets gave no answer' },
  ]);
});
