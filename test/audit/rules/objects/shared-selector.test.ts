import { describe, expect, test } from 'vitest';
import { sharedSelector } from '../../../../src/audit/rules/workloads.ts';
import type { LabelSelector } from '../../../../src/kube/label-selector.ts';
import type { ObjectRecord } from '../../../../src/kube/object-record.ts';
import {
  type Build,
  builderOf,
  type Details,
  deployment,
  ownedBy,
  replicaSet,
} from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const daemonSet = builderOf('apps/v1', 'DaemonSet');
const app = { matchLabels: { app: 'web' } };
const selecting = (build: Build, name: string, selector: LabelSelector, details: Details = {}) =>
  build(name, { facts: { selector }, ...details });
const list =
  'kubectl get deployments,replicasets,statefulsets,daemonsets,replicationcontrollers,pods';

describe('workloads with one selector', () => {
  test('each name the other', () => {
    const records = [selecting(deployment, 'web', app), selecting(daemonSet, 'agent', app)];
    const message = 'its selector app=web is also that of';
    const command = `${list} -n shop -l app=web --show-labels`;
    expect(violationsOf(sharedSelector, records)).toEqual([
      {
        at: 'DaemonSet agent',
        message: `${message} Deployment web`,
        command,
        related: ['Deployment web'],
      },
      {
        at: 'Deployment web',
        message: `${message} DaemonSet agent`,
        command,
        related: ['DaemonSet agent'],
      },
    ]);
  });

  test('are known however they write it', () => {
    const matchExpressions = [{ key: 'app', operator: 'In', values: ['web'] }];
    const records = [
      selecting(deployment, 'a', app),
      selecting(deployment, 'b', { matchExpressions }),
    ];
    expect(violationsOf(sharedSelector, records)).toMatchObject([
      { at: 'Deployment a' },
      {
        at: 'Deployment b',
        message: 'its selector with expressions is also that of Deployment a',
        command: `${list} -n shop --show-labels`,
      },
    ]);
  });
});

const web = selecting(deployment, 'web', app);
test.each([
  ['in another namespace', selecting(deployment, 'next', app, { namespace: 'bank' })],
  [
    'with more labels',
    selecting(deployment, 'next', { matchLabels: { app: 'web', track: 'next' } }),
  ],
  [
    'controlled by it',
    selecting(replicaSet, 'web-1', app, { ownerReferences: [ownedBy(web, { controller: true })] }),
  ],
  ['being deleted', selecting(deployment, 'next', app, { deleting: 'background' })],
])('another is left alone that is %s', (_, other) => {
  expect(violationsOf(sharedSelector, [web, other])).toEqual([]);
});

test('those that select nothing share nothing', () => {
  expect(
    violationsOf(sharedSelector, [selecting(deployment, 'a', {}), selecting(deployment, 'b', {})]),
  ).toEqual([]);
});

test('objects of a cluster in several folders are of one cluster, unless manifests lie among them', () => {
  const at = (record: ObjectRecord, path: string) => ({ ...record, place: { path, line: 1 } });
  const captured = [
    at(web, 'dump/deployments/web.yaml'),
    at(selecting(daemonSet, 'agent', app), 'dump/daemonsets/agent.yaml'),
  ];
  const found = (records: readonly ObjectRecord[]) =>
    violationsOf(sharedSelector, records).flatMap((one) => ('at' in one ? one.at : []));
  expect(found(captured)).toEqual(['DaemonSet agent', 'Deployment web']);
  const other = { matchLabels: { app: 'other' } };
  const manifest = at({ ...selecting(deployment, 'other', other), uid: '' }, 'deploy/other.yaml');
  expect(found([...captured, manifest])).toEqual([]);
  const beside = at(selecting(deployment, 'next', app), 'dump/deployments/next.yaml');
  expect(found([...captured, beside, manifest])).toEqual(['Deployment next', 'Deployment web']);
});
