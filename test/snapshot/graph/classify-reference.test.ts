import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { classifyReference } from '../../../src/snapshot/graph/classify-reference.ts';
import {
  autoscaler,
  clusterRole,
  customType,
  event,
  gadget,
  graphOf,
  objectOfType,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  type SnapshotOptions,
  secret,
  widget,
} from '../../support/builders.ts';

interface Around extends SnapshotOptions {
  readonly dependent?: ObjectRecord;
}

/** `solid, found uid-of-it (GC-27): …`, as it is said of a reference of an object among these. */
function look(
  reference: OwnerReference,
  others: readonly ObjectRecord[] = [],
  { dependent = pod('web-1'), ...options }: Around = {},
): string {
  const record = { ...dependent, ownerReferences: [reference] };
  const told = classifyReference(graphOf([record, ...others], options), record, reference);
  expect(told.reference).toBe(reference);
  const found = told.found ? ` ${told.found.uid}` : '';
  return `${told.class}, ${told.outcome}${found} (${told.rule}): ${told.because}`;
}

type Row = [
  name: string,
  reference: OwnerReference,
  others: readonly ObjectRecord[],
  told: string,
  around?: Around,
];
const web = replicaSet('web');

describe('a solid owner', () => {
  const scaler = autoscaler('web');
  const rack = gadget('rack');
  const rackExists = `solid, found ${rack.uid} (GC-27): Gadget rack exists`;
  const scheduled = event('web-1.scheduled');
  const webExists = `solid, found ${web.uid} (GC-27): ReplicaSet web exists in namespace shop`;
  const leaving = (deleting: 'background' | 'orphan') =>
    replicaSet('web', { deleting, finalizers: ['shop.example.com/drain'] });
  const armed = replicaSet('web', { finalizers: ['foregroundDeletion'] });
  test.each<Row>([
    ['lives at the coordinates of the reference and has its uid', ownedBy(web), [web], webExists],
    [
      'may be spelled in lower case',
      ownedBy(web, { kind: 'replicaset' }),
      [web],
      webExists.replace('ReplicaSet web', 'replicaset web'),
    ],
    [
      'may be named in another version that is served',
      ownedBy(scaler, { apiVersion: 'autoscaling/v1' }),
      [scaler],
      `solid, found ${scaler.uid} (GC-27): HorizontalPodAutoscaler web exists in namespace shop`,
    ],
    ['may be cluster-scoped', ownedBy(rack), [rack], rackExists],
    [
      'may be cluster-scoped, and owns objects of every namespace',
      ownedBy(rack),
      [rack],
      rackExists,
      { dependent: pod('teller', { namespace: 'bank' }) },
    ],
    [
      'may be cluster-scoped, as what it owns',
      ownedBy(rack),
      [rack],
      rackExists,
      { dependent: clusterRole('r') },
    ],
    [
      'may be an Event, under either of its groups',
      ownedBy(scheduled, { apiVersion: 'events.k8s.io/v1' }),
      [scheduled],
      `solid, found ${scheduled.uid} (GC-27): Event web-1.scheduled exists in namespace shop`,
    ],
    ['may be terminating (background)', ownedBy(web), [leaving('background')], webExists],
    ['may be terminating (orphan)', ownedBy(web), [leaving('orphan')], webExists],
    [
      'may carry the finalizer of a foreground deletion that was not requested',
      ownedBy(web),
      [armed],
      webExists,
    ],
  ])('%s', (_, reference, others, told, around) => {
    expect(look(reference, others, around)).toBe(told);
  });
});

test('a waiting owner is being deleted in the foreground', () => {
  expect(look(ownedBy(web), [replicaSet('web', { deleting: 'foreground' })])).toBe(
    `waiting, found ${web.uid} (GC-27): ReplicaSet web is being deleted in the foreground`,
  );
});

describe('a dangling reference leads to', () => {
  const blue = replicaSet('blue');
  const vault = secret('vault', { namespace: 'bank' });
  const asSecret = ownedBy(web, { apiVersion: 'v1', kind: 'Secret' });
  const otherUid = `dangling, other-uid ${web.uid} (GC-28): the ReplicaSet web in namespace shop has another uid`;
  const elsewhere = (text: string) =>
    `dangling, elsewhere (GC-28): there is no ${text}; the object with that uid is another`;
  const list = (
    kind: string,
    apiVersion: string,
    dependent: ObjectRecord,
  ): [OwnerReference, ObjectRecord[], string, Around] => [
    ownedBy(web, { apiVersion, kind }),
    [web],
    `dangling, list-kind (GC-29): ${kind} is a list, and a GET of one finds nothing`,
    { dependent },
  ];
  test.each<Row>([
    [
      'nothing',
      ownedByGone('apps/v1 ReplicaSet web'),
      [],
      'dangling, absent (GC-27): there is no ReplicaSet web in namespace shop',
    ],
    [
      'nothing in the cluster',
      ownedByGone('v1 Node node-a'),
      [],
      'dangling, absent (GC-27): there is no Node node-a',
    ],
    [
      'an object that was created again',
      ownedBy(web, { uid: 'uid-of-the-first' }),
      [web],
      `${otherUid}: the owner was deleted, and one with the same name created`,
    ],
    [
      'an object with another uid, while the one with that uid lives',
      ownedBy(blue, { name: 'web' }),
      [web, blue],
      otherUid,
    ],
    [
      'a wrong name',
      ownedBy(web, { name: 'wbe' }),
      [web],
      elsewhere('ReplicaSet wbe in namespace shop'),
    ],
    ['a wrong kind', asSecret, [web], elsewhere('Secret web in namespace shop')],
    ['another namespace', ownedBy(vault), [vault], elsewhere('Secret vault in namespace shop')],
    [
      'a wrong name of a kind that was not read, as a uid belongs to one object only',
      asSecret,
      [web],
      'dangling, elsewhere (GC-28): the object with that uid is not the Secret web in namespace shop',
      { unread: ['secrets'] },
    ],
    ['a list of pods', ...list('PodList', 'v1', pod('web-1'))],
    ['a list of anything', ...list('List', 'v1', pod('web-1'))],
    ['a list of a group, without a namespace', ...list('List', 'apps/v1', clusterRole('reader'))],
    ['a list of nodes, without a namespace', ...list('NodeList', 'v1', clusterRole('reader'))],
    [
      'a kind that can only be created',
      ownedByGone('v1 Binding web'),
      [],
      'dangling, not-gettable (GC-29): Binding objects cannot be read back, so none is ever found',
    ],
  ])('%s', (_, reference, others, told, around) => {
    expect(look(reference, others, around)).toBe(told);
  });
});

describe('an unresolvable reference names', () => {
  test.each([
    ['a kind that is not served', 'gone.example.com/v1 Gone'],
    ['a kind in upper case', 'v1 PODS'],
    ['a list in lower case', 'v1 podlist'],
    ['a kind that is only a request', 'v1 Scale'],
    ['an apiVersion that is none', 'shop/v1/extra Pod'],
  ])('%s: %s', (_, kind) => {
    expect(look(ownedByGone(`${kind} web`))).toBe(
      `unresolvable, unserved-kind (GC-30): no API serves ${kind}`,
    );
  });

  test('a version that is not served, even if the owner lives', () => {
    expect(look(ownedBy(web, { apiVersion: 'apps/v1beta2' }), [web])).toBe(
      'unresolvable, unserved-version (GC-30): apps/v1beta2 does not serve ReplicaSet; v1 of its group does, and the garbage collector never tries another version',
    );
  });

  test.each(['Widget', 'widget', 'WidgetList'])(
    'a namespaced kind, on a cluster-scoped object: %s',
    (kind) => {
      const cart = widget('cart');
      expect(look(ownedBy(cart, { kind }), [cart], { dependent: clusterRole('reader') })).toBe(
        `unresolvable, namespaced-owner-of-cluster-object (GC-45): ClusterRole is cluster-scoped, so there is no namespace in which to look for ${kind} cart`,
      );
    },
  );
});

describe('an unknown reference names', () => {
  const vault = ownedByGone('v1 Secret vault');
  const note = ownedByGone('events.k8s.io/v1 Event note');
  const notRead = 'unknown, not-read (GC-27)';
  const ofBank = { read: [{ resource: 'secrets', namespaces: ['bank'] }] };
  const nodeA = { read: [], asked: [{ resource: 'nodes', namespace: '', name: 'node-a' }] };
  const role = customType('roles.authorization.example.com/v1 Role');
  const reader = objectOfType(role, 'reader');
  test.each<Row>([
    [
      'a kind that was not read',
      vault,
      [],
      `${notRead}: Secret objects in namespace shop were not read`,
      { unread: ['secrets'] },
    ],
    [
      'a cluster-scoped kind that was not read',
      ownedByGone('v1 Node node-a'),
      [],
      `${notRead}: Node objects were not read`,
      { unread: ['nodes'] },
    ],
    [
      'a group whose discovery failed',
      ownedByGone('metrics.k8s.io/v1 PodMetrics web'),
      [],
      'unknown, not-read (GC-29): it has no server',
      {
        types: new ResourceTypes(builtInTypes, {
          failed: [{ group: 'metrics.k8s.io', version: undefined, message: 'it has no server' }],
          exhaustive: true,
        }),
      },
    ],
    [
      'a kind that the input does not speak of',
      ownedByGone('example.com/v1 Widget cart'),
      [],
      'unknown, not-read (GC-29): the input does not say whether example.com/v1 Widget is served',
      { types: new ResourceTypes(builtInTypes, { exhaustive: false }) },
    ],
    [
      'the second group of an object that is served under two, when only one was read',
      ownedBy(reader, { apiVersion: 'rbac.authorization.k8s.io/v1' }),
      [reader],
      `${notRead}: Role objects in namespace shop were not read`,
      {
        types: new ResourceTypes([...builtInTypes, role], { exhaustive: true }),
        unread: ['roles.rbac.authorization.k8s.io'],
      },
    ],
  ])('%s', (_, reference, others, told, around) => {
    expect(look(reference, others, around)).toBe(told);
  });

  test.each<[string, OwnerReference, Around, 'absent' | 'not-read']>([
    ['in the namespace of the object', vault, { coverage: ofBank }, 'not-read'],
    [
      'not, where it was read in that namespace',
      vault,
      { coverage: ofBank, dependent: pod('teller', { namespace: 'bank' }) },
      'absent',
    ],
    ['not Events, which were read in their new group', note, { unread: ['events'] }, 'absent'],
    ['not Events, read in the old one', note, { unread: ['events.events.k8s.io'] }, 'absent'],
    ['Events', note, { unread: ['events', 'events.events.k8s.io'] }, 'not-read'],
    [
      'not an object that was asked for by name',
      ownedByGone('v1 Node node-a'),
      { coverage: nodeA },
      'absent',
    ],
    ['another one of its kind', ownedByGone('v1 Node node-b'), { coverage: nodeA }, 'not-read'],
  ])('what was not read: %s', (_, reference, around, outcome) => {
    expect(look(reference, [], around)).toMatch(
      new RegExp(`^(dangling|unknown), ${outcome} \\(GC-27\\)`),
    );
  });

  test.each(['.', '..', 'a/b', '../secrets/vault', 'a%b'])(
    'what no object is called, so that the collector asks for another path: %s',
    (name) => {
      expect(look({ ...vault, name })).toBe(
        `${notRead}: no object can be called "${name}": the collector's request for this Secret goes to another path, and what it meets there was not read`,
      );
    },
  );

  test.each(['uid-of-somebody', ''])('a manifest that was never applied (uid %j)', (uid) => {
    const manifest = replicaSet('web', { uid: '' });
    expect(look(ownedBy(manifest, { uid }), [manifest])).toBe(
      'unknown, not-applied  (GC-28): ReplicaSet web is a manifest without uid, so it is unknown whether it is this owner',
    );
  });
});
