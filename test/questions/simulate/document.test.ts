import { expect, test } from 'vitest';
import { simulationReport, whatFollows } from '../../../src/questions/simulate/document.ts';
import { parseRequests } from '../../../src/questions/simulate/scenario.ts';
import { simulate } from '../../../src/simulator/simulate.ts';
import { blocking, configMap, ownedBy, snapshotOf } from '../../support/builders.ts';

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
