import { expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import { persistentVolumeReclaim } from '../../../src/controllers/volumes/persistentvolume-reclaim.ts';
import type { ObjectFacts } from '../../../src/kube/object-record.ts';
import { builderOf, type Details, snapshotOf } from '../../support/builders.ts';
import { decide, now } from '../decided.ts';

/** A volume whose claim is gone, and whose policy kube-controller-manager does not know. */
const scrubbed = (facts: ObjectFacts = {}, details: Details = {}) =>
  builderOf('v1', 'PersistentVolume')('pv', {
    facts: {
      claimRef: { namespace: 'shop', name: 'data', uid: 'gone' },
      persistentVolumeReclaimPolicy: 'Scrub',
      phase: 'Bound',
      source: { csi: 'disk.example.com' },
      ...facts,
    },
    ...details,
  });
const because =
  'its claim shop/data is gone, and its reclaim policy is Scrub, which kube-controller-manager does not know';
const migrated = { annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/aws-ebs' } };

test.each([
  ['fails, whatever its source', scrubbed(), ['Failed certain']],
  ['has failed already', scrubbed({ phase: 'Failed' }), []],
  ['may be gone before', scrubbed({}, { deleting: 'background' }), ['Failed likely']],
  ['is released where a driver has it', scrubbed({}, migrated), ['Released certain']],
])('a volume with an unknown policy %s (PV-4)', (_, volume, expected) => {
  const decided = decide(persistentVolumeReclaim, [volume]);
  const told = decided.map(({ patch, confidence }) => {
    const { phase } = (patch?.body.status ?? {}) as { phase?: string };
    return `${phase} ${confidence}`;
  });
  expect(told).toEqual(expected);
  for (const decision of decided) expect(decision.because).toBe(because);
});

test('it is listed among what no controller deletes', () => {
  const leftovers = (volume: ReturnType<typeof scrubbed>) =>
    persistentVolumeReclaim
      .leftovers?.(viewOf(snapshotOf([volume])), now)
      .map((one) => one.because);
  const since = { phase: 'Failed', lastPhaseTransitionTime: '2026-01-01T00:00:00Z' };
  expect(leftovers(scrubbed(since))).toEqual([`${because}, Failed since 2026-01-01T00:00:00Z`]);
  const recycled = scrubbed({ persistentVolumeReclaimPolicy: 'Recycle', source: { nfs: true } });
  expect(leftovers(recycled)).toEqual([]);
});
