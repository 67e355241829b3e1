import { expect, test } from 'vitest';
import { oversizedOwnerReferences } from '../../../../src/audit/rules/objects/oversized-owner-references.ts';
import { configMap, ownedBy, pod } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

/** References of 100 bytes or so each. */
const sharedBy = (count: number) =>
  configMap('shared', {
    ownerReferences: Array.from({ length: count }, (_, n) => {
      const uid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
      return ownedBy(pod(`worker-${String(n).padStart(6, '0')}`), { uid });
    }),
  });

test.each([
  [5500, '542 KiB', {}],
  [10_500, '1036 KiB', { severity: 'error' }],
])('%s owners', (count, size, more) => {
  expect(violationsOf(oversizedOwnerReferences, [sharedBy(count)])).toEqual([
    {
      at: 'ConfigMap shared',
      message: `${count} owner references are about ${size}, of 1536 KiB that an object may have`,
      command:
        'kubectl gc invalid-ownerrefs configmaps -n shop --field-selector metadata.name=shared --fix',
      related: [],
      ...more,
    },
  ]);
});

test('a thousand owners have room', () => {
  expect(violationsOf(oversizedOwnerReferences, [sharedBy(1000)])).toEqual([]);
});
