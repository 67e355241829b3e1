import { describe, expect, test } from 'vitest';
import {
  playRequests,
  simulationReport,
  whatFollows,
} from '../../../src/questions/simulate/document.ts';
import { parseRequests } from '../../../src/questions/simulate/scenario.ts';
import { simulate } from '../../../src/simulator/simulate.ts';
import { namespace } from '../../support/blockade.ts';
import { blocking, configMap, ownedBy, servedRecords, snapshotOf } from '../../support/builders.ts';
import { webhook } from '../../support/reported-clusters/parts.ts';

test('an object that is undetermined without the requests, too, is no consequence of them', () => {
  const ending = configMap('ending', { deleting: 'foreground', finalizers: ['orphan'] });
  const owned = configMap('owned', { ownerReferences: [ownedBy(ending, blocking)] });
  const snapshot = snapshotOf([ending, owned]);
  const name = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'owned' };
  const report = (requests: readonly object[]) => {
    const clock = { now: Date.parse('2026-02-01T00:00:00Z') };
    const sent = parseRequests(requests, 'requests');
    return simulationReport(snapshot, simulate(snapshot, sent, {}, clock));
  };
  const asked = report([{ verb: 'delete', propagationPolicy: 'Orphan', ...name }]);
  const without = report([]);
  expect(asked.undetermined.map(({ object }) => object.name)).toEqual(['ending']);
  expect(without.undetermined.map(({ object }) => object.name)).toEqual(['ending']);
  expect(asked.undetermined).not.toEqual(without.undetermined);
  expect(whatFollows(asked, without).undetermined).toEqual([]);
});

describe('a webhook without a server refuses deletions in a simulation', () => {
  const rule = { apiGroups: [''], resources: ['configmaps'] };
  const records = servedRecords([
    webhook('guarding', rule, ['DELETE'], 'shop'),
    namespace('shop', { labels: { 'kubernetes.io/metadata.name': 'shop' } }),
  ]);
  const garbage = configMap('garbage', { ownerReferences: [ownedBy(configMap('gone'))] });
  const snapshot = snapshotOf([...records, garbage]);
  const played = (requests: readonly object[]) => {
    const sent = parseRequests(requests, 'requests');
    const clock = { now: Date.parse('2026-02-01T00:00:00Z') };
    return simulationReport(snapshot, playRequests(snapshot, sent, {}, clock));
  };
  const left = ({ objects }: ReturnType<typeof played>) =>
    objects.flatMap(({ kind, metadata }) => (kind === 'ConfigMap' ? metadata.name : []));

  test('of the garbage collector, which tries in vain', () => {
    expect(left(played([]))).toEqual(['garbage']);
  });

  test('of users, who get the error of the API server', () => {
    const name = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'garbage' };
    const { replies } = played([{ verb: 'delete', ...name }]);
    expect(replies.map(({ code, reason }) => [code, reason])).toEqual([[500, 'InternalError']]);
  });

  test('until its configuration is deleted', () => {
    const [apiVersion, kind] = [
      'admissionregistration.k8s.io/v1',
      'ValidatingWebhookConfiguration',
    ];
    expect(left(played([{ verb: 'delete', apiVersion, kind, name: 'guarding' }]))).toEqual([]);
  });
});
