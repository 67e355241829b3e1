import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { orphansAnswer } from '../../../src/output/answers/orphans.ts';
import { orphansReport } from '../../../src/output/documents/orphans.ts';
import type { RenderOptions } from '../../../src/output/style.ts';
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

test('orphans are told with what the collector does, when, and by which rule', () => {
  expect(orphansAnswer.table(report, plain, true)).toMatchInlineSnapshot(`
    "NAMESPACE   OBJECT               OWNERS            RESULT               AGE   WHEN               POLICY       UID                           RULE       REASON
    shop        ConfigMap/frozen     cannot be found   never deleted        2d    never                           uid-configmap-shop-frozen     GC-30      no API serves a.example.com/v1 A; while that reference stays, it is never deleted or changed
    shop        ConfigMap/kept       partly gone       loses a reference    2d    on the next pass                uid-configmap-shop-kept       GC-22.11   ReplicaSet live exists in namespace shop, so only the other references are removed
    shop        ConfigMap/loose      partly gone       loses 2 references   2d    on the next pass                uid-configmap-shop-loose      GC-22.11   ReplicaSet live exists in namespace shop, so only the other references are removed
    shop        Pod/alone            gone              will be deleted      2d    on the next pass   Background   uid-pod-shop-alone            GC-22.13   there is no ReplicaSet gone in namespace shop
    shop        ReplicaSet/live      none              stays                2d    never                           uid-replicaset-shop-live      GC-22.8    it has no owner
    shop        ReplicaSet/waiting   none              being deleted        2d    under way                       uid-replicaset-shop-waiting   GC-22.8    it has no owner, and it is already being deleted
    shop        Secret/deep          partly gone       will be deleted      2d    on the next pass   Foreground   uid-secret-shop-deep          GC-22.12   ReplicaSet waiting is being deleted in the foreground; there is no ReplicaSet gone in namespace shop
    "
  `);
});

test('in colours the words are the same', () => {
  const table = orphansAnswer.table(report, { ...plain, colour: true }, false);
  expect(stripVTControlCharacters(table)).toBe(orphansAnswer.table(report, plain, false));
  expect(table).toContain('\u001b[31mwill be deleted\u001b[39m');
  expect(table).toContain('\u001b[33mloses a reference\u001b[39m');
});
