import { judge } from '../../src/controllers/garbage-collector/judge.ts';
import type { ObjectRecord, OwnerReference } from '../../src/kube/object-record.ts';
import type { Graph } from '../../src/snapshot/graph/graph.ts';
import {
  autoscaler,
  type Build,
  builderOf,
  configMap,
  gadget,
  node,
  ownedBy,
  ownedByGone,
  secret,
  widget,
} from '../support/builders.ts';
import type { Stage } from '../support/stage.ts';

const gone = ownedByGone('v1 Secret gone');
const serviceAccount = builderOf('v1', 'ServiceAccount');

/** A subject and one object that lives, from which its references are made. */
function withOwner(
  ownerBuild: Build,
  references: (owner: ObjectRecord) => readonly OwnerReference[],
  build: Build = configMap,
) {
  return ({ here }: Stage): ObjectRecord[] => {
    const owner = here(ownerBuild, 'owner');
    return [here(build, 'subject', references(owner)), owner];
  };
}

const alone =
  (build: Build, reference: OwnerReference) =>
  ({ here }: Stage): ObjectRecord[] => [here(build, 'subject', [reference])];

/**
 * How a Secret that lives is referred to, beside a reference to nobody, which tells what became of it: alone it
 * is removed, with a dangling one the object is deleted, with an unresolvable one nothing happens.
 */
const words: Readonly<Record<string, string>> = {
  'another group': 'example.com/v1 Widget',
  'lower case': 'v1 secret',
  'upper case': 'v1 SECRET',
  'mixed case': 'v1 sEcret',
  'the plural': 'v1 secrets',
  'a list': 'v1 SecretList',
  'a list in lower case': 'v1 secretlist',
  'a list of nothing': 'v1 List',
  'a list of nothing in lower case': 'v1 list',
  'a list of lists': 'v1 SecretListList',
  'a kind that is only created': 'v1 Binding',
  'a kind that only subresources have': 'autoscaling/v1 Scale',
  'a version that is not served': 'v2 Secret',
  'a group that is not served': 'gone.example.com/v1 Secret',
  'an old group of a kind': 'extensions/v1beta1 Deployment',
  'a version with an empty group': '/v1 Secret',
  'the internal version': '__internal Secret',
  'a malformed apiVersion': 'shop/v1/extra Secret',
  'no apiVersion': ' Secret',
  'no kind': 'v1 ',
};

/** Every spelling of a reference, by name: the object to judge comes first, then those that it needs. */
export const spellings: readonly (readonly [string, (stage: Stage) => readonly ObjectRecord[]])[] =
  [
    ...Object.entries(words).map(([title, spelling]) => {
      const [apiVersion = '', kind = ''] = spelling.split(' ');
      return [
        title,
        withOwner(secret, (owner) => [ownedBy(owner, { apiVersion, kind }), gone]),
      ] as const;
    }),
    [
      'a version that is served but not preferred',
      withOwner(autoscaler, (owner) => [ownedBy(owner, { apiVersion: 'autoscaling/v1' }), gone]),
    ],
    [
      'an owner in another namespace, and its namesake in this one',
      ({ here, elsewhere }) => {
        const owner = elsewhere(secret, 'owner');
        return [here(configMap, 'subject', [ownedBy(owner)]), owner, here(secret, 'owner')];
      },
    ],
    ['a cluster-scoped owner', withOwner(gadget, (owner) => [ownedBy(owner), gone])],
    ['a cluster-scoped owner that is gone', alone(configMap, ownedByGone('v1 Node n'))],
    [
      'on a cluster-scoped object, a list of a namespaced kind',
      alone(gadget, ownedByGone('v1 SecretList s')),
    ],
    [
      'on a cluster-scoped object, a namespaced owner under a cluster-scoped kind',
      withOwner(widget, (owner) => [ownedBy(owner, { apiVersion: 'v1', kind: 'Node' })], gadget),
    ],
    [
      'a kind without status, as any other',
      withOwner(
        serviceAccount,
        (owner) => [ownedBy(owner), ownedByGone('v1 ServiceAccount s')],
        secret,
      ),
    ],
    ['on a node, an owner that is gone', alone(node, ownedByGone('v1 Node n'))],
  ];

/** What the collector leaves of an object that we judge so. */
export function predicted(graph: Graph, record: ObjectRecord): string {
  const { action, references } = judge(graph, record);
  if (action === 'delete') return 'gone';
  if (action === 'unknown') return 'unknown';
  const solid = references.filter((reference) => reference.class === 'solid');
  const removed = references.filter((reference) => !solid.includes(reference));
  const uids = new Set(action === 'patch' ? removed.map(({ reference }) => reference.uid) : []);
  return told({
    ...record,
    ownerReferences: record.ownerReferences.filter(({ uid }) => !uids.has(uid)),
  });
}

/** An object as it is left. */
export function told({ ownerReferences: references, deletionTimestamp }: ObjectRecord): string {
  return `${deletionTimestamp ? 'terminating' : 'alive'}, owned by ${references.map(({ uid }) => uid).join(' and ') || 'nobody'}`;
}
