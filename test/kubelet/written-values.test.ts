import { expect, test } from 'vitest';
import {
  diskOf,
  formatSize,
  triggerBytes,
  usagePercent,
} from '../../src/kubelet/images/disk-usage.ts';
import { fullName } from '../../src/kubelet/images/image-users.ts';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [10 * 2 ** 30, '10.0 GiB'],
  [2 ** 41, '2.0 TiB'],
  [2 ** 51, '2048.0 TiB'],
])('%d bytes', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test.each([
  ['nginx', 'docker.io/library/nginx:latest'],
  ['nginx:1', 'docker.io/library/nginx:1'],
  ['shop/web', 'docker.io/shop/web:latest'],
  ['localhost/web:2', 'localhost/web:2'],
  ['example.com:5000/web', 'example.com:5000/web:latest'],
  ['docker-pullable://example.com/web@sha256:0a', 'example.com/web@sha256:0a'],
])('the image name %j', (name, full) => {
  expect(fullName(name)).toBe(full);
});

test('usage is rounded up, so a pass is triggered below 16 % available with a threshold of 85', () => {
  const capacity = 1000;
  const usage = (available: number) => usagePercent({ capacity, available });
  expect([usage(1000), usage(999), usage(160), usage(159), usage(0)]).toEqual([0, 1, 84, 85, 100]);
  expect(triggerBytes(capacity, 85)).toBe(160);
  // Beyond 2 ** 53 when multiplied by 100.
  expect(usagePercent({ capacity: 2 ** 50, available: 2 ** 50 - 1 })).toBe(1);
});

test('a disk with more free than its capacity, and one without a capacity', () => {
  expect(diskOf(100, 200)).toEqual({ capacity: 100, available: 100 });
  expect(diskOf(100, undefined)).toEqual({ capacity: 100, available: 0 });
  expect(diskOf(undefined, 5)).toBeUndefined();
});
