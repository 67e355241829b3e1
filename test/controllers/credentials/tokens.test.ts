import { describe, expect, test } from 'vitest';
import { bootstrapTokenCleaner } from '../../../src/controllers/credentials/bootstrap-token-cleaner.ts';
import { legacyServiceAccountTokenCleaner } from '../../../src/controllers/credentials/legacy-serviceaccount-token-cleaner.ts';
import { serviceAccountToken } from '../../../src/controllers/credentials/serviceaccount-token.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, type Details, pod, secret } from '../../support/builders.ts';
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
  const of = (expiration: string | undefined, namespace = 'kube-system') =>
    timed(bootstrapTokenCleaner, [
      secret('t', {
        namespace,
        facts: { secretType: 'bootstrap.kubernetes.io/token', ...(expiration && { expiration }) },
      }),
    ]);

  test.each([
    ['none', of(undefined), []],
    ['past', of(ago(1000)), [['t', 0, 0]]],
    ['coming', of(ago(-60_000)), [['t', 60, 60]]],
    ['unreadable', of('unreadable'), [['t', 0, 0]]],
    ['another namespace', of(ago(1000), 'shop'), []],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});

describe('tokens of ServiceAccounts that are gone (SAT-5)', () => {
  const robot = account('robot');

  test.each<[string, ObjectRecord[], object, string[]]>([
    ['gone', [tokenOf('t')], {}, ['t']],
    ['there', [tokenOf('t'), robot], {}, []],
    [
      'made anew',
      [tokenOf('t', { annotations: { [name]: 'robot', [uid]: 'old' } }), robot],
      {},
      ['t'],
    ],
    ['not read', [tokenOf('t')], { unread: ['serviceaccounts'] }, []],
    ['of no account', [tokenOf('t', { annotations: undefined })], {}, []],
    ['another type', [secret('t', { annotations: { [name]: 'robot' }, facts: {} })], {}, []],
  ])('%s', (_, records, options, names) => {
    expect(decided(serviceAccountToken, records, options)).toEqual(names);
  });
});

describe('legacy tokens (SAT-3, SAT-4)', () => {
  const robot = account('robot', { facts: { secrets: ['t'] } });
  const actionsOn = (details: Details, ...others: ObjectRecord[]) =>
    decide(legacyServiceAccountTokenCleaner, [tokenOf('t', details), robot, ...others]).map(
      ({ action, patch, confidence }) => [action, patch?.body.metadata, confidence],
    );
  const marked = [['patch', { labels: { [invalid]: '2026-01-31' } }, 'likely']];

  test.each<[string, Details, ObjectRecord[], unknown[]]>([
    ['never used', {}, [], marked],
    ['used long ago', { labels: { [used]: '2024-12-01' } }, [], marked],
    ['used since', { labels: { [used]: '2025-12-01' } }, [], []],
    ['used at no date', { labels: { [used]: 'yesterday' } }, [], []],
    ['young', { creationTimestamp: ago(300 * day) }, [], []],
    ['marked lately', { labels: { [invalid]: '2025-12-01' } }, [], []],
    [
      'marked long ago',
      { labels: { [invalid]: '2024-12-01' } },
      [],
      [['delete', undefined, 'likely']],
    ],
    ['marked at no date', { labels: { [invalid]: 'x' } }, [], marked],
    [
      'in a volume',
      {},
      [pod('p', { facts: { nodeName: '', volumes: [{ name: 'v', secretName: 't' }] } })],
      [],
    ],
    [
      'in a variable',
      {},
      [pod('p', { facts: { nodeName: '', initContainers: [{ name: 'c', env: ['t'] }] } })],
      [],
    ],
    ['for an image', {}, [pod('p', { facts: { nodeName: '', imagePullSecrets: ['t'] } })], []],
    ['perhaps by a pod of which only metadata was read', {}, [pod('p')], []],
  ])('%s', (_, details, others, actions) => {
    expect(actionsOn(details, ...others)).toEqual(actions);
  });

  test('those made by hand stay, and the period is a setting', () => {
    const byHand = account('robot', { facts: {} });
    const settings = { legacyServiceAccountTokenCleanUpPeriod: 900 * day };
    expect([
      decided(legacyServiceAccountTokenCleaner, [tokenOf('t'), byHand]),
      decided(legacyServiceAccountTokenCleaner, [tokenOf('t'), robot], { settings }),
    ]).toEqual([[], []]);
  });
});
