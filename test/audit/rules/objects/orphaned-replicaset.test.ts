import { describe, expect, test } from 'vitest';
import { orphanedReplicaSet } from '../../../../src/audit/rules/workloads.ts';
import { type Details, deployment, ownedBy, replicaSet } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const labels = { app: 'web', 'pod-template-hash': '6c4' };
const left = (details: Details = {}) =>
  replicaSet('web-6c4', { labels, facts: { replicas: 2, statusReplicas: 1 }, ...details });
const web = (app: string) => deployment('web', { facts: { selector: { matchLabels: { app } } } });
const head = 'it has the label pod-template-hash of a Deployment, but no controller';

describe('a ReplicaSet without its Deployment', () => {
  test('keeps pods', () => {
    expect(violationsOf(orphanedReplicaSet, [left(), web('cart')])).toEqual([
      {
        at: 'ReplicaSet web-6c4',
        message: `${head}; replicas wanted: 2, there: 1`,
        command: 'kubectl delete replicaset.apps/web-6c4 -n shop',
      },
    ]);
  });

  test('has no pods', () => {
    const facts = { replicas: 0 };
    expect(violationsOf(orphanedReplicaSet, [left({ facts })])).toMatchObject([
      { message: `${head}; it has no pods`, severity: 'info' },
    ]);
  });
});

test('a Deployment of which only metadata was read may adopt it', () => {
  expect(violationsOf(orphanedReplicaSet, [left(), deployment('web')])).toEqual([
    { notChecked: 1, because: 'only metadata of deployments.apps was read' },
  ]);
});

test.each<[string, Details]>([
  ['has its Deployment', { ownerReferences: [ownedBy(deployment('web'), { controller: true })] }],
  ['was made by hand', { labels: { app: 'web' } }],
  ['is being deleted', { deleting: 'background' }],
  ['was never applied', { uid: '' }],
])('one is left alone that %s', (_, details) => {
  expect(violationsOf(orphanedReplicaSet, [left(details)])).toEqual([]);
});

test('one is left alone that a Deployment is about to adopt', () => {
  expect(violationsOf(orphanedReplicaSet, [left(), web('web')])).toEqual([]);
});

test('is not checked while Deployments were not read', () => {
  expect(violationsOf(orphanedReplicaSet, [left()], { unread: ['deployments.apps'] })).toEqual([
    { notChecked: 1, because: 'deployments.apps in shop were not read' },
  ]);
});
