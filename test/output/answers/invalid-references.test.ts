import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { findInvalidReferences } from '../../../src/audit/invalid-references.ts';
import {
  invalidReferencesAnswer,
  invalidReferencesSummary,
} from '../../../src/output/answers/invalid-references.ts';
import { invalidReferencesReport } from '../../../src/output/documents/invalid-references.ts';
import type { RenderOptions } from '../../../src/output/style.ts';
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

test('findings are told with their consequence, writer, rule and fix', () => {
  expect(invalidReferencesAnswer.table(report, plain, true)).toMatchInlineSnapshot(`
    "NAMESPACE   OBJECT               PROBLEM               RESULT                                      CLASS                                OWNER             WRITTEN BY   RULE       FIX                                                                                                                                                                                                                                                         REASON
                ClusterRole/reader   owner is namespaced   never deleted; blocks foreground deletion   namespaced-owner-of-cluster-object   ReplicaSet/web    <unknown>    GC-45      remove the reference; let the owner delete it in a finalizer of its own                                                                                                                                                                                     ClusterRole is cluster-scoped, so there is no namespace in which to look for ReplicaSet web
    shop        ConfigMap/kept       owner is gone         loses a reference                           missing-owner                        ReplicaSet/gone   <unknown>    GC-22.11   remove the reference; another owner keeps the object                                                                                                                                                                                                        there is no ReplicaSet gone in namespace shop
    shop        Pod/web-1            owner is gone         will be deleted                             missing-owner                        ReplicaSet/gone   helm         GC-22.13   let it go: the garbage collector deletes it; or keep it: remove the reference; it then stays until it is deleted by hand, and nothing manages it: no ReplicaSet replaces it when it fails or its node goes, unless one with a matching selector adopts it   there is no ReplicaSet gone in namespace shop
    "
  `);
});

test('in colours the words are the same', () => {
  const table = invalidReferencesAnswer.table(report, { ...plain, colour: true }, false);
  expect(stripVTControlCharacters(table)).toBe(invalidReferencesAnswer.table(report, plain, false));
  expect(table).toContain('\u001b[31mwill be deleted\u001b[39m');
  expect(table).toContain('\u001b[33mloses a reference\u001b[39m');
  expect(table).toContain('\u001b[35mnever deleted; blocks foreground deletion\u001b[39m');
});

test('without findings there is nothing', () => {
  expect(invalidReferencesAnswer.table(invalidReferencesReport(graph, []), plain, false)).toBe('');
});

test('a pod that its Job left behind stays: pod garbage collection may delete it yet', () => {
  const owner = { uid: 'uid-import', name: 'import' };
  const left = pod('import-x7k2p', {
    labels: {
      'batch.kubernetes.io/controller-uid': owner.uid,
      'batch.kubernetes.io/job-name': owner.name,
    },
  });
  const graph = graphOf([left]);
  const items = findInvalidReferences(graph);
  const report = invalidReferencesReport(graph, items);
  expect(report.items.map(({ consequences }) => consequences)).toEqual([['never collected']]);
  const [, row = ''] = invalidReferencesAnswer.table(report, plain, false).split('\n');
  expect(row.split(/ {2,}/).slice(0, 4)).toEqual([
    'shop',
    'Pod/import-x7k2p',
    'left by its Job',
    'stays',
  ]);
  expect(invalidReferencesSummary(report)).toBe('1 problem: 1 stays.');
});
