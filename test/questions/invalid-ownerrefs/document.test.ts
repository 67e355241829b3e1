import { expect, test } from 'vitest';
import { findInvalidReferences } from '../../../src/audit/invalid-references.ts';
import { invalidReferencesReport } from '../../../src/questions/invalid-ownerrefs/document.ts';
import { graphOf, ownedByGone, pod } from '../../support/builders.ts';

test('the writer of a reference may come from a caller that looked it up', () => {
  const gone = ownedByGone('apps/v1 ReplicaSet gone');
  const graph = graphOf([pod('web-1', { ownerReferences: [gone] })]);
  const writer = { uid: gone.uid, manager: 'velero-server', operation: 'Update', time: undefined };
  const { items } = invalidReferencesReport(graph, findInvalidReferences(graph), {
    managersOf: () => [writer],
  });
  expect(items.map((item) => item.writer)).toEqual([writer]);
});
