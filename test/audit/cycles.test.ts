import { describe, expect, test } from 'vitest';
import { findCycles, findDeadlocks } from '../../src/audit/cycles.ts';
import type { ObjectRecord, OwnerReference } from '../../src/kube/object-record.ts';
import type { Graph } from '../../src/snapshot/graph/graph.ts';
import {
  blocking,
  configMap,
  type Details,
  event,
  graphOf,
  ownedBy,
  ownedByGone,
  type SnapshotOptions,
} from '../support/builders.ts';

/** Objects `a: 'b c'` owned by others, each reference right unless `changes` say otherwise. */
function owned(
  owners: Readonly<Record<string, string>>,
  details: Readonly<Record<string, Details>> = {},
  changes: Partial<OwnerReference> = {},
): ObjectRecord[] {
  const bare = (name: string) => configMap(name, details[name]);
  return Object.entries(owners).map(([name, list]) => ({
    ...bare(name),
    ownerReferences: list
      .split(' ')
      .filter(Boolean)
      .map((owner) => ownedBy(bare(owner), changes)),
  }));
}

function named(
  find: (graph: Graph) => ObjectRecord[][],
  records: readonly ObjectRecord[],
  options?: SnapshotOptions,
) {
  const rings = find(graphOf(records, options));
  return rings.map((ring) =>
    ring
      .map(({ name }) => name)
      .sort()
      .join(' '),
  );
}

describe('rings that keep themselves', () => {
  test.each([
    ['a chain has none', { a: 'b', b: 'c', c: '' }, []],
    ['a diamond has none', { a: 'b c', b: 'd', c: 'd', d: '' }, []],
    ['two own each other', { a: 'b', b: 'a' }, ['a b']],
    ['three in a ring', { a: 'b', b: 'c', c: 'a' }, ['a b c']],
    ['without tail and handle', { t: 'a', a: 'b', b: 'a h', h: '' }, ['a b']],
    ['overlapping rings', { a: 'b', b: 'a c', c: 'b' }, ['a b c']],
    ['two bridged rings', { a: 'b', b: 'a c', c: 'd', d: 'c' }, ['c d', 'a b']],
    ['an object owning itself', { a: 'a', b: '' }, []],
    ['a ring and a self-owner', { a: 'a b', b: 'a' }, ['a b']],
  ])('%s', (_, owners, rings) => {
    expect(named(findCycles, owned(owners))).toEqual(rings);
  });

  test('are closed by honoured references only', () => {
    const records = (last: Partial<OwnerReference>) => {
      const [a, b] = owned({ a: 'b', b: '' });
      if (!a || !b) throw new Error('two objects');
      return [a, { ...b, ownerReferences: [ownedBy(a, last)] }];
    };
    expect([
      named(findCycles, records({})),
      named(findCycles, records({ kind: 'configmap' })),
      named(findCycles, records({ name: 'x' })),
      named(findCycles, records({ apiVersion: 'v2' })),
      named(findCycles, records({ kind: 'Secret' })),
    ]).toEqual([['a b'], ['a b'], [], [], []]);
  });

  test('are not closed across namespaces', () => {
    const here = configMap('here');
    const there = configMap('there', { namespace: 'bank', ownerReferences: [ownedBy(here)] });
    const records = [{ ...here, ownerReferences: [ownedBy(there)] }, there];
    expect(named(findCycles, records)).toEqual([]);
  });

  test.each(['background', 'foreground', 'orphan'] as const)(
    'end with a terminating object (%s)',
    (deleting) => {
      const records = owned({ a: 'b', b: 'c', c: 'a' }, { b: { deleting } });
      expect(named(findCycles, records)).toEqual([]);
    },
  );

  test('live on where only a ring beside them ends', () => {
    const records = owned({ a: 'b', b: 'a c', c: 'b' }, { c: { deleting: 'foreground' } });
    expect(named(findCycles, records)).toEqual(['a b']);
  });

  test('are seen although some kinds were not read', () => {
    const records = owned({ a: 'b', b: 'a' }).map((record) => ({
      ...record,
      ownerReferences: [...record.ownerReferences, ownedByGone('v1 Secret vault')],
    }));
    expect(named(findCycles, records, { unread: ['secrets'] })).toEqual(['a b']);
  });
});

describe('chains longer than any call stack', () => {
  const length = 20_000;
  const names = Array.from({ length }, (_, i) => `link-${i}`);
  const chain = Object.fromEntries(names.map((name, i) => [name, names[i + 1] ?? '']));

  test('are no ring', () => {
    expect(findCycles(graphOf(owned(chain)))).toEqual([]);
  });

  test('are one when their ends meet', () => {
    const ring = { ...chain, [`link-${length - 1}`]: 'link-0' };
    expect(findCycles(graphOf(owned(ring))).map((members) => members.length)).toEqual([length]);
  });
});

describe('rings that block their own deletion', () => {
  const foreground: Details = { deleting: 'foreground' };

  test('all members are being deleted in the foreground, and each blocks the next', () => {
    const details = { a: foreground, b: foreground, c: foreground };
    const owners = { a: 'b', b: 'c', c: 'a' };
    expect(named(findDeadlocks, owned(owners, details, blocking))).toEqual(['a b c']);
    expect(named(findDeadlocks, owned(owners, details))).toEqual([]);
    expect(named(findDeadlocks, owned(owners, { ...details, b: {} }, blocking))).toEqual([]);
    expect(
      named(findDeadlocks, owned(owners, { ...details, b: { deleting: 'background' } }, blocking)),
    ).toEqual([]);
  });

  test('whatever else their references say, as blocking goes by uid', () => {
    const wrong = { ...blocking, name: 'x', kind: 'Secret' };
    const records = owned({ a: 'b', b: 'a' }, { a: foreground, b: foreground }, wrong);
    expect([named(findDeadlocks, records), named(findCycles, records)]).toEqual([['a b'], []]);
  });

  test('no Event is among them, as the collector does not see it', () => {
    const seen = event('seen', foreground);
    const a = configMap('a', { ...foreground, ownerReferences: [ownedBy(seen, blocking)] });
    const records = [a, { ...seen, ownerReferences: [ownedBy(a, blocking)] }];
    expect(named(findDeadlocks, records)).toEqual([]);
  });
});
