import { expect, test } from 'vitest';
import { findInvalidReferences } from '../../../src/audit/invalid-references.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import { hour } from '../../../src/kube/time.ts';
import { forecastReport } from '../../../src/questions/forecast/document.ts';
import { invalidReferencesReport } from '../../../src/questions/invalid-ownerrefs/document.ts';
import { remainingObjects, statusReport } from '../../../src/questions/status/document.ts';
import { stuckDeletionsReport } from '../../../src/questions/why/stuck-document.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import { buildGraph } from '../../../src/snapshot/graph/graph.ts';
import { headOf } from '../../../src/snapshot/snapshot.ts';
import { builderOf, configMap, ownedByGone, snapshotOf } from '../../support/builders.ts';

const now = Date.parse('2026-01-31T12:00:00Z');
const place = { connection: [], files: [] };
const at = '2026-01-31T12:00:00Z';

/** What is due, of garbage of which `stuck` hangs already. */
function dueWith(records: readonly ObjectRecord[], stuck: readonly ObjectRecord[]) {
  const snapshot = snapshotOf(records);
  const graph = buildGraph(snapshot);
  const forecast = forecastReport(snapshot, {
    ...{ now, within: hour, settings: defaultControllerSettings },
  });
  const none = stuckDeletionsReport([], headOf('Status', snapshot).coverage, at, place);
  const items = stuck.map((record) => {
    return { object: referenceTo(record), state: 'stuck' as const, since: at, blockers: [] };
  });
  const { due } = statusReport(
    {
      deletions: { ...none, items },
      forecast,
      references: invalidReferencesReport(graph, findInvalidReferences(graph)),
      remaining: [],
      health: 'files: unknown',
    },
    { within: '1h', namespace: undefined, place },
  );
  return [due.total, ...due.controllers.map(({ controller, count }) => [controller, count])];
}

test('a stuck deletion is not counted once more among what is due', () => {
  const ownerReferences = [ownedByGone('v1 ConfigMap gone')];
  const [one, two] = [configMap('one', { ownerReferences }), configMap('two', { ownerReferences })];
  expect(dueWith([one, two], [])).toEqual([2, ['garbage-collector', 2]]);
  expect(dueWith([one, two], [two])).toEqual([1, ['garbage-collector', 1]]);
});

test('a released volume is kept by its policy, or not deleted in spite of it', () => {
  const volume = (name: string, persistentVolumeReclaimPolicy: string, phase: string) =>
    builderOf('v1', 'PersistentVolume')(name, {
      namespace: '',
      facts: {
        ...{ persistentVolumeReclaimPolicy, phase, source: { csi: 'ebs.csi.aws.com' } },
        claimRef: { namespace: 'shop', name: `data-${name}`, uid: `uid-${name}` },
      },
    });
  const snapshot = snapshotOf([
    volume('kept', 'Retain', 'Released'),
    volume('left', 'Delete', 'Released'),
    volume('failed', 'Delete', 'Failed'),
    volume('bound', 'Delete', 'Bound'),
  ]);
  const forecast = forecastReport(snapshot, {
    ...{ now, within: hour, settings: defaultControllerSettings },
  });
  const classes = (namespace?: string) =>
    remainingObjects(snapshot, forecast, namespace).map((one) => `${one.class} ${one.count}`);
  expect(classes()).toEqual(['released-volumes 1', 'undeleted-volumes 2']);
  expect(classes('shop')).not.toContain('undeleted-volumes 2');
});

test('finished Pods are counted as the command deletes them, with evicted ones, unless all were evicted', () => {
  const ended = (name: string, reason?: string) =>
    builderOf('v1', 'Pod')(name, { facts: { phase: 'Failed', ...(reason && { reason }) } });
  const classes = (...pods: readonly ObjectRecord[]) => {
    const snapshot = snapshotOf(pods);
    const forecast = forecastReport(snapshot, {
      ...{ now, within: hour, settings: defaultControllerSettings },
    });
    const remaining = remainingObjects(snapshot, forecast, undefined);
    return remaining.map((one) => `${one.class} ${one.count} ${one.first.name}`);
  };
  const evicted = [ended('a', 'Evicted'), ended('b', 'Evicted')];
  expect(classes(...evicted)).toEqual(['evicted-pods 2 a']);
  expect(classes(...evicted, ended('c'))).toEqual(['evicted-pods 2 a', 'finished-pods 3 c']);
});

test('what remains of a kind is counted in full where another kind could not be read', () => {
  const done = builderOf('v1', 'Pod')('done', { facts: { phase: 'Succeeded' } });
  const isComplete = (resource: string) => {
    const problems = [{ reason: 'forbidden', message: '', resource }] as const;
    const snapshot = snapshotOf([done], { coverage: { problems } });
    const forecast = forecastReport(snapshot, {
      ...{ now, within: hour, settings: defaultControllerSettings },
    });
    return remainingObjects(snapshot, forecast, undefined).map(({ complete }) => complete);
  };
  expect([isComplete('secrets'), isComplete('pods')]).toEqual([[true], [false]]);
});
