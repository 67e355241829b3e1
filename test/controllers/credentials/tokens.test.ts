import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { bootstrapTokenCleaner } from '../../../src/controllers/credentials/bootstrap-token-cleaner.ts';
import { legacyServiceAccountTokenCleaner } from '../../../src/controllers/credentials/legacy-serviceaccount-token-cleaner.ts';
import { serviceAccountToken } from '../../../src/controllers/credentials/serviceaccount-token.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, type Details, pod, secret } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { ago, day, decide, decided, timed } from '../decided.ts';

const account = builderOf('v1', 'ServiceAccount');
const name = 'kubernetes.io/service-account.name';
const uid = 'kubernetes.io/service-account.uid';
const used = 'kubernetes.io/legacy-token-last-used';
const invalid = 'kubernetes.io/legacy-token-invalid-since';

function tokenOf(token: string, details: Details = {}): ObjectRecord {
  return secret(token, {
    creationTimestamp: ago(800 * day),
    annotations: { [name]: 'robot' },
    facts: { secretType: 'kubernetes.io/service-account-token' },
    ...details,
  });
}

describe('bootstrap tokens (BT-1)', () => {
  const bootstrapToken = (expiration: string | undefined, details: Details = {}) =>
    secret('t', {
      namespace: 'kube-system',
      facts: { secretType: 'bootstrap.kubernetes.io/token', ...(expiration && { expiration }) },
      ...details,
    });

  test.each<[string, ObjectRecord, unknown[]]>([
    ['none', bootstrapToken(undefined), []],
    ['past', bootstrapToken(ago(1000)), [['t', 0, 0]]],
    ['coming', bootstrapToken(ago(-60_000)), [['t', 60, 60]]],
    ['unreadable', bootstrapToken('unreadable'), [['t', 0, 0]]],
    ['another namespace', bootstrapToken(ago(1000), { namespace: 'shop' }), []],
    ['another type', bootstrapToken('', { facts: { expiration: ago(1000) } }), []],
    ['being deleted', bootstrapToken(ago(1000), { deleting: 'background' }), []],
  ])('%s', (_, record, expected) => {
    expect(timed(bootstrapTokenCleaner, [record])).toEqual(expected);
  });

  test('go by uid, so that one of the same name stays', () => {
    const [decision] = decide(bootstrapTokenCleaner, [bootstrapToken(ago(1000))]);
    expect(decision?.options).toEqual({ uid: 'uid-secret-kube-system-t' });
  });
});

describe('tokens of deleted ServiceAccounts (SAT-5)', () => {
  const robot = account('robot');

  const made = (by: string) => tokenOf('t', { annotations: { [name]: 'robot', [uid]: by } });
  test.each<[string, ObjectRecord[], object, string[]]>([
    ['gone', [tokenOf('t')], {}, ['t']],
    ['there', [tokenOf('t'), robot], {}, []],
    ['there, and it made them', [made(robot.uid), robot], {}, []],
    ['with an empty uid', [made(''), robot], {}, []],
    ['made anew', [made('old'), robot], {}, ['t']],
    ['made anew, of those in part', [made('old'), robot], { unread: ['serviceaccounts'] }, ['t']],
    ['not read', [tokenOf('t')], { unread: ['serviceaccounts'] }, []],
    ['of no account', [tokenOf('t', { annotations: undefined })], {}, []],
    ['another type', [secret('t', { annotations: { [name]: 'robot' }, facts: {} })], {}, []],
    ['being deleted', [tokenOf('t', { deleting: 'background' })], {}, []],
  ])('%s', (_, records, options, names) => {
    expect(decided(serviceAccountToken, records, options)).toEqual(names);
  });

  test('go by uid, so that one of the same name stays', () => {
    const [decision] = decide(serviceAccountToken, [tokenOf('t')]);
    expect([decision?.rule, decision?.options]).toEqual(['SAT-5', { uid: 'uid-secret-shop-t' }]);
  });
});

describe('legacy tokens (SAT-3, SAT-4)', () => {
  const robot = account('robot', { facts: { secrets: ['t'] } });
  const actionsOn = (details: Details, ...others: ObjectRecord[]) =>
    decide(legacyServiceAccountTokenCleaner, [tokenOf('t', details), robot, ...others]).map(
      ({ action, patch, confidence }) => [action, patch?.body.metadata, confidence],
    );
  const marked = [['patch', { labels: { [invalid]: '2026-01-31' } }, 'likely']];
  const deletes = [['delete', undefined, 'likely']];

  const rows = rowsOf(`
    never used                           |                                    | marked
    used long ago                        | {labels: {USED: 2024-12-01}}       | marked
    used since                           | {labels: {USED: 2025-12-01}}       | stays
    used a year ago                      | {labels: {USED: 2025-01-31}}       | stays
    used at no date                      | {labels: {USED: yesterday}}        | stays
    young                                | {creationTimestamp: "2025-04-06T12:00:00Z"} | stays
    marked lately                        | {labels: {INVALID: 2025-12-01}}    | stays
    marked a year ago                    | {labels: {INVALID: 2025-01-31}}    | stays
    marked long ago                      | {labels: {INVALID: 2024-12-01}}    | deleted
    marked at no date                    | {labels: {INVALID: x}}             | marked
    marked with more than a date         | {labels: {INVALID: 2024-12-01x}}   | marked
    marked with a date after a word      | {labels: {INVALID: x2024-12-01}}   | marked
    marked at a day that no month has    | {labels: {INVALID: 2024-02-30}}    | marked
    being deleted                        | {deleting: background}             | stays
  `);
  test.each(rows)('%s', (_, details = '', end) => {
    const given = parse(details.replace('USED', used).replace('INVALID', invalid)) ?? {};
    expect(actionsOn(given)).toEqual({ marked, deleted: deletes }[end ?? ''] ?? []);
  });

  const users = rowsOf(`
    not by a pod that names no Secret              |                                              | marked
    in a volume                                    | volumes: [{name: v, secretName: t}]          | stays
    in a variable                                  | initContainers: [{name: c, env: [{secretName: t}]}]        | stays
    for an image                                   | imagePullSecrets: [t]                        | stays
    perhaps by a pod of which only metadata was read | unread                                     | stays
  `);
  test.each(users)('used %s', (_, spec = '', end) => {
    const facts = spec === 'unread' ? undefined : { nodeName: '', ...parse(spec) };
    const pods = [pod('p', { facts: { nodeName: '' } }), pod('q', { facts })];
    expect(actionsOn({}, ...pods)).toEqual(end === 'marked' ? marked : []);
  });

  test('pods that could not be read may use them', () => {
    const records = [tokenOf('t'), robot];
    expect(decided(legacyServiceAccountTokenCleaner, records, { unread: ['pods'] })).toEqual([]);
  });

  test('one is deleted as it was read, within a day', () => {
    const long = { labels: { [invalid]: '2024-12-01' }, resourceVersion: '7' };
    const [decision] = decide(legacyServiceAccountTokenCleaner, [tokenOf('t', long), robot]);
    expect(decision?.options).toEqual({ resourceVersion: '7' });
    expect(decision?.because).toMatchInlineSnapshot(
      `"it was not used for 365 days and no pod refers to it; it has been marked as invalid since 2024-12-01, provided that API servers have tracked tokens for that long, which a ConfigMap that was not read records"`,
    );
    expect(timed(legacyServiceAccountTokenCleaner, [tokenOf('t', long), robot])).toEqual([
      ['t', 0, 86_400],
    ]);
  });

  test('tokens that users made stay, and the period is a setting', () => {
    const byHand = account('robot', { facts: {} });
    const settings = { legacyServiceAccountTokenCleanUpPeriod: 900 * day };
    expect([
      decided(legacyServiceAccountTokenCleaner, [tokenOf('t'), byHand]),
      decided(legacyServiceAccountTokenCleaner, [tokenOf('t'), robot], { settings }),
    ]).toEqual([[], []]);
  });
});
