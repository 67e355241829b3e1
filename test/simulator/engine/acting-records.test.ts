import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { actingAmong, type LinksOf } from '../../../src/simulator/engine/acting-records.ts';
import { ownersAmong } from '../../../src/snapshot/graph/owners.ts';
import {
  builderOf,
  configMap,
  deployment,
  node,
  ownedBy,
  pod,
  replicaSet,
  widget,
} from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';

const namespace = builderOf('v1', 'Namespace')('shop');
const definition = builderOf(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
)('widgets.example.com');
const worker = node('worker');
const web = deployment('web');
const set = replicaSet('web-1', { ownerReferences: [ownedBy(web)] });
const bound = pod('web-1-a', {
  namespace: 'else',
  facts: { nodeName: 'worker', volumes: [] },
  ownerReferences: [ownedBy(set)],
});
const instance = widget('one', { namespace: 'else' });
const [first, second] = [configMap('a', { namespace: 'x' }), configMap('b', { namespace: 'y' })];
const alone = configMap('alone', { namespace: 'z' });
const all = [namespace, definition, worker, web, set, bound, instance, first, second, alone];

const linked: LinksOf = (record) => (record === first || record === second ? ['link'] : []);

/** A start, the homes that go, what a change of the start goes on to, and what is of one component with it. */
const rows = rowsOf(`
  an owner on its dependents, level by level | web | | web web-1 web-1-a | web web-1 web-1-a
  no dependent on its owner | web-1-a | | web-1-a | web web-1 web-1-a
  what shares a link on each other           | b                   |                     | a b                       | a b
  no home that stays on what it holds        | worker              |                     | worker                    | worker
  a Node that goes on its pods | worker | worker | worker web-1-a | worker web web-1 web-1-a
  a namespace that goes on what is in it | shop | shop | shop web web-1 web-1-a | shop web web-1 web-1-a
  a definition that goes on its objects | widgets.example.com | widgets.example.com | widgets.example.com one
      | widgets.example.com one
  nothing else                               | alone               | shop worker widgets.example.com | alone         | alone
`);
test.each(rows)('acts %s', (_, start = '', homes = '', reached = '', component = '') => {
  const going = homes.split(' ');
  const canDisappear = ({ name }: { readonly name: string }) => going.includes(name);
  const acting = actingAmong(all, { owners: ownersAmong(all), canDisappear, links: [linked] });
  const from = all.filter(({ name }) => name === start);
  const namesOf = (some: Iterable<ObjectRecord>) => {
    const names = [...some].map(({ name }) => name);
    return all.flatMap(({ name }) => (names.includes(name) ? name : [])).join(' ');
  };
  expect([namesOf(acting.affectedBy(from)), namesOf(acting.actingWith(from))]).toEqual([
    reached,
    component,
  ]);
  expect(acting.components().map(namesOf)).toContain(component);
});
