import { describe, expect, test } from 'vitest';
import {
  type ComparedPart,
  compareSnapshots,
} from '../../../src/history/compare/compare-snapshots.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import {
  clusterRole,
  configMap,
  deployment,
  ownedBy,
  pod,
  type SnapshotOptions,
  servedTypes,
  snapshotOf,
  widget,
} from '../../support/builders.ts';

const everything: ComparedPart = { kinds: undefined, namespace: undefined, matches: () => true };

/** The comparison in names, without what is empty. */
function compared(
  before: readonly ObjectRecord[],
  after: readonly ObjectRecord[],
  options: readonly [SnapshotOptions?, SnapshotOptions?] = [],
  part: ComparedPart = everything,
) {
  const [old, now] = [snapshotOf(before, options[0]), snapshotOf(after, options[1])];
  const { came, went, recreated, changed, notCompared, stateNotCompared } = compareSnapshots(
    old,
    now,
    part,
  );
  const names = (records: readonly ObjectRecord[]) => records.map(({ name }) => name);
  const all = {
    came: names(came),
    went: names(went),
    recreated: recreated.map((pair) => [pair.before.uid, pair.after.uid]),
    changed: changed.map(({ after: { name }, difference }) => ({ name, ...difference })),
    notCompared,
    stateNotCompared,
  };
  return Object.fromEntries(Object.entries(all).filter(([, list]) => list.length > 0));
}

const same = {};

describe('objects', () => {
  test('are the same by their uid, whatever the order', () => {
    const records = [pod('web', { facts: {} }), configMap('web'), clusterRole('web')];
    expect(compared(records, records.toReversed())).toEqual(same);
  });

  test('come, go, and are recreated under another uid', () => {
    const before = [configMap('stays'), configMap('goes'), configMap('again', { uid: 'first' })];
    const after = [configMap('again', { uid: 'second' }), configMap('stays'), configMap('comes')];
    expect(compared(before, after)).toEqual({
      came: ['comes'],
      went: ['goes'],
      recreated: [['first', 'second']],
    });
  });

  test('of one name in two namespaces, or of two kinds, are different objects', () => {
    const before = [configMap('web'), configMap('web', { namespace: 'bank' }), widget('web')];
    expect(compared(before, [configMap('web')])).toEqual({ went: ['web', 'web'] });
  });

  test('without a uid, as in manifests, are the same by their name', () => {
    const manifest = configMap('web', { uid: '' });
    expect(compared([manifest], [configMap('web')])).toEqual(same);
    expect(compared([configMap('web')], [manifest])).toEqual(same);
    expect(compared([manifest], [manifest, configMap('db', { uid: '' })])).toEqual({
      came: ['db'],
    });
  });
});

describe('of an object that is still there', () => {
  test('owners, finalizers and the beginning of its deletion are compared', () => {
    const [web, cart] = [deployment('web'), deployment('cart')];
    const before = configMap('flags', { ownerReferences: [ownedBy(web)], finalizers: ['a', 'b'] });
    const after = configMap('flags', {
      ownerReferences: [ownedBy(cart)],
      finalizers: ['b', 'c'],
      deletionTimestamp: '2026-01-02T00:00:00Z',
    });
    expect(compared([before], [after]).changed).toEqual([
      {
        name: 'flags',
        owners: { added: [ownedBy(cart)], removed: [ownedBy(web)] },
        finalizers: { added: ['c'], removed: ['a'] },
        deletionTimestamp: { before: '', after: '2026-01-02T00:00:00Z' },
      },
    ]);
  });

  test('a reference of which one field changed is removed and added', () => {
    const web = deployment('web');
    const [free, blocking] = [ownedBy(web), ownedBy(web, { blockOwnerDeletion: true })];
    const { changed } = compared(
      [configMap('flags', { ownerReferences: [free] })],
      [configMap('flags', { ownerReferences: [blocking] })],
    );
    expect(changed).toEqual([{ name: 'flags', owners: { added: [blocking], removed: [free] } }]);
  });

  test('labels, versions and the order of lists are no difference', () => {
    const [web, cart] = [ownedBy(deployment('web')), ownedBy(deployment('cart'))];
    const before = configMap('flags', { ownerReferences: [web, cart], finalizers: ['a', 'b'] });
    const after = configMap('flags', {
      ownerReferences: [cart, web],
      finalizers: ['b', 'a'],
      labels: { app: 'web' },
      resourceVersion: '7',
    });
    expect(compared([before], [after])).toEqual(same);
  });

  test('STATUS and READY are compared where spec and status were read both times', () => {
    const running = pod('web', { facts: { phase: 'Running' } });
    const failed = pod('web', { facts: { phase: 'Failed' } });
    expect(compared([running], [failed]).changed).toEqual([
      { name: 'web', status: { before: 'Running', after: 'Failed' } },
    ]);
    expect(compared([running], [pod('web')])).toEqual({ stateNotCompared: ['pods'] });
    const [three, two] = [3, 2].map((readyReplicas) =>
      deployment('web', { facts: { replicas: 3, readyReplicas } }),
    );
    expect(compared(three ? [three] : [], two ? [two] : []).changed).toEqual([
      { name: 'web', ready: { before: '3/3', after: '2/3' } },
    ]);
  });

  test('that it is terminating is said once', () => {
    const facts = { phase: 'Running' } as const;
    const { changed } = compared(
      [pod('web', { facts })],
      [pod('web', { facts, deletionTimestamp: '2026-01-02T00:00:00Z' })],
    );
    expect(changed).toEqual([
      { name: 'web', deletionTimestamp: { before: '', after: '2026-01-02T00:00:00Z' } },
    ]);
  });
});

describe('what one of the snapshots did not read', () => {
  const records = [configMap('web'), configMap('web', { namespace: 'bank' })];

  test('neither came nor went, and is named', () => {
    const unread = { unread: ['configmaps'] };
    expect(compared(records, [], [{}, unread])).toEqual({
      notCompared: [{ resource: 'configmaps', missing: 'after' }],
    });
    expect(compared([], records, [unread, {}])).toEqual({
      notCompared: [{ resource: 'configmaps', missing: 'before' }],
    });
  });

  test('in other namespaces is named with those that it did read', () => {
    const inShop = { coverage: { read: [{ resource: 'configmaps', namespaces: ['shop'] }] } };
    const whole = { coverage: { read: [{ resource: 'configmaps' }] } };
    expect(compared(records, [], [whole, inShop])).toEqual({
      went: ['web'],
      notCompared: [{ resource: 'configmaps', missing: 'after', readIn: ['shop'] }],
    });
    const part = { ...everything, namespace: 'shop' };
    expect(compared(records, records, [whole, inShop], part)).toEqual(same);
    expect(compared(records, records, [inShop, inShop])).toEqual(same);
  });

  test('may still have changed where both hold the object', () => {
    const after = configMap('web', { finalizers: ['a'] });
    const unread = { unread: ['configmaps'] };
    expect(compared([configMap('web')], [after], [{}, unread]).changed).toEqual([
      { name: 'web', finalizers: { added: ['a'], removed: [] } },
    ]);
  });

  test('is no question of a kind that was not served: it had no objects', () => {
    const without = new ResourceTypes(
      servedTypes.all.filter(({ kind }) => kind !== 'Widget'),
      { exhaustive: true },
    );
    expect(compared([widget('web')], [], [{}, { types: without }])).toEqual({ went: ['web'] });
    expect(compared([], [widget('web')], [{ types: without }, {}])).toEqual({ came: ['web'] });
  });

  test('is asked only of the kinds that are compared', () => {
    const part = { ...everything, kinds: new Set(['pods']) };
    const unread = { unread: ['configmaps'] };
    expect(compared([...records, pod('web')], [], [{}, unread], part)).toEqual({ went: ['web'] });
  });
});
