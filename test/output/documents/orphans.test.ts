import { describe, expect, test } from 'vitest';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import { type OrphansOptions, orphansReport } from '../../../src/output/documents/orphans.ts';
import {
  builderOf,
  clusterRole,
  configMap,
  type Details,
  event,
  graphOf,
  job,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  type SnapshotOptions,
  secret,
} from '../../support/builders.ts';
import { toolObject, toolTypes } from '../../support/delivery.ts';

const live = replicaSet('live');
const waiting = replicaSet('waiting', { deleting: 'foreground' });
const gone = ownedByGone('apps/v1 ReplicaSet gone');
const frozen = ownedByGone('gone.example.com/v1 Gone it');
const unread = ownedByGone('v1 Secret vault');

/** The pod's owners, what the collector does and when; `none` when it is no orphan. */
function fate(ownerReferences: readonly OwnerReference[], details: Details = {}): string {
  const record = pod('web-1', { ...details, ownerReferences });
  const [found] = short([record, live, waiting], { unread: ['secrets'] });
  return found?.replace('shop/web-1: ', '') ?? 'no orphan';
}

function short(
  records: readonly ObjectRecord[],
  options: SnapshotOptions & OrphansOptions = {},
): string[] {
  const { scope, unmanaged, ...rest } = options;
  const { items } = orphansReport(graphOf(records, rest), {
    ...(scope && { scope }),
    ...(unmanaged && { unmanaged }),
  });
  return items.map(
    ({ object, owners, gc }) =>
      `${object.namespace}/${object.name}: ${owners}, ${gc.policy ?? gc.action} ${gc.when}`,
  );
}

describe('an object is an orphan', () => {
  test.each<[string, OwnerReference[], string]>([
    ['not of an owner that lives', [ownedBy(live)], 'no orphan'],
    ['not yet of one that waits', [ownedBy(waiting)], 'no orphan'],
    ['of one that is gone', [gone], 'gone, Background on the next pass'],
    ['of two that are gone', [gone, ownedByGone('v1 Pod p')], 'gone, Background on the next pass'],
    ['partly, of one that lives', [gone, ownedBy(live)], 'partly-gone, patch on the next pass'],
    [
      'partly, of one that waits',
      [gone, ownedBy(waiting)],
      'partly-gone, Background on the next pass',
    ],
    ['of one that nobody serves', [frozen], 'unresolvable, frozen never'],
    [
      'of one that nobody serves, above all',
      [frozen, gone, unread, ownedBy(live)],
      'unresolvable, frozen never',
    ],
    ['perhaps, of one that was not read', [unread], 'unknown, unknown unknown'],
    ['perhaps, although another one is gone', [gone, unread], 'unknown, unknown unknown'],
    ['perhaps, although another one lives', [ownedBy(live), unread], 'unknown, unknown unknown'],
  ])('%s', (_, references, expected) => {
    expect(fate(references)).toBe(expected);
  });

  test('although another one with the same references has its owner', () => {
    const there = ownedBy(live);
    const records = [
      pod('web-1', { ownerReferences: [there] }),
      pod('web-2', { ownerReferences: [there] }),
      pod('web-3', { ownerReferences: [there], namespace: 'elsewhere' }),
      pod('web-4', { ownerReferences: [there], namespace: 'elsewhere' }),
      pod('web-5', { ownerReferences: [gone] }),
      pod('web-6', { ownerReferences: [gone] }),
      live,
    ];
    expect(short(records)).toEqual([
      'elsewhere/web-3: gone, Background on the next pass',
      'elsewhere/web-4: gone, Background on the next pass',
      'shop/web-5: gone, Background on the next pass',
      'shop/web-6: gone, Background on the next pass',
    ]);
  });

  test('while it is being deleted already', () => {
    expect(fate([gone], { deleting: 'background' })).toBe('gone, terminating under way');
  });

  test('that the garbage collector ignores, as it is an Event', () => {
    expect(short([event('note', { ownerReferences: [gone] })])).toEqual([
      'shop/note: gone, ignored never',
    ]);
  });
});

describe('pods of a Job that is gone', () => {
  const labels = {
    'batch.kubernetes.io/controller-uid': 'uid-job-shop-import',
    'batch.kubernetes.io/job-name': 'import',
  };
  const left = pod('import-x7', { labels });

  test('are orphans, although nothing refers to the Job', () => {
    const { items } = orphansReport(graphOf([left]));
    expect(items).toEqual([
      {
        object: {
          apiVersion: 'v1',
          kind: 'Pod',
          namespace: 'shop',
          name: 'import-x7',
          uid: 'uid-pod-shop-import-x7',
        },
        owners: 'job-gone',
        references: [],
        gc: {
          action: 'unowned',
          rule: 'GC-55',
          because: 'its Job import was deleted and left it behind',
          when: 'never',
        },
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
    ]);
  });

  test('are none while it lives, or for all we know', () => {
    expect(short([left, job('import')])).toEqual([]);
    expect(short([left], { unread: ['jobs.batch'] })).toEqual([]);
  });
});

describe('objects without owners', () => {
  const handmade = configMap('handmade');
  const marked = (labels: Record<string, string>) => configMap('marked', { labels });
  const records = [
    handmade,
    event('note'),
    configMap('owned', { ownerReferences: [ownedBy(live)] }),
    live,
  ];

  test('are listed when asked for, if no tool manages them', () => {
    expect(short(records)).toEqual([]);
    expect(short(records, { unmanaged: true })).toEqual([
      'shop/handmade: none, unowned never',
      'shop/live: none, unowned never',
    ]);
  });

  test.each([
    { 'app.kubernetes.io/managed-by': 'Helm' },
    { 'argocd.argoproj.io/instance': 'storefront' },
    { 'kustomize.toolkit.fluxcd.io/name': 'apps' },
    { 'helm.toolkit.fluxcd.io/name': 'web' },
  ])('that a tool manages are not: %j', (labels) => {
    expect(short([marked(labels)], { unmanaged: true })).toEqual([]);
  });
});

describe('what Helm installed', () => {
  const annotations = {
    'meta.helm.sh/release-name': 'web',
    'meta.helm.sh/release-namespace': 'shop',
  };
  const left = configMap('left', {
    annotations,
    labels: { 'app.kubernetes.io/managed-by': 'Helm' },
  });
  const revision = secret('sh.helm.release.v1.web.v1', { labels: { owner: 'helm', name: 'web' } });
  const about = (records: readonly ObjectRecord[], options: SnapshotOptions = {}) =>
    short(records, { ...options, unmanaged: true }).filter((line) => line.includes('left'));

  test('is listed with the evidence where no revision of its release is left', () => {
    expect(about([left])).toEqual(['shop/left: release-gone, unowned never']);
    const kept = configMap('kept', {
      annotations: { ...annotations, 'helm.sh/resource-policy': 'keep' },
    });
    const { items } = orphansReport(graphOf([left, kept]), { unmanaged: true });
    expect(items.map(({ gc }) => gc.because)).toEqual([
      'Helm installed it with release shop/web, of which no Secret and no ConfigMap is left; helm.sh/resource-policy is keep, so that uninstalling left it',
      'Helm installed it with release shop/web, of which no Secret and no ConfigMap is left',
    ]);
  });

  test('is not while one is, in a Secret or a ConfigMap, nor where that was not read', () => {
    expect(about([left, revision])).toEqual([]);
    const stored = configMap('web.v1', { labels: { owner: 'helm', name: 'web' } });
    expect(about([left, stored])).toEqual([]);
    expect(about([left, { ...revision, namespace: 'bank' }])).toHaveLength(1);
    expect(about([left], { unread: ['secrets'] })).toEqual([]);
    expect(about([left], { unread: ['configmaps'] })).toEqual([]);
  });

  test('nor what another tool says to be its own, or what only looks like it', () => {
    const flux = configMap('left', {
      annotations,
      labels: { 'helm.toolkit.fluxcd.io/name': 'web', 'helm.toolkit.fluxcd.io/namespace': 'shop' },
    });
    expect(about([flux])).toEqual([]);
    const rendered = configMap('left', { labels: { 'app.kubernetes.io/managed-by': 'Helm' } });
    expect(about([rendered])).toEqual([]);
    expect(short([left])).toEqual([]);
  });
});
test.each<[string, Details]>([
  ['Helm', { annotations: { 'meta.helm.sh/release-name': 'web' } }],
  ['Argo CD', { annotations: { 'argocd.argoproj.io/tracking-id': 'front:/ConfigMap:shop/other' } }],
  ['Argo CD, by a label', { labels: { 'argocd.argoproj.io/instance': 'front' } }],
  ['Flux', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' } }],
  ['a HelmRelease of Flux', { labels: { 'helm.toolkit.fluxcd.io/name': 'web' } }],
  ['an ApplySet', { labels: { 'applyset.kubernetes.io/part-of': 'applyset-12ab-v1' } }],
  ['an inventory', { annotations: { 'config.k8s.io/owning-inventory': '12ab' } }],
  ['who manages it', { labels: { 'app.kubernetes.io/managed-by': 'kustomize' } }],
])('what has the mark of %s is managed', (_, details) => {
  const records = [
    configMap('settings', details),
    configMap('by-hand', { labels: { app: 'web' } }),
  ];
  expect(short(records, { unmanaged: true })).toEqual(['shop/by-hand: none, unowned never']);
});

describe('what OLM made', () => {
  const operator = 'operators.coreos.com/widgets.shop';
  const olmTypes = { types: toolTypes };
  const labels = {
    'olm.owner': 'widgets.v1',
    'olm.owner.namespace': 'shop',
    'olm.owner.kind': 'ClusterServiceVersion',
  };
  const csv = toolObject('operators.coreos.com/v1alpha1 ClusterServiceVersion widgets.v1', {
    metadata: { namespace: 'shop', uid: 'uid-csv', labels: { [operator]: '' } },
  });
  const role = clusterRole('left-role', { labels });
  const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  const widgets = definition('left.example.com', { labels: { [operator]: '' } });
  const about = (records: readonly ObjectRecord[], options: SnapshotOptions = {}) =>
    orphansReport(graphOf(records, { ...olmTypes, ...options }), { unmanaged: true })
      .items.filter(({ object }) => object.name.startsWith('left'))
      .map(({ owners, gc }) => `${owners}: ${gc.because}`);

  test('is listed with the evidence where its ClusterServiceVersion is gone', () => {
    expect(about([role, widgets])).toEqual([
      'operator-gone: OLM made it for ClusterServiceVersion shop/widgets.v1, which is gone',
      'operator-gone: OLM installed it with operators.coreos.com/widgets.shop, of which no ClusterServiceVersion and no Subscription is left',
    ]);
  });

  test('is not while that is there, nor where it was not read', () => {
    expect(about([csv, role, widgets])).toEqual([]);
    const newer = { ...csv, name: 'widgets.v2' };
    expect(about([newer, role, widgets])).toHaveLength(1);
    expect(
      about([role, widgets], { unread: ['clusterserviceversions.operators.coreos.com'] }),
    ).toEqual([]);
  });
});

test('an item tells each reference and the reason', () => {
  const record = pod('web-1', {
    ownerReferences: [gone, ownedBy(live)],
    creationTimestamp: undefined,
  });
  expect(orphansReport(graphOf([record, live])).items).toEqual([
    {
      object: {
        apiVersion: 'v1',
        kind: 'Pod',
        namespace: 'shop',
        name: 'web-1',
        uid: 'uid-pod-shop-web-1',
      },
      owners: 'partly-gone',
      references: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'gone',
          uid: 'uid-gone-gone',
          class: 'dangling',
          because: 'there is no ReplicaSet gone in namespace shop',
        },
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'live',
          uid: live.uid,
          class: 'solid',
          because: 'ReplicaSet live exists in namespace shop',
        },
      ],
      gc: {
        action: 'patch',
        rule: 'GC-22.11',
        because:
          'ReplicaSet live exists in namespace shop, so only the other references are removed',
        when: 'on the next pass',
      },
    },
  ]);
});

test('items are in scope, and sorted by namespace, kind and name', () => {
  const ownerReferences = [gone];
  const records = [
    pod('b', { ownerReferences }),
    pod('a', { ownerReferences }),
    configMap('z', { ownerReferences }),
    pod('x', { namespace: 'bank', ownerReferences }),
  ];
  const names = (all: readonly ObjectRecord[]) =>
    orphansReport(graphOf(all)).items.map(({ object }) => object.name);
  expect([names(records), names([...records].reverse())]).toEqual([
    ['x', 'z', 'a', 'b'],
    ['x', 'z', 'a', 'b'],
  ]);
  expect(short(records, { scope: ({ namespace }) => namespace === 'bank' })).toEqual([
    'bank/x: gone, Background on the next pass',
  ]);
});
