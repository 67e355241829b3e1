import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildGraph } from '../../src/graph/graph.ts';
import { ownersReport, treeReport } from '../../src/reports/graph-report.ts';
import { invalidReferencesReport } from '../../src/reports/invalid-references.ts';
import { orphansReport } from '../../src/reports/orphans.ts';
import { snapshotInfo } from '../../src/reports/snapshot-info.ts';
import { findInvalidReferences } from '../../src/rules/find-invalid-references.ts';
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
