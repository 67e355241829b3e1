import { expect, test } from 'vitest';
import { allControllers } from '../../../src/controllers/registry.ts';
import { controllerReasons } from '../../../src/history/deletions/requester.ts';

/** These set taints and conditions, remove finalizers, create, adopt or release, and delete nothing. */
const deleteNothing = [
  'ephemeral-volume-controller',
  'node-lifecycle-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'podgroup-protection-controller',
  'service-cidr-controller',
  'volumeattributesclass-protection-controller',
];

test('every controller with a rule is recognized by its client, unless it deletes nothing', () => {
  const known = new Set(controllerReasons.map(({ controller }) => controller));
  const all = new Set(allControllers.flatMap(({ controllers }) => controllers));
  const unknown = [...all].filter((name) => !known.has(name) && !deleteNothing.includes(name));
  expect(unknown.sort()).toEqual([]);
});
