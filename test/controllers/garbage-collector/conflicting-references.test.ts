import { describe, expect, test } from 'vitest';
import { judge } from '../../../src/controllers/garbage-collector/judge.ts';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import {
  autoscaler,
  clusterRole,
  configMap,
  deployment,
  gadget,
  graphOf,
  ownedBy,
  pod,
  replicaSet,
} from '../../support/builders.ts';

/** The verdicts on objects that describe one owner differently, whoever is looked at first. */
function verdicts(records: readonly ObjectRecord[]): Record<string, string> {
  const told = (list: readonly ObjectRecord[]) => {
    const graph = graphOf(list);
    const owned = list.filter(({ ownerReferences }) => ownerReferences.length > 0);
    const entries = owned.map((record) => [record.name, judge(graph, record).action] as const);
    return Object.fromEntries(entries.sort());
  };
  const [there, back] = [told(records), told([...records].reverse())];
  expect(back).toEqual(there);
  return there;
}

function dependent(name: string, reference: OwnerReference, namespace = 'shop'): ObjectRecord {
  return configMap(name, { namespace, ownerReferences: [reference] });
}

const web = deployment('web');
const right = ownedBy(web);
const oldGroup = ownedBy(web, { apiVersion: 'extensions/v1beta1' });
const wrongKind = ownedBy(web, { apiVersion: 'v1', kind: 'Secret' });

describe('objects that describe one owner differently are each judged by their own words', () => {
  test.each<[string, ObjectRecord[], Record<string, string>]>([
    [
      'a living cluster-scoped owner is good for every namespace',
      [
        gadget('rack'),
        dependent('here', ownedBy(gadget('rack'))),
        dependent('there', ownedBy(gadget('rack')), 'bank'),
      ],
      { here: 'keep', there: 'keep' },
    ],
    [
      'a namesake abroad keeps nothing',
      [web, dependent('good', right), dependent('abroad', right, 'bank')],
      { abroad: 'delete', good: 'keep' },
    ],
    [
      'a cluster-scoped object is frozen, and does no harm to the others',
      [web, dependent('good', right), clusterRole('frozen', { ownerReferences: [right] })],
      { frozen: 'frozen', good: 'keep' },
    ],
    [
      'the same when the owner is gone',
      [dependent('good', right), clusterRole('frozen', { ownerReferences: [right] })],
      { frozen: 'frozen', good: 'delete' },
    ],
    [
      'a version that is served is as good as the preferred one',
      [
        autoscaler('scale'),
        dependent('v1', ownedBy(autoscaler('scale'), { apiVersion: 'autoscaling/v1' })),
        dependent('v2', ownedBy(autoscaler('scale'))),
      ],
      { v1: 'keep', v2: 'keep' },
    ],
    [
      'and when the owner is gone, both go',
      [
        dependent('v1', ownedBy(autoscaler('scale'), { apiVersion: 'autoscaling/v1' })),
        dependent('v2', ownedBy(autoscaler('scale'))),
      ],
      { v1: 'delete', v2: 'delete' },
    ],
    [
      'a group that is not served freezes one and keeps the other',
      [web, dependent('old', oldGroup), dependent('new', right)],
      { new: 'keep', old: 'frozen' },
    ],
    [
      'also when the owner is gone',
      [dependent('old', oldGroup), dependent('new', right)],
      { new: 'delete', old: 'frozen' },
    ],
    [
      'a wrong kind is absent, although the uid lives',
      [web, dependent('bad', wrongKind), dependent('good', right)],
      { bad: 'delete', good: 'keep' },
    ],
    [
      'all of them at once',
      [
        web,
        dependent('good', right),
        dependent('bad', wrongKind),
        dependent('old', oldGroup),
        dependent('abroad', right, 'bank'),
        dependent('renamed', ownedBy(web, { name: 'website' })),
        dependent('lower', ownedBy(web, { kind: 'deployment' })),
      ],
      {
        abroad: 'delete',
        bad: 'delete',
        good: 'keep',
        lower: 'keep',
        old: 'frozen',
        renamed: 'delete',
      },
    ],
  ])('%s', (_, records, expected) => {
    expect(verdicts(records)).toEqual(expected);
  });

  test('a chain is judged link by link', () => {
    const set = replicaSet('set', { ownerReferences: [wrongKind] });
    const leaf = pod('leaf', { ownerReferences: [ownedBy(set)] });
    expect(verdicts([web, set, leaf])).toEqual({ leaf: 'keep', set: 'delete' });
    expect(verdicts([web, leaf])).toEqual({ leaf: 'delete' });
  });
});
