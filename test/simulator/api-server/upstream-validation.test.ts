import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import type { SimulatedRequest } from '../../../src/simulator/api-server/request.ts';
import { builderOf, configMap, node, pod } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { create, remove, simulateObjects, update } from '../play-out.ts';

const lease = builderOf('coordination.k8s.io/v1', 'Lease');

/** What the API server alone answers, and the metadata it stores. */
function served(objects: readonly ObjectRecord[], ...requests: SimulatedRequest[]) {
  const { replies, objects: left } = simulateObjects(objects, requests, { controllers: [] });
  const stored = left.map((record) => ({
    ownerReferences: record.ownerReferences,
    finalizers: record.finalizers,
    deletionTimestamp: record.deletionTimestamp,
    deletionGracePeriodSeconds: record.deletionGracePeriodSeconds,
  }));
  return { replies, stored };
}

function reference(uid: string, changes: Partial<OwnerReference> = {}): OwnerReference {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Owner',
    name: 'name',
    uid,
    controller: undefined,
    blockOwnerDeletion: undefined,
    ...changes,
  };
}

const invalid = (why: string) => ({
  code: 422,
  reason: 'Invalid',
  message: `ConfigMap "it" is invalid: ${why}`,
});

const ok = { code: 200, reason: '' };
const made = { code: 201, reason: '' };

/** The reply to a CREATE, and the references that were stored. */
function created(...ownerReferences: OwnerReference[]) {
  const { replies, stored } = served([], create(configMap('it', { ownerReferences })));
  return { reply: replies[0], stored: stored[0]?.ownerReferences };
}

describe('ValidateObjectMetaOwnerReferences', () => {
  test.each([
    ['simple success - third party extension.', [reference('1', { apiVersion: 'customVersion' })]],
    [
      'simple controller ref success - one reference with Controller set',
      [
        reference('1', { controller: false }),
        reference('2', { controller: true }),
        reference('3', { controller: false }),
        reference('4'),
      ],
    ],
  ])('%s', (_, references) => {
    expect(created(...references)).toEqual({ reply: made, stored: references });
  });

  test("simple failures - event shouldn't be set as an owner", () => {
    const value = '{"apiVersion":"v1","kind":"Event","name":"name","uid":"1"}';
    const why = `metadata.ownerReferences: Invalid value: ${value}: /v1, Kind=Event is disallowed from being an owner`;
    const event = reference('1', { apiVersion: 'v1', kind: 'Event' });
    expect(created(event)).toEqual({ reply: invalid(why), stored: undefined });
    const other = reference('1', { apiVersion: 'events.k8s.io/v1', kind: 'Event' });
    expect(created(other)).toEqual({ reply: made, stored: [other] });
  });

  test('simple controller ref failure - two references with Controller set', () => {
    const references = [
      reference('2', { controller: true, kind: 'Second' }),
      reference('3', { controller: true, kind: 'Third' }),
    ];
    const value =
      '[{"apiVersion":"example.com/v1","kind":"Second","name":"name","uid":"2","controller":true},{"apiVersion":"example.com/v1","kind":"Third","name":"name","uid":"3","controller":true}]';
    const why = `metadata.ownerReferences: Invalid value: ${value}: Only one reference can have Controller set to true. Found "true" in references for Second/name and Third/name`;
    expect(created(...references)).toEqual({ reply: invalid(why), stored: undefined });
    const four = [reference('1', { controller: false }), ...references, reference('4')];
    expect(created(...four).stored).toBeUndefined();
  });

  test.each([
    [{ apiVersion: 'a/b/c' }, 'apiVersion: Invalid value: "a/b/c": version must not be empty'],
    [{ apiVersion: '' }, 'apiVersion: Invalid value: "": version must not be empty'],
    [{ kind: '' }, 'kind: Invalid value: "": must not be empty'],
    [{ name: '' }, 'name: Invalid value: "": must not be empty'],
    [{ uid: '' }, 'uid: Invalid value: "": must not be empty'],
  ])('%j is incomplete', (changes, why) => {
    expect(created(reference('1', changes))).toEqual({
      reply: invalid(`metadata.ownerReferences.${why}`),
      stored: undefined,
    });
  });
});

describe('DedupOwnerReferences', () => {
  /** `1 2 1`, by uid, or with what differs: `1 name=other`. */
  const referencesIn = (text: string) =>
    text.split(', ').map((part) => {
      const [uid = '', ...changes] = part.split(' ');
      const flagged = { controller: false, blockOwnerDeletion: false };
      const named = Object.fromEntries(changes.map((change) => change.split('=')));
      return reference(uid, changes.includes('flagged') ? flagged : named);
    });
  const rows = rowsOf(`
    simple multiple duplicates                         | 1, 2, 1, 1, 2                     | 1, 2
    don't dedup same uid different name entries        | 1, 1 name=other                   | 1, 1 name=other
    don't dedup same uid different kind entries        | 1, 1 kind=Other                   | 1, 1 kind=Other
    don't dedup same uid different API version entries | 1, 1 apiVersion=example.com/v2    | 1, 1 apiVersion=example.com/v2
    dedup memory-equal and semantic-equal entries      | 1 flagged, 1 flagged              | 1 flagged
    don't dedup semantic-different entries             | 1 flagged, 1                      | 1 flagged, 1
  `);
  test.each(rows)('%s', (_, given = '', left = '') => {
    const [references, expected] = [referencesIn(given), referencesIn(left)];
    expect(created(...references)).toEqual({ reply: made, stored: expected });
    const again = configMap('it', { ownerReferences: references });
    expect(served([configMap('it')], update(again)).stored[0]?.ownerReferences).toEqual(expected);
  });
});

const [xa, xb, yb] = ['x/a', 'x/b', 'y/b'];
const terminating = { deletionTimestamp: '2026-01-02T00:00:00Z', deletionGracePeriodSeconds: 0 };
const forbidden = (added: string) =>
  invalid(
    `metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added}}`,
  );

describe('ValidateFinalizersUpdate', () => {
  test.each([
    ['invalid adding finalizers', terminating, [xa], [xa, yb], forbidden('"y/b"')],
    ['invalid changing finalizers', terminating, [xa], [xb], forbidden('"x/b"')],
    ['valid removing finalizers', terminating, [xa, yb], [xa], ok],
    ['valid adding finalizers for objects not being deleted', {}, [xa], [xa, yb], ok],
  ])('%s', (_, deletion, before, after, reply) => {
    const old = configMap('it', { ...deletion, finalizers: before });
    const fresh = configMap('it', { ...deletion, finalizers: after });
    const { replies, stored } = served([old], update(fresh));
    expect(replies).toEqual([reply]);
    expect(stored[0]?.finalizers).toEqual(reply === ok ? after : before);
  });
});

test('ValidateFinalizersPreventConflictingFinalizers', () => {
  const both = configMap('it', { finalizers: ['orphan', 'foregroundDeletion'] });
  const why =
    'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set';
  expect(served([], create(both))).toEqual({ replies: [invalid(why)], stored: [] });
  expect(served([configMap('it')], update(both)).replies).toEqual([invalid(why)]);
});

const labelKey =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const bare = (at: number, name: string) =>
  `metadata.finalizers[${at}]: Invalid value: "${name}": name is neither a standard finalizer name nor is it fully qualified`;
const odd = (name: string, why: string) => `metadata.finalizers: Invalid value: "${name}": ${why}`;

describe('validateKubeFinalizerName and IsQualifiedName', () => {
  test.each([
    [
      'a/b/c',
      odd(
        'a/b/c',
        `a valid label key ${labelKey} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ),
    ],
    ['hold', bare(0, 'hold')],
    ['Hold!', `[${odd('Hold!', `name part ${labelKey}`)}, ${bare(0, 'Hold!')}]`],
    [
      '/',
      `[${odd('/', 'prefix part must be non-empty')}, ${odd('/', 'name part must be non-empty')}, ${odd('/', `name part ${labelKey}`)}]`,
    ],
  ])('nobody stores a finalizer %s', (finalizer, why) => {
    const held = configMap('it', { finalizers: [finalizer] });
    expect(served([], create(held))).toEqual({ replies: [invalid(why)], stored: [] });
    expect(served([configMap('it')], create(held)).replies).toEqual([invalid(why)]);
    expect(served([configMap('it')], update(held)).replies).toEqual([invalid(why)]);
  });

  test('a Lease takes a finalizer without a domain', () => {
    const held = lease('it', { finalizers: ['hold'] });
    expect(served([], create(held)).replies).toEqual([made]);
    expect(served([lease('it')], update(held)).replies).toEqual([ok]);
  });
});

describe('validateNodeTaints', () => {
  const value =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  const rows = rowsOf(`
    [{key: a!, effect: NoExecute}]            | [0].key: Invalid value: "a!": name part ${labelKey}
    [{key: a/b/c, effect: NoExecute}]
        | [0].key: Invalid value: "a/b/c": a valid label key ${labelKey} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')
    [{key: a, value: b!, effect: NoExecute}]  | [0].value: Invalid value: "b!": ${value}
    [{key: a}]                                | [0].effect: Required value
    [{key: a, effect: ""}]                    | [0].effect: Required value
    [{key: b, effect: NoExecute}, {key: a, effect: Never}]
        | [1].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"
    [{key: a, effect: NoExecute}, {key: a, value: b, effect: NoExecute}]
        | [1]: Duplicate value: {"Key":"a","Value":"b","Effect":"NoExecute","TimeAdded":null}: taints must be unique by key and effect pair
    [{key: a, effect: NoExecute}, {key: a, effect: NoSchedule}, {key: b, value: c, effect: NoExecute}] |
  `);
  test.each(rows)('%s', (taints = '', why = '') => {
    const tainted = node('it', { facts: { taints: parse(taints) } });
    const message = `Node "it" is invalid: metadata.taints${why}`;
    const [reply] = served([node('it', { facts: { taints: [] } })], update(tainted)).replies;
    expect(reply).toEqual(why === '' ? ok : { code: 422, reason: 'Invalid', message });
    const [first] = served([], create(tainted)).replies;
    expect(first).toEqual(why === '' ? made : { code: 422, reason: 'Invalid', message });
  });
});

describe('ValidateObjectMetaUpdatePreventsDeletionFieldMutation', () => {
  // Two rows end in a refusal only in the function under upstream's test: before it is called, an
  // update without these fields, or with another deletionTimestamp, gets the stored ones.
  const rows = rowsOf(`
    valid without deletion fields              |                       |                       |
    valid with deletion fields | deletionTimestamp: SET, deletionGracePeriodSeconds: 30
        | deletionTimestamp: SET, deletionGracePeriodSeconds: 30 |
    invalid set deletionTimestamp | | deletionTimestamp: SET
        | metadata.deletionTimestamp: Invalid value: "2026-01-02T00:00:00Z": field is immutable
    clear deletionTimestamp                    | deletionTimestamp: SET |                       |
    change deletionTimestamp                   | deletionTimestamp: SET | deletionTimestamp: "2027-01-02T00:00:00Z" |
    invalid set deletionGracePeriodSeconds | | deletionGracePeriodSeconds: 30
        | metadata.deletionGracePeriodSeconds: Invalid value: 30: field is immutable
    clear deletionGracePeriodSeconds           | deletionGracePeriodSeconds: 30 |              |
    invalid change deletionGracePeriodSeconds | deletionGracePeriodSeconds: 30 | deletionGracePeriodSeconds: 40
        | metadata.deletionGracePeriodSeconds: Invalid value: 40: field is immutable
  `);
  const fieldsIn = (text: string) => parse(`{${text.replace('SET', '"2026-01-02T00:00:00Z"')}}`);
  test.each(rows)('%s', (_, before = '', after = '', refusal = '') => {
    const old = configMap('it', { finalizers: [xa], ...fieldsIn(before) });
    const fresh = configMap('it', { finalizers: [xa], ...fieldsIn(after) });
    expect(served([old], update(fresh))).toEqual({
      replies: [refusal === '' ? ok : invalid(refusal)],
      stored: [
        {
          ownerReferences: [],
          finalizers: [xa],
          deletionTimestamp: old.deletionTimestamp,
          deletionGracePeriodSeconds: old.deletionGracePeriodSeconds,
        },
      ],
    });
  });
});

describe('HandleFinalizers', () => {
  const held = configMap('it', { finalizers: [xa] });
  const released = { ...held, finalizers: [] };

  test('NonGracefulStoreHandleFinalizers', () => {
    const stays = { ...terminating, deletionTimestamp: '2026-01-03T00:00:00Z' };
    const marked = { ownerReferences: [], finalizers: [xa], ...stays };
    expect(served([held], remove(held))).toEqual({ replies: [ok], stored: [marked] });
    const relabelled = { ...held, labels: { app: 'shop' } };
    expect(served([held], remove(held), update(relabelled)).stored).toEqual([marked]);
    expect(served([held], remove(held), update(released))).toEqual({
      replies: [ok, ok],
      stored: [],
    });
  });

  test('GracefulStoreHandleFinalizers', () => {
    const facts = { nodeName: 'node-1', terminationGracePeriodSeconds: 30 };
    const running = pod('it', { facts, finalizers: [xa] });
    const free = { ...running, finalizers: [] };
    const force = remove(running, undefined, { gracePeriodSeconds: 0 });
    const graceful = [remove(running), update(free)];
    expect(served([running], ...graceful).stored).toEqual([
      {
        ownerReferences: [],
        finalizers: [],
        deletionTimestamp: '2026-01-03T00:00:30Z',
        deletionGracePeriodSeconds: 30,
      },
    ]);
    expect(served([running], remove(running), force, update(free)).stored).toEqual([]);
  });
});

test('ValidateDeleteOptions: orphanDependents and propagationPolicy cannot both be said', () => {
  const options = { orphanDependents: true };
  expect(served([configMap('it')], remove(configMap('it'), 'Orphan', options)).replies).toEqual([
    {
      code: 422,
      reason: 'Invalid',
      message:
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    },
  ]);
});
