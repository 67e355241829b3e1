import { expect, test } from 'vitest';
import { builderOf } from '../../support/builders.ts';
import { fatesOfPlan, planned } from './planned.ts';

const set = builderOf('apps/v1', 'StatefulSet')('db', {
  facts: { replicas: 1, volumeClaimTemplates: [{ name: 'data' }] },
});
const claim = builderOf('v1', 'PersistentVolumeClaim');

test('a StatefulSet recreates the claims of its ordinals, and none beyond its replicas', () => {
  const [used, beyond] = [claim('data-db-0'), claim('data-db-1')];
  expect(fatesOfPlan(planned([set, used, beyond], [used, beyond]))).toEqual([
    'data-db-0: recreated',
    'data-db-1: deleted',
  ]);
  expect(fatesOfPlan(planned([set, used], [set, used]))).toContain('data-db-0: deleted');
});
