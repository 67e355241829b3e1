import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { historyOf } from '../../../src/history/deletions/history.ts';
import type { RemovalLink } from '../../../src/history/deletions/removal.ts';
import { removalOf } from '../../../src/history/deletions/removal-chain.ts';
import { chainRemarks, chainTable } from '../../../src/questions/deleted/chain-text.ts';
import { accountOf } from '../../../src/questions/deleted/deletion-words.ts';
import type { DeletionChain } from '../../../src/questions/deleted/document.ts';
import { documentHead } from '../../../src/snapshot/snapshot.ts';
import { requestsOf } from '../../history/deletions/audited-requests.ts';

const object = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'p' };
const link: RemovalLink = {
  object,
  cause: 'request',
  certainty: 'seen',
  because: 'requested',
  evidence: [],
};

function chainOf(
  links: readonly RemovalLink[],
  sources: DeletionChain['sources'] = {},
): DeletionChain {
  const removal = { object, links, earlier: 0 };
  return { ...documentHead('DeletionChain', 0, 1, []), sources, removal };
}

test.each([
  ['seen', 'requested; removed at T by a patch of bob'],
  ['might be', 'requested; might have been removed at T by a patch of bob'],
] as const)('the last request for an object that was being deleted, %s', (certainty, words) => {
  const requester = { user: 'bob', userAgent: 'kubectl/v1.36.3' };
  const ended = { at: 'T', verb: 'patch', requester, certainty, auditId: '7' };
  const table = chainTable(chainOf([{ ...link, ended }]), {
    colour: false,
    width: undefined,
    now: 0,
  });
  expect(table.trimEnd().split(/ {3,}/).at(-1)).toBe(words);
});

test.each([
  [undefined, '<unknown>'],
  [{ user: '' }, '<unknown>'],
  [{ user: '', impersonated: 'ann' }, 'ann'],
  [{ user: 'jane', impersonated: 'ann' }, 'ann (impersonated by jane)'],
])('the account of %j', (requester, words) => {
  expect(accountOf(requester && { userAgent: '', ...requester })).toBe(words);
});

test('an unknown end names the times without an event in the log', () => {
  const gaps = [{ from: 'T2', to: 'T3' }];
  const log = { from: 'T1', to: 'T4', events: 9, gaps };
  expect(chainRemarks(chainOf([{ ...link, cause: 'unknown' }], { log }))).toMatchInlineSnapshot(`
    [
      "The audit log contains requests from T1 to T4.",
      "It has no request from T2 to T3: a file might be missing.",
    ]
  `);
  expect(chainRemarks(chainOf([link], { log }))).toEqual([]);
});

test('each rule that an audit policy lacks names users or groups: one with both matches neither account', () => {
  const requests = requestsOf('alice delete namespaces shop uid=n');
  const removal = removalOf(historyOf({ requests }), { ...object, resource: 'pods' });
  const [policy = ''] = removal?.links.flatMap(({ next }) => next ?? []) ?? [];
  const rules = (policy.match(/\{[^}]*\}/g) ?? []).map((rule) => parse(rule));
  const shared = { level: 'Metadata', verbs: ['delete', 'deletecollection'] };
  expect(rules).toEqual([
    { ...shared, users: ['system:kube-controller-manager'] },
    { ...shared, userGroups: ['system:serviceaccounts:kube-system'] },
  ]);
});

test('remarks name a new object of that name, earlier ones, and backups', () => {
  const chain = chainOf([link]);
  const recreated = { at: 'T5', requester: { user: 'bob', userAgent: '' } };
  const removal = { ...chain.removal, recreated, earlier: 2 };
  expect(chainRemarks({ ...chain, removal, backup: 'backups/one' })).toMatchInlineSnapshot(`
    [
      "Another object of that name was created at T5 by bob.",
      "2 earlier objects of that name were deleted, too: --until shows an earlier time.",
      "Saved in backup backups/one.",
    ]
  `);
  expect(chainRemarks({ ...chain, backup: 'backups/one', backupCertainty: 'might be' })).toEqual([
    'Backup backups/one contains an object of that name, which might be another one.',
  ]);
});
