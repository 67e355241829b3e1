import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { findInvalidReferences } from '../../../src/audit/invalid-references.ts';
import { invalidReferencesReport } from '../../../src/output/documents/invalid-references.ts';
import type { RenderOptions } from '../../../src/output/style.ts';
import { invalidReferencesTable } from '../../../src/output/tables/invalid-references-table.ts';
import {
  blocking,
  clusterRole,
  configMap,
  graphOf,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
} from '../../support/builders.ts';

const plain: RenderOptions = { colour: false, width: undefined, now: 0 };
const web = replicaSet('web');
const gone = ownedByGone('apps/v1 ReplicaSet gone');
const graph = graphOf([
  web,
  pod('web-1', {
    ownerReferences: [gone],
    writers: [{ uid: gone.uid, manager: 'helm', operation: 'Update', time: undefined }],
  }),
  configMap('kept', { ownerReferences: [ownedBy(web), gone] }),
  clusterRole('reader', { ownerReferences: [ownedBy(web, blocking)] }),
]);
const report = invalidReferencesReport(graph, findInvalidReferences(graph));

test('findings are told with their consequence', () => {
  expect(invalidReferencesTable(report, plain, false)).toMatchInlineSnapshot(`
    "NAMESPACE   NAME                 CLASS                                OWNER             CONSEQUENCE                                              BECAUSE
                ClusterRole/reader   namespaced-owner-of-cluster-object   ReplicaSet/web    never collected, blocks a foreground deletion for ever   ClusterRole is cluster-scoped, so there is no namespace in which to look for ReplicaSet web
    shop        ConfigMap/kept       missing-owner                        ReplicaSet/gone   reference removed                                        there is no ReplicaSet gone in namespace shop
    shop        Pod/web-1            missing-owner                        ReplicaSet/gone   deleted on the next pass                                 there is no ReplicaSet gone in namespace shop
    "
  `);
});

test('and with writer, rule and fix when wide', () => {
  expect(invalidReferencesTable(report, plain, true)).toMatchInlineSnapshot(`
    "NAMESPACE   NAME                 CLASS                                OWNER             CONSEQUENCE                                              WRITTEN BY   RULE       FIX                                                                                                                                                                                                                                                         BECAUSE
                ClusterRole/reader   namespaced-owner-of-cluster-object   ReplicaSet/web    never collected, blocks a foreground deletion for ever   <unknown>    GC-45      remove the reference; let the owner delete it in a finalizer of its own                                                                                                                                                                                     ClusterRole is cluster-scoped, so there is no namespace in which to look for ReplicaSet web
    shop        ConfigMap/kept       missing-owner                        ReplicaSet/gone   reference removed                                        <unknown>    GC-22.11   remove the reference; another owner keeps the object                                                                                                                                                                                                        there is no ReplicaSet gone in namespace shop
    shop        Pod/web-1            missing-owner                        ReplicaSet/gone   deleted on the next pass                                 helm         GC-22.13   let it go: the garbage collector deletes it; or keep it: remove the reference; it then stays until it is deleted by hand, and nothing manages it: no ReplicaSet replaces it when it fails or its node goes, unless one with a matching selector adopts it   there is no ReplicaSet gone in namespace shop
    "
  `);
});

test('in colours the words are the same', () => {
  const table = invalidReferencesTable(report, { ...plain, colour: true }, false);
  expect(stripVTControlCharacters(table)).toBe(invalidReferencesTable(report, plain, false));
  expect(table).toContain('\u001b[31mdeleted on the next pass\u001b[39m');
  expect(table).toContain('\u001b[33mreference removed\u001b[39m');
  expect(table).toContain(
    '\u001b[35mnever collected, blocks a foreground deletion for ever\u001b[39m',
  );
});

test('without findings there is nothing', () => {
  expect(invalidReferencesTable(invalidReferencesReport(graph, []), plain, false)).toBe('');
});
