import { expect, test } from 'vitest';
import { viewOf } from '../../src/controllers/cluster-view.ts';
import type { ObjectFacts } from '../../src/kube/object-record.ts';
import { timeToLive } from '../../src/programs/time-to-live.ts';
import { ago, decide, hour, timed } from '../controllers/decided.ts';
import {
  configMap,
  customType,
  type Details,
  objectOfType,
  snapshotOf,
} from '../support/builders.ts';

const kyverno = 'cleanup.kyverno.io/ttl';
const janitor = 'janitor/ttl';
const expires = 'janitor/expires';
const twin = 'k8s-ttl-controller.twin.sh/ttl';
const settings = (details: Details) =>
  configMap('settings', { creationTimestamp: ago(hour), ...details });
const backup = (facts: ObjectFacts, details: Details = {}) =>
  objectOfType(customType('backups.velero.io/v1 Backup'), 'settings', { facts, ...details });
const labelled = (value: string) => settings({ labels: { [kyverno]: value } });
const annotated = (key: string, value: string) => settings({ annotations: { [key]: value } });

// The clock stands at 2026-01-31T12:00:00Z, and the object is an hour old.
test.each([
  ['Kyverno: a duration', labelled('2h'), 'LIFE-1', 3600],
  ['Kyverno: a duration that is over', labelled('30m'), 'LIFE-1', 0],
  ['Kyverno: a date', labelled('2026-02-01'), 'LIFE-1', 12 * 3600],
  ['Kyverno: a time', labelled('2026-01-31T123000Z'), 'LIFE-1', 1800],
  ['kube-janitor: days', annotated(janitor, '1d'), 'LIFE-2', 23 * 3600],
  ['kube-janitor: weeks', annotated(janitor, '1w'), 'LIFE-2', (7 * 24 - 1) * 3600],
  ['kube-janitor: a time', annotated(expires, '2026-01-31T13:00:00Z'), 'LIFE-2', 3600],
  ['kube-janitor: a time without seconds', annotated(expires, '2026-01-31T13:00'), 'LIFE-2', 3600],
  ['Velero: a time', backup({ expiresAt: '2026-01-31T16:00:00Z' }), 'LIFE-4', 4 * 3600],
  ['Velero: a time that is over', backup({ expiresAt: '2026-01-31T11:00:00Z' }), 'LIFE-4', 0],
  ['k8s-ttl-controller: days and hours', annotated(twin, '1d12h'), 'LIFE-3', 35 * 3600],
])('an object may be deleted when its time is over: %s', (_, object, rule, seconds) => {
  expect(timed(timeToLive, [object])).toEqual([['settings', seconds, undefined]]);
  const [decision] = decide(timeToLive, [object]);
  expect([decision?.rule, decision?.confidence]).toEqual([rule, 'unknown']);
});

test.each([
  ['Kyverno knows no days', labelled('3d')],
  ['a value that is no time', labelled('forever')],
  ['an empty value', labelled('')],
  ['a date that does not exist', annotated(expires, '2026-13-40')],
  ['no label and no annotation', settings({})],
  ['a backup without an end', backup({})],
  ['an object that is being deleted', { ...labelled('1h'), deletionTimestamp: ago(0) }],
])('nothing is decided: %s', (_, object) => {
  expect(decide(timeToLive, [object])).toEqual([]);
});

test.each([
  ['an annotation that Kyverno reads as a label', annotated(kyverno, '1h'), 'LIFE-1'],
  [
    'a label that kube-janitor reads as an annotation',
    settings({ labels: { [janitor]: '1h' } }),
    'LIFE-2',
  ],
  ['a label of Kyverno', labelled('1h'), undefined],
])('a time in the wrong place has no effect: %s', (_, object, rule) => {
  expect(timeToLive.kept?.(viewOf(snapshotOf([object])), object)?.rule).toBe(rule);
});
