import { describe, expect, test } from 'vitest';
import { releasedVolume } from '../../../../src/audit/rules/volumes.ts';
import { builderOf } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const volume = builderOf('v1', 'PersistentVolume');
const claim = builderOf('v1', 'PersistentVolumeClaim');
const claimRef = { namespace: 'shop', name: 'data', uid: 'uid-persistentvolumeclaim-shop-data' };
const released = (policy: string, since: string | undefined, changes: object = {}) =>
  volume('pv-1', {
    facts: {
      persistentVolumeReclaimPolicy: policy,
      claimRef,
      source: { csi: 'ebs.csi.aws.com' },
      phase: 'Released',
      ...(since !== undefined && { lastPhaseTransitionTime: since }),
      ...changes,
    },
  });

describe('a volume whose claim is gone', () => {
  test.each([
    ['2026-01-01T00:00:00Z', '2d'],
    [undefined, 'an unknown time'],
  ])('and that is kept, since %s', (since, words) => {
    expect(violationsOf(releasedVolume, [released('Retain', since)])).toEqual([
      {
        at: 'PersistentVolume pv-1',
        message: `its claim shop/data is gone; its reclaim policy is Retain, and it is Released for ${words}`,
        command: `kubectl patch persistentvolume/pv-1 --type=json -p '[{"op":"remove","path":"/spec/claimRef"}]'`,
      },
    ]);
  });

  test('and that its provisioner does not delete', () => {
    const found = violationsOf(releasedVolume, [released('Delete', '2026-01-02T00:00:00Z')]);
    expect(found).toEqual([
      {
        at: 'PersistentVolume pv-1',
        message:
          'its claim shop/data is gone; its reclaim policy is Delete, and it is Released for 24h: ebs.csi.aws.com has not deleted it',
        command: 'kubectl describe persistentvolume/pv-1',
        severity: 'warning',
        confidence: 'likely',
        consequence:
          'never collected, unless ebs.csi.aws.com runs and its backend lets it delete the volume',
      },
    ]);
  });
});

test.each([
  ['is bound', [released('Delete', '2026-01-01T00:00:00Z'), claim('data')]],
  ['is kept since today', [released('Retain', '2026-01-02T12:00:00Z')]],
  ['is about to go', [released('Delete', '2026-01-02T23:50:00Z')]],
  ['was never claimed', [released('Retain', undefined, { claimRef: undefined })]],
  ['nobody can delete', [released('Delete', undefined, { source: { nfs: true } })]],
])('a volume is left alone that %s', (_, records) => {
  expect(violationsOf(releasedVolume, records)).toEqual([]);
});

test('the phase tells where claims were not read', () => {
  const unread = ['persistentvolumeclaims'];
  expect(violationsOf(releasedVolume, [released('Retain', undefined)], { unread })).toMatchObject([
    {
      message:
        'its claim shop/data is gone, as its phase says; its reclaim policy is Retain, and it is Released for an unknown time',
    },
  ]);
  expect(
    violationsOf(releasedVolume, [released('Delete', undefined, { phase: 'Bound' })], { unread }),
  ).toEqual([]);
});
