import fc from 'fast-check';
import { test } from 'vitest';
import { findInvalidReferences } from '../../src/audit/invalid-references.ts';
import { invalidReferencesReport } from '../../src/questions/invalid-ownerrefs/document.ts';
import { orphansReport } from '../../src/questions/orphans/document.ts';
import { ownersReport, treeReport } from '../../src/questions/owners/document.ts';
import { snapshotInfo } from '../../src/questions/snapshot/info-document.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import { anySnapshot } from '../support/any-snapshot.ts';
import { asPublished } from './valid-document.ts';

test('whatever the cluster, every document is as published', () => {
  fc.assert(
    fc.property(anySnapshot(), (snapshot) => {
      const graph = buildGraph(snapshot);
      asPublished('owners', ownersReport(graph, snapshot.records));
      asPublished('tree', treeReport(graph, snapshot.records));
      asPublished('orphans', orphansReport(graph, { unmanaged: true }));
      const wrong = invalidReferencesReport(graph, findInvalidReferences(graph));
      asPublished('invalid-ownerrefs', wrong);
      asPublished('snapshot-info', snapshotInfo(snapshot));
    }),
    { numRuns: 300 },
  );
});
