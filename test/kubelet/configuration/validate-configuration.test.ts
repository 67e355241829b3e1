import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { defaultKubeletSettings } from '../../../src/kubelet/configuration/kubelet-settings.ts';
import { validateKubeletConfiguration } from '../../../src/kubelet/configuration/validate-configuration.ts';
import { rowsOf } from '../../support/rows.ts';

const head = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
const problemsOf = (fields: object) =>
  validateKubeletConfiguration({ ...head, ...fields }).problems;
const high = 'imageGCHighThresholdPercent (--image-gc-high-threshold)';
const low = 'imageGCLowThresholdPercent (--image-gc-low-threshold)';

test('an empty file has the defaults', () => {
  expect(validateKubeletConfiguration(head)).toEqual({
    settings: defaultKubeletSettings,
    problems: [],
  });
});

test('fields are read, durations in milliseconds', () => {
  const { settings, problems } = validateKubeletConfiguration({
    ...head,
    imageGCHighThresholdPercent: 70,
    imageGCLowThresholdPercent: 60,
    imageMinimumGCAge: '1m30s',
    imageMaximumGCAge: '72h',
    nodeStatusMaxImages: -1,
    evictionHard: { 'imagefs.available': '1Gi' },
    mergeDefaultEvictionSettings: true,
  });
  expect(problems).toEqual([]);
  expect(settings).toEqual({
    ...defaultKubeletSettings,
    images: {
      highThresholdPercent: 70,
      lowThresholdPercent: 60,
      minAge: 90_000,
      maxAge: 259_200_000,
    },
    nodeStatusMaxImages: -1,
    evictionHard: { ...defaultKubeletSettings.evictionHard, 'imagefs.available': '1Gi' },
  });
});

describe('what a kubelet does not start with', () => {
  const refused = rowsOf(`
    imageGCHighThresholdPercent: 101        | invalid configuration: HIGH 101 must be between 0 and 100, inclusive
    imageGCLowThresholdPercent: -1          | invalid configuration: LOW -1 must be between 0 and 100, inclusive
    imageGCLowThresholdPercent: 85          | invalid configuration: LOW 85 must be less than HIGH 85
    imageMinimumGCAge: -1s                  | invalid configuration: imageMinimumGCAge -1s must not be negative
    imageMaximumGCAge: -1s                  | invalid configuration: imageMaximumGCAge -1s must not be negative
    imageMaximumGCAge: 2m                   | invalid configuration: imageMaximumGCAge 2m0s must be greater than imageMinimumGCAge 2m0s
    nodeStatusMaxImages: -2                 | invalid configuration: nodeStatusMaxImages (--node-status-max-images) -2 must be -1 or greater
    imageMaximumGCAge: 3d                   | imageMaximumGCAge: time: unknown unit "d" in duration "3d"; there are no days: 72h is three of them
    imageMinimumGCAge: 120                  | json: cannot unmarshal number into FIELD.imageMinimumGCAge of type string
    evictionHard: {disk.free: 5%}           | unsupported eviction signal disk.free
    evictionHard: {imagefs.available: -5%}  | eviction percentage threshold imagefs.available must be >= 0%: -5%
    evictionHard: {imagefs.available: 105%} | eviction percentage threshold imagefs.available must be <= 100%: 105%
    evictionHard: {imagefs.available: -1Gi} | eviction threshold imagefs.available must be positive: -1Gi
    evictionSoft: {imagefs.available: 20%}  | grace period must be specified for the soft eviction threshold imagefs.available
    kind: {a: 1}                            | KIND cannot unmarshal object into Go struct field .kind of type string
    kind: [1]                               | KIND cannot unmarshal array into Go struct field .kind of type string
    apiVersion: {a: 1}                      | KIND cannot unmarshal object into Go struct field .apiVersion of type string
    apiVersion: [v1]                        | KIND cannot unmarshal array into Go struct field .apiVersion of type string
    {kind: Pod, apiVersion: v1}             | no kind "Pod" is registered for version "v1"
  `);
  test.each(refused)('%s', (fields = '', problem = '') => {
    const words = problem
      .replaceAll('HIGH', high)
      .replace('LOW', low)
      .replace('FIELD', 'Go struct field KubeletConfiguration')
      .replace('KIND', "couldn't get version/kind; json parse error: json:");
    expect(problemsOf(parse(fields))).toEqual([words]);
  });

  test('every fault of the thresholds is reported', () => {
    const fields = { imageGCHighThresholdPercent: -1, imageGCLowThresholdPercent: 101 };
    expect(problemsOf(fields)).toEqual([
      `invalid configuration: ${high} -1 must be between 0 and 100, inclusive`,
      `invalid configuration: ${low} 101 must be between 0 and 100, inclusive`,
      `invalid configuration: ${low} 101 must be less than ${high} -1`,
    ]);
  });

  test('something that is no mapping', () => {
    expect(validateKubeletConfiguration('nonsense').problems).toEqual([
      'a KubeletConfiguration is a mapping of fields',
    ]);
  });
});

test('a minimum age of 0 is the default', () => {
  const { settings } = validateKubeletConfiguration({ ...head, imageMinimumGCAge: '0s' });
  expect(settings.images.minAge).toBe(120_000);
});
