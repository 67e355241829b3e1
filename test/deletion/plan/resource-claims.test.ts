import { expect, test } from 'vitest';
import { builderOf } from '../../support/builders.ts';
import { fates, planned } from './planned.ts';

const claim = builderOf('resource.k8s.io/v1', 'ResourceClaim');

test('a ResourceClaim that is allocated and that no pod is reserved for is freed when it is deleted', () => {
  const idle = claim('gpu', {
    finalizers: ['resource.kubernetes.io/delete-protection'],
    facts: { allocated: true, reservedFor: [] },
  });
  expect(fates(planned([idle], idle))).toEqual(['0 ResourceClaim gpu: deleted (GC-61)']);
});
