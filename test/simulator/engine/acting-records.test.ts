import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { actingAmong, type LinksOf } from '../../../src/simulator/engine/acting-records.ts';
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

/** What a change of `start` goes on to, where the homes in `going` go; and what is of one family with it. */
function actedOn(start: ObjectRecord, going: readonly ObjectRecord[] = []): unknown {
  const acting = actingAmong(all, (record) => going.includes(record), [linked]);
  const names = (some: readonly ObjectRecord[]) => some.map(({ name }) => name);
  const at = all.indexOf(start);
  const reached = acting.reachedFrom([at]);
  const family = all.filter((_, other) => acting.familyOf(other) === acting.familyOf(at));
  return [names(all.filter((_, other) => reached.has(other))), names(family)];
}

test.each<[string, ObjectRecord, readonly ObjectRecord[], string[], string[]]>([
  [
    'an owner on its dependents, level by level',
    web,
    [],
    ['web', 'web-1', 'web-1-a'],
    ['web', 'web-1', 'web-1-a'],
  ],
  ['no dependent on its owner', bound, [], ['web-1-a'], ['web', 'web-1', 'web-1-a']],
  ['what shares a link on each other', second, [], ['a', 'b'], ['a', 'b']],
  ['no home that stays on what it holds', worker, [], ['worker'], ['worker']],
  [
    'a Node that goes on its pods',
    worker,
    [worker],
    ['worker', 'web-1-a'],
    ['worker', 'web', 'web-1', 'web-1-a'],
  ],
  [
    'a namespace that goes on what is in it',
    namespace,
    [namespace],
    ['shop', 'web', 'web-1', 'web-1-a'],
    ['shop', 'web', 'web-1', 'web-1-a'],
  ],
  [
    'a definition that goes on its objects',
    definition,
    [definition],
    ['widgets.example.com', 'one'],
    ['widgets.example.com', 'one'],
  ],
  ['nothing else', alone, all, ['alone'], ['alone']],
])('acts %s', (_, start, going, reached, family) => {
  expect(actedOn(start, going)).toEqual([reached, family]);
});
