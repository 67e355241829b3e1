import { expect, test } from 'vitest';
import { findInvalidReferences } from '../../../src/audit/invalid-references.ts';
import {
  invalidReferencesReport,
  withCollector,
} from '../../../src/questions/invalid-ownerrefs/document.ts';
import { configMap, graphOf, ownedByGone, pod, servedTypes } from '../../support/builders.ts';

test('the writer of a reference may come from a caller that looked it up', () => {
  const gone = ownedByGone('apps/v1 ReplicaSet gone');
  const graph = graphOf([pod('web-1', { ownerReferences: [gone] })]);
  const writer = { uid: gone.uid, manager: 'velero-server', operation: 'Update', time: undefined };
  const { items } = invalidReferencesReport(graph, findInvalidReferences(graph), {
    managersOf: () => [writer],
  });
  expect(items.map((item) => item.writer)).toEqual([writer]);
});

test('what the garbage collector should have deleted is overdue while some of it is refused', () => {
  const owned = { ownerReferences: [ownedByGone('apps/v1 Deployment gone')] };
  const graph = graphOf([configMap('pinned', owned)]);
  const report = invalidReferencesReport(graph, findInvalidReferences(graph));
  const overdueWhere = (health: 'works' | 'works-except') =>
    withCollector(
      report,
      { health, because: 'seen', overdue: 1, except: ['configmaps'] },
      servedTypes,
    ).items.map(({ object, overdue = false }) => [object.name, overdue]);
  expect(overdueWhere('works-except')).toEqual([['pinned', true]]);
  expect(overdueWhere('works')).toEqual([['pinned', false]]);
});
