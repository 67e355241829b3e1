import { expect, test } from 'vitest';
import { audit } from '../../src/audit/audit.ts';
import { auditReport } from '../../src/questions/audit/document.ts';
import { allRules } from '../support/audit-options.ts';
import {
  blocking,
  deployment,
  graphOf,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
} from '../support/builders.ts';

test('an audit with all rules looks up by name only owners that are not found by uid', () => {
  const web = deployment('web');
  const set = replicaSet('web-1', {
    ownerReferences: [ownedBy(web, { controller: true, ...blocking })],
  });
  const gone = ownedByGone('apps/v1 ReplicaSet gone');
  const pods = ['a', 'b', 'c'].map((name) => pod(name, { ownerReferences: [ownedBy(set)] }));
  const lost = pod('lost', { ownerReferences: [gone] });
  const half = pod('half', { ownerReferences: [ownedBy(set), gone] });
  const graph = graphOf([web, set, ...pods, lost, half]);
  const asked: string[] = [];
  const at: typeof graph.at = (type, namespace, name) => {
    asked.push(name);
    return graph.at(type, namespace, name);
  };
  const options = allRules('2026-01-03T00:00:00Z');
  const counted = { ...graph, at };
  const { items } = auditReport(counted, audit(counted, options), options);
  expect(items.map(({ rule, object }) => `${rule} ${object.name}`)).toEqual([
    'missing-owner lost',
    'missing-owner half',
  ]);
  // Where an owner is gone, its fix looks once more for what could take its place.
  expect(asked).toEqual(Array(4).fill('gone'));
});
