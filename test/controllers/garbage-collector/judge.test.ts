import { describe, expect, test } from 'vitest';
import { judge } from '../../../src/controllers/garbage-collector/judge.ts';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import {
  blocking,
  builderOf,
  clusterRole,
  configMap,
  type Details,
  event,
  gadget,
  graphOf,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  type SnapshotOptions,
  secret,
} from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';

const held = 'shop.example.com/drain';
const live = replicaSet('live');
const other = replicaSet('other');
const waiting = replicaSet('waiting', { deleting: 'foreground' });
const leaving = replicaSet('leaving', { deleting: 'background', finalizers: [held] });
const orphaning = replicaSet('orphaning', { deleting: 'orphan' });
const endingEvent = event('ending', { deleting: 'foreground' });
const gone = ownedByGone('apps/v1 ReplicaSet gone');
const frozen = ownedByGone('gone.example.com/v1 Gone it');
const unread = ownedByGone('v1 Secret vault');

/** The verdict on a pod with these references among the objects above. */
function verdict(
  ownerReferences: readonly OwnerReference[],
  details: Details = {},
  others: readonly ObjectRecord[] = [],
  options: SnapshotOptions = { unread: ['secrets'] },
): string {
  const subject = pod('web-1', { ...details, ownerReferences });
  return told(subject, [live, other, waiting, leaving, orphaning, endingEvent, ...others], options);
}

function told(
  subject: ObjectRecord,
  others: readonly ObjectRecord[],
  options: SnapshotOptions = {},
): string {
  const { action, policy, rule } = judge(graphOf([subject, ...others], options), subject);
  return [action, policy, rule].filter(Boolean).join(' ');
}

/** References by a word each: `missing live`. */
const references: Readonly<Record<string, OwnerReference>> = {
  live: ownedBy(live),
  'live-controller': ownedBy(live, { controller: true }),
  other: ownedBy(other),
  waiting: ownedBy(waiting),
  'ending-event': ownedBy(endingEvent),
  leaving: ownedBy(leaving),
  missing: gone,
  misnamed: ownedBy(live, { name: 'x' }),
  'orphaning-old': ownedBy(orphaning, { apiVersion: 'apps/v1beta1' }),
  frozen,
  unread,
};
const referencesIn = (text: string) => text.split(' ').flatMap((word) => references[word] ?? []);

describe('one look at an object decides', () => {
  const rows = rowsOf(`
    no owner                                        |                                | unowned GC-22.8
    a solid owner                                   | live                           | keep GC-22.10
    an old version of an owner that orphans it      | orphaning-old                  | patch GC-37
    the same, and a missing owner                   | orphaning-old missing          | delete Background GC-22.13
    the same, and a solid owner                     | orphaning-old live             | patch GC-37
    the same, and a kind that is not served         | orphaning-old frozen           | frozen GC-30
    two solid owners                                | live other                     | keep GC-22.10
    an owner that terminates, but not in the foreground | leaving                    | keep GC-22.10
    a solid and a missing owner                     | live missing                   | patch GC-22.11
    a missing and a solid owner                     | missing live                   | patch GC-22.11
    a solid and a waiting owner                     | live waiting                   | patch GC-22.11
    a leaving and a waiting owner                   | leaving waiting                | patch GC-22.11
    two solid owners, one of which controls it, and a missing one | live-controller other missing | patch GC-22.11
    a missing owner                                 | missing                        | delete Background GC-22.13
    two missing owners                              | missing misnamed               | delete Background GC-22.13
    a waiting owner, on a leaf                      | waiting                        | delete Background GC-22.13
    a waiting and a missing owner, on a leaf        | waiting missing                | delete Background GC-22.13
    an Event that waits, which nobody watches       | ending-event                   | keep GC-21
    such an Event and a solid owner                 | live ending-event              | keep GC-21
    such an Event and another that waits            | waiting ending-event           | delete Background GC-22.13
    such an Event and a missing owner               | ending-event missing           | delete Background GC-22.13
    an unresolvable owner                           | frozen                         | frozen GC-30
    an unresolvable owner among missing ones        | missing frozen missing         | frozen GC-30
    an unresolvable owner beside a solid one        | live frozen                    | frozen GC-30
    an unresolvable owner beside an unread one      | unread frozen                  | frozen GC-30
    an unread owner                                 | unread                         | unknown GC-27
    an unread and a missing owner                   | missing unread                 | unknown GC-27
    an unread and a solid owner                     | unread live                    | unknown GC-27
  `);
  test.each(rows)('%s', (_, owners = '', expected) => {
    expect(verdict(referencesIn(owners))).toBe(expected);
  });

  test.each(rows)('where it is off, it acts on nothing: %s', (_, owners = '', running = '') => {
    const off = { unread: ['secrets'], controllers: ['*', '-garbagecollector'] };
    const [action = ''] = running.split(' ');
    const stays = { delete: 'ignored GC-78', patch: 'keep GC-78' };
    const expected = Object.entries(stays).find(([acting]) => acting === action)?.[1] ?? running;
    expect(verdict(referencesIn(owners), {}, [], off)).toBe(expected);
  });
});

describe('the policy of the DELETE is that of the finalizers the object carries', () => {
  test.each([
    [[], 'Background'],
    [[held], 'Background'],
    [['foregroundDeletion'], 'Foreground'],
    [['orphan'], 'Orphan'],
    [['foregroundDeletion', held, 'orphan'], 'Orphan'],
  ])('%j: %s', (finalizers, policy) => {
    expect(verdict([gone], { finalizers })).toBe(`delete ${policy} GC-22.13`);
  });
});

describe('below a waiting owner, an object with dependents is deleted in the foreground', () => {
  const subject = pod('web-1');
  const below = (details: Details = {}) =>
    configMap('below', { ownerReferences: [ownedBy(subject)], ...details });

  const lost = configMap('lost', {
    namespace: 'bank',
    ownerReferences: [ownedBy(subject, { kind: 'Job' })],
  });
  const note = event('note', { ownerReferences: [ownedBy(subject)] });

  test.each<[string, string, string, Details?, ObjectRecord?]>([
    ['alone', 'waiting', 'delete Foreground GC-22.12'],
    ['beside a missing one', 'missing waiting', 'delete Foreground GC-22.12'],
    ['with a solid one', 'live waiting', 'patch GC-22.11'],
    ['all owners missing', 'missing', 'delete Background GC-22.13'],
    ['even to be orphaned', 'waiting', 'delete Foreground GC-22.12', { finalizers: ['orphan'] }],
    // Edges are by uid.
    ['with a misnamed dependent', 'waiting', 'delete Foreground GC-22.12', {}, lost],
    ['not for an Event, which is not seen', 'waiting', 'delete Background GC-22.13', {}, note],
  ])('%s', (_, owners, expected, details = {}, dependent = below()) => {
    expect(verdict(referencesIn(owners), details, [dependent])).toBe(expected);
  });

  test('and if one of those is being deleted in the foreground too, its own references stop blocking', () => {
    const judged = pod('web-1', { ownerReferences: [ownedBy(waiting, blocking)] });
    const free = configMap('free', { ownerReferences: [ownedBy(subject)] });
    const graph = graphOf([judged, waiting, free, below({ deleting: 'foreground' })]);
    expect(judge(graph, judged).because).toMatchInlineSnapshot(
      `"ReplicaSet waiting is being deleted in the foreground; one of its dependents is itself being deleted in the foreground, so its own references stop blocking first"`,
    );
  });
});

describe('an object that is being deleted is skipped', () => {
  test.each<[NonNullable<Details['deleting']>, string, string]>([
    ['background', 'missing', 'terminating GC-22.1'],
    ['orphan', 'missing', 'terminating GC-22.1'],
    ['foreground', 'missing', 'terminating GC-23'],
    ['background', 'live waiting', 'terminating GC-22.1'],
    ['background', 'frozen', 'terminating GC-22.1'],
    ['background', 'unread', 'terminating GC-22.1'],
    ['background', '', 'terminating GC-22.1'],
    ['foreground', '', 'terminating GC-23'],
  ])('%s, owned by %s', (deleting, owners, expected) => {
    expect(verdict(referencesIn(owners), { deleting, finalizers: [held] })).toBe(expected);
  });
});

describe('an object that the collector does not watch is ignored', () => {
  const status = builderOf('v1', 'ComponentStatus');
  test.each([
    [event('note', { ownerReferences: [gone] }), 'ignored GC-8'],
    [event('note', { ownerReferences: [gone], deleting: 'background' }), 'ignored GC-8'],
    [status('etcd', { ownerReferences: [gone] }), 'ignored GC-9'],
    [event('note'), 'unowned GC-22.8'],
  ])('%#', (subject, expected) => {
    expect(told(subject, [])).toBe(expected);
  });
});

describe('a cluster-scoped object', () => {
  const rack = gadget('rack');
  const vault = secret('vault');
  test.each<[string, OwnerReference[], string]>([
    ['of a cluster-scoped owner', [ownedBy(rack)], 'keep GC-22.10'],
    ['of a missing cluster-scoped owner', [ownedByGone('v1 Node n')], 'delete Background GC-22.13'],
    ['of a namespaced owner', [ownedBy(vault)], 'frozen GC-45'],
    ['of one namespaced owner', [ownedByGone('v1 Node n'), ownedBy(vault)], 'frozen GC-45'],
    ['of two unresolvable ones: the first', [frozen, ownedBy(vault)], 'frozen GC-30'],
  ])('%s', (_, ownerReferences, expected) => {
    expect(told(clusterRole('reader', { ownerReferences }), [rack, vault])).toBe(expected);
  });
});

test('an object that owns itself stays until a user deletes it', () => {
  const self = (details: Details = {}) => {
    const bare = configMap('narcissus', details);
    return told({ ...bare, ownerReferences: [ownedBy(bare)] }, []);
  };
  expect([self(), self({ deleting: 'foreground' })]).toEqual([
    'keep GC-22.10',
    'terminating GC-23',
  ]);
});

test('an API whose discovery fails leaves the verdict open', () => {
  const types = new ResourceTypes(builtInTypes, {
    failed: [{ group: 'metrics.k8s.io', version: undefined, message: 'metrics.k8s.io is down' }],
    exhaustive: true,
  });
  const subject = pod('web-1', {
    ownerReferences: [ownedByGone('metrics.k8s.io/v1 PodMetrics m')],
  });
  expect(told(subject, [], { types })).toBe('unknown GC-29');
});

describe('the reason', () => {
  const reason = (ownerReferences: readonly OwnerReference[], details: Details = {}) => {
    const subject = pod('web-1', { ...details, ownerReferences });
    const graph = graphOf([subject, live, other, waiting, leaving], { unread: ['secrets'] });
    return judge(graph, subject).because;
  };
  const owners = [
    '',
    'live other',
    'live missing',
    'live misnamed',
    'live misnamed other',
    'missing waiting',
    'missing frozen',
    'missing unread',
    'unread live',
  ];
  test('of what these own', () => {
    const reasons = owners.map((names) => `${names || 'none'}: ${reason(referencesIn(names))}`);
    expect(reasons.join('\n')).toMatchInlineSnapshot(`
      "none: it has no owner
      live other: ReplicaSet live exists in namespace shop; ReplicaSet other exists in namespace shop
      live missing: ReplicaSet live exists in namespace shop, so only the other references are removed
      live misnamed: ReplicaSet live exists in namespace shop, so only the other references are removed; but that is done by uid, which takes this one along and leaves it without an owner
      live misnamed other: ReplicaSet live exists in namespace shop, so only the other references are removed
      missing waiting: no ReplicaSet gone in namespace shop; ReplicaSet waiting is being deleted in the foreground
      missing frozen: no API serves gone.example.com/v1 Gone; while that reference stays, it is never deleted or changed
      missing unread: Secret objects in namespace shop were not read
      unread live: Secret objects in namespace shop were not read; it lives on in any case, as ReplicaSet live exists in namespace shop"
    `);
  });

  test('of what the API server refuses', () => {
    const controller = { controller: true };
    const references = [ownedBy(live, controller), ownedBy(other, controller), gone];
    expect(verdict(references)).toBe('keep GC-67');
    expect(reason(references)).toMatchInlineSnapshot(
      `"ReplicaSet live exists in namespace shop; the other references stay as well: the API server refuses to change an object that has two controllers"`,
    );
    expect(verdict([ownedBy(live, controller), { ...gone, ...controller }])).toBe('patch GC-22.11');
    expect(verdict([gone, { ...gone, uid: 'x', ...controller }])).toBe(
      'delete Background GC-22.13',
    );
  });

  test('of skipped objects', () => {
    const reasons = [
      reason([gone], { deleting: 'background', finalizers: [held] }),
      judge(graphOf([]), event('note', { ownerReferences: [gone] })).because,
    ];
    expect(reasons.join('\n')).toMatchInlineSnapshot(`
      "it is already being deleted; its references are not looked at again
      the garbage collector does not watch Event objects"
    `);
  });
});
