import { expect, test } from 'vitest';
import { builderOf, node, pod } from '../../support/builders.ts';
import { planned } from './planned.ts';
import { namespace } from './told.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim')('data', {
  finalizers: ['kubernetes.io/pvc-protection'],
  facts: { phase: 'Bound' },
});
const host = node('a', { facts: { conditions: [{ type: 'Ready', status: 'True' }] } });
const user = pod('db-0', {
  facts: {
    nodeName: 'a',
    phase: 'Running',
    terminationGracePeriodSeconds: 45,
    volumes: [{ name: 'data', claimName: 'data' }],
  },
});

function becauseOf(
  records: Parameters<typeof planned>[0],
  target: Parameters<typeof planned>[1],
): string {
  const { objects } = planned(records, target);
  const one = objects.find(({ kind }) => kind === 'PersistentVolumeClaim');
  return `${one?.fate}: ${one?.because}`;
}

test('a claim in use says by which pod', () => {
  expect(becauseOf([host, user, claim], claim)).toMatch(
    /^terminating: requested; .*; used by Pod db-0; /,
  );
});

test('a claim that goes with its pod says how long that takes', () => {
  const shop = namespace('shop');
  expect(becauseOf([shop, host, user, claim], shop)).toMatch(
    /^deleted: .*; Pod db-0 uses it, and is gone within 50 s$/,
  );
});

test('a claim that no pod on a node uses says nothing of pods', () => {
  const waiting = { ...user, facts: { ...user.facts, nodeName: '' } };
  expect(becauseOf([host, waiting, claim], claim)).not.toContain('Pod db-0');
});
