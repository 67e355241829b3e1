import { expect, test } from 'vitest';
import { defaultControllerSettings } from '../../../src/controllers/settings/controller-settings.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { SnapshotLogBuilder } from '../../../src/output/documents/snapshot-log.ts';
import {
  snapshotLogSummary,
  snapshotLogTable,
} from '../../../src/output/tables/snapshot-log-table.ts';
import { wholeText } from '../../../src/output/text.ts';
import {
  builderOf,
  configMap,
  deployment,
  ownedBy,
  type SnapshotOptions,
  snapshotOf,
} from '../../support/builders.ts';

const namespace = builderOf('v1', 'Namespace');
const web = deployment('web');
const flags = configMap('flags', { creationTimestamp: '2026-01-03T12:02:00Z' });

/** A snapshot every five minutes from noon on: what each holds. */
function logOf(...snapshots: readonly (readonly ObjectRecord[] | SnapshotOptions)[]) {
  const log = new SnapshotLogBuilder(() => defaultControllerSettings);
  for (const [at, one] of snapshots.entries()) {
    const observedAt = `2026-01-03T12:${String(at * 5).padStart(2, '0')}:00Z`;
    const isRead = Array.isArray(one);
    const snapshot = snapshotOf(isRead ? one : [], { observedAt, ...(isRead ? {} : one) });
    log.add(snapshot, `${at}.json`, flags);
  }
  const report = log.report();
  if (!report) throw new Error('nothing was added');
  return report;
}

const tableOf = (log: ReturnType<typeof logOf>) =>
  wholeText(snapshotLogTable(log, { colour: false, width: 80, now: 0 }, false));

test('the life of an object: it comes, changes, begins to be deleted, goes, and comes back', () => {
  const writers = [{ uid: web.uid, manager: 'helm', operation: 'Update', time: undefined }];
  const owned = { ...flags, ownerReferences: [ownedBy(web)], writers };
  const held = { ...owned, finalizers: ['example.com/a'] };
  const ending = {
    ...held,
    deletionTimestamp: '2026-01-03T12:17:30Z',
    deletionGracePeriodSeconds: 30,
  };
  const again = configMap('flags', { uid: 'again', creationTimestamp: '2026-01-03T12:29:00Z' });
  const log = logOf([web], [web, owned], [web, held], [ending], [], [], [again]);
  expect(log.items.map(({ after, before, change, at }) => [change, after, before, at])).toEqual([
    ['came', '2026-01-03T12:00:00Z', '2026-01-03T12:05:00Z', '2026-01-03T12:02:00Z'],
    ['changed', '2026-01-03T12:05:00Z', '2026-01-03T12:10:00Z', undefined],
    ['changed', '2026-01-03T12:10:00Z', '2026-01-03T12:15:00Z', '2026-01-03T12:17:00Z'],
    ['went', '2026-01-03T12:15:00Z', '2026-01-03T12:20:00Z', undefined],
    ['came', '2026-01-03T12:25:00Z', '2026-01-03T12:30:00Z', '2026-01-03T12:29:00Z'],
  ]);
  expect(tableOf(log)).toBe(`BETWEEN               AND                   CHANGE
2026-01-03T12:00:00Z  2026-01-03T12:05:00Z  came
    created at 2026-01-03T12:02:00Z; owned by Deployment/web (set by helm)
2026-01-03T12:05:00Z  2026-01-03T12:10:00Z  changed
    finalizer example.com/a added
2026-01-03T12:10:00Z  2026-01-03T12:15:00Z  changed
    being deleted; requested at 2026-01-03T12:17:00Z; garbage-collector: there
    is no Deployment web in namespace shop
2026-01-03T12:15:00Z  2026-01-03T12:20:00Z  went
    it was being deleted already
2026-01-03T12:25:00Z  2026-01-03T12:30:00Z  came
    created at 2026-01-03T12:29:00Z
`);
  expect(snapshotLogSummary(log)).toBe(
    '5 events in 7 snapshots from 2026-01-03T12:00:00Z to 2026-01-03T12:30:00Z.',
  );
});

test('an object that another one of its name replaced is said to be recreated, with the rule', () => {
  const owned = { ...flags, ownerReferences: [ownedBy(web)] };
  const again = configMap('flags', { uid: 'again', creationTimestamp: '2026-01-03T12:04:00Z' });
  const { items } = logOf([web, owned], [again]);
  expect(
    items.map(({ change, previousUid, reason }) => [change, previousUid, reason?.rule]),
  ).toEqual([
    ['found', undefined, undefined],
    ['recreated', flags.uid, 'GC-22.13'],
  ]);
});

test('it went with its namespace, which the snapshot before still had', () => {
  const shop = namespace('shop');
  const { items } = logOf([shop, flags], []);
  expect(items.at(-1)?.reason).toMatchObject({ collector: 'namespace', rule: 'GC-72' });
});

test('a snapshot that did not read the kind does not tell, and events lie between those beside it', () => {
  const log = logOf([flags], { unread: ['configmaps'] }, [], { unread: ['configmaps'] });
  expect(log.snapshots.map(({ state }) => state)).toEqual([
    'present',
    'not-read',
    'absent',
    'not-read',
  ]);
  expect(log.items.map(({ change, after, before }) => [change, after, before])).toEqual([
    ['found', undefined, '2026-01-03T12:00:00Z'],
    ['went', '2026-01-03T12:00:00Z', '2026-01-03T12:10:00Z'],
  ]);
  expect([log.coverage.complete, snapshotLogSummary(log)]).toEqual([
    false,
    '2 events in 4 snapshots from 2026-01-03T12:00:00Z to 2026-01-03T12:15:00Z; 2 snapshots did not read it.',
  ]);
});

test('files of two clusters, or in the wrong order, are refused', () => {
  const system = (uid: string) => namespace('kube-system', { uid });
  expect(() => logOf([system('one')], [flags], [system('two')])).toThrow(
    '2.json is of another cluster than the files before it',
  );
  expect(() => logOf([flags], { observedAt: '2026-01-03T11:00:00Z' })).toThrow(
    '1.json is older (2026-01-03T11:00:00Z) than 0.json (2026-01-03T12:00:00Z)',
  );
});
