import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { orphansReport } from '../../../src/output/documents/orphans.ts';
import type { RenderOptions } from '../../../src/output/style.ts';
import { orphansTable } from '../../../src/output/tables/orphans-table.ts';
import {
  configMap,
  graphOf,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
} from '../../support/builders.ts';

const now = Date.parse('2026-01-03T00:00:00Z');
const plain: RenderOptions = { colour: false, width: undefined, now };
const live = replicaSet('live');
const waiting = replicaSet('waiting', { deleting: 'foreground' });
const gone = ownedByGone('apps/v1 ReplicaSet gone');
const both = { ownerReferences: [ownedBy(waiting), gone] };
const subject = secret('deep', both);

const report = orphansReport(
  graphOf([
    live,
    waiting,
    subject,
    pod('below', { ownerReferences: [ownedBy(subject)] }),
    pod('alone', { ownerReferences: [gone] }),
    configMap('kept', { ownerReferences: [ownedBy(live), gone] }),
    configMap('loose', { ownerReferences: [ownedBy(live), ownedBy(waiting), gone] }),
    configMap('frozen', { ownerReferences: [ownedByGone('a.example.com/v1 A a')] }),
  ]),
  { unmanaged: true },
);

test('orphans are told with what the collector does', () => {
  expect(orphansTable(report, plain, false)).toMatchInlineSnapshot(`
    "NAMESPACE   NAME                 OWNERS         GC                    WHEN               AGE   BECAUSE
    shop        ConfigMap/frozen     unresolvable   frozen                never              2d    no API serves a.example.com/v1 A; while that reference stays, it is never deleted or changed
    shop        ConfigMap/kept       partly-gone    remove 1 reference    on the next pass   2d    ReplicaSet live exists in namespace shop, so only the other references are removed
    shop        ConfigMap/loose      partly-gone    remove 2 references   on the next pass   2d    ReplicaSet live exists in namespace shop, so only the other references are removed
    shop        Pod/alone            gone           delete                on the next pass   2d    there is no ReplicaSet gone in namespace shop
    shop        ReplicaSet/live      none           nothing               never              2d    it has no owner
    shop        ReplicaSet/waiting   none           nothing               never              2d    it has no owner
    shop        Secret/deep          partly-gone    delete (Foreground)   on the next pass   2d    ReplicaSet waiting is being deleted in the foreground; there is no ReplicaSet gone in namespace shop
    "
  `);
});

test('and with uid and rule when wide', () => {
  expect(orphansTable(report, plain, true)).toMatchInlineSnapshot(`
    "NAMESPACE   NAME                 OWNERS         GC                    WHEN               AGE   UID                           RULE       BECAUSE
    shop        ConfigMap/frozen     unresolvable   frozen                never              2d    uid-configmap-shop-frozen     GC-30      no API serves a.example.com/v1 A; while that reference stays, it is never deleted or changed
    shop        ConfigMap/kept       partly-gone    remove 1 reference    on the next pass   2d    uid-configmap-shop-kept       GC-22.11   ReplicaSet live exists in namespace shop, so only the other references are removed
    shop        ConfigMap/loose      partly-gone    remove 2 references   on the next pass   2d    uid-configmap-shop-loose      GC-22.11   ReplicaSet live exists in namespace shop, so only the other references are removed
    shop        Pod/alone            gone           delete                on the next pass   2d    uid-pod-shop-alone            GC-22.13   there is no ReplicaSet gone in namespace shop
    shop        ReplicaSet/live      none           nothing               never              2d    uid-replicaset-shop-live      GC-22.8    it has no owner
    shop        ReplicaSet/waiting   none           nothing               never              2d    uid-replicaset-shop-waiting   GC-22.8    it has no owner
    shop        Secret/deep          partly-gone    delete (Foreground)   on the next pass   2d    uid-secret-shop-deep          GC-22.12   ReplicaSet waiting is being deleted in the foreground; there is no ReplicaSet gone in namespace shop
    "
  `);
});

test('in colours the words are the same', () => {
  const table = orphansTable(report, { ...plain, colour: true }, false);
  expect(stripVTControlCharacters(table)).toBe(orphansTable(report, plain, false));
  expect(table).toContain('\u001b[31mdelete\u001b[39m');
  expect(table).toContain('\u001b[33mremove 1 reference\u001b[39m');
});
