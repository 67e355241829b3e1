import { expect, test } from 'vitest';
import { dueInGraph, treeReport, withOverdue } from '../../../src/questions/owners/document.ts';
import { configMap, graphOf, ownedBy, ownedByGone } from '../../support/builders.ts';

test('what the garbage collector should have deleted is overdue in a tree, and what stays is not', () => {
  const pinned = configMap('pinned', {
    ownerReferences: [ownedByGone('apps/v1 Deployment gone')],
  });
  const below = configMap('below', { ownerReferences: [ownedBy(pinned)] });
  const report = treeReport(graphOf([pinned, below]), [pinned]);
  expect([...dueInGraph(report)]).toEqual([pinned.uid]);
  const { nodes } = withOverdue(report);
  expect(nodes.map(({ name, gc }) => [name, gc?.overdue ?? false])).toEqual(
    expect.arrayContaining([
      ['pinned', true],
      ['below', false],
    ]),
  );
});
