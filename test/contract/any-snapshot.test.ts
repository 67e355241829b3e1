import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findInvalidReferences } from '../../src/audit/invalid-references.ts';
import { invalidReferencesReport } from '../../src/output/documents/invalid-references.ts';
import { orphansReport } from '../../src/output/documents/orphans.ts';
import { ownersReport, treeReport } from '../../src/output/documents/owners-and-tree.ts';
import { snapshotInfo } from '../../src/output/documents/snapshot-info.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import { anySnapshot } from '../support/any-snapshot.ts';
import { validatorOf } from './schemas.ts';

const validators = {
  owners: validatorOf('owners'),
  tree: validatorOf('tree'),
  orphans: validatorOf('orphans'),
  'invalid-ownerrefs': validatorOf('invalid-ownerrefs'),
  'snapshot-info': validatorOf('snapshot-info'),
};

test('whatever the cluster, every document is as published', () => {
  fc.assert(
    fc.property(anySnapshot(), (snapshot) => {
      const graph = buildGraph(snapshot);
      const documents = {
        owners: ownersReport(graph, snapshot.records),
        tree: treeReport(graph, snapshot.records),
        orphans: orphansReport(graph, { unmanaged: true }),
        'invalid-ownerrefs': invalidReferencesReport(graph, findInvalidReferences(graph)),
        'snapshot-info': snapshotInfo(snapshot),
      };
      for (const [name, validate] of Object.entries(validators)) {
        // Through JSON, as readers get it.
        validate(JSON.parse(JSON.stringify(documents[name as keyof typeof documents])));
        expect([name, validate.errors]).toEqual([name, null]);
      }
    }),
    { numRuns: 300 },
  );
});
