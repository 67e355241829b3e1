import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nowhere } from '../../src/command-line/shell-command.ts';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { keepBackup, keepsBackup } from '../../src/perform/keep-backup.ts';
import type { RunReport } from '../../src/perform/perform-options.ts';
import { configMap, node, servedTypes } from '../support/builders.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { FakeCluster } from './send/fake-cluster.ts';
import { deletionOf, planned, planOf, requestFor } from './send/plans.ts';

const [a, b] = [configMap('a'), configMap('b')];
const one = deletionOf(a);
const two = deletionOf(a, b);
const kept = planOf([requestFor(a)], [planned(a, 'kept')]);
const problem = {
  reason: 'forbidden',
  message: 'no',
  resource: 'secrets',
  apiVersion: 'v1',
} as const;
const unread: Plan = {
  ...one,
  coverage: { ...one.coverage, complete: false, problems: [problem] },
};

test.each<['all' | 'some' | 'none', boolean[]]>([
  ['none', [false, false, false, false]],
  ['some', [false, false, true, true]],
  ['all', [false, true, true, true]],
])(
  'a backup of %s: of no object, one, two, and one with others that may be deleted',
  (of, saved) => {
    const wish = { of, directory: undefined, encrypt: async () => undefined };
    expect([kept, one, two, unread].map((plan) => keepsBackup(plan, wish))).toEqual(saved);
  },
);

const folder = temporaryFolder();
let count = 0;

test.each<[string, ObjectRecord, boolean]>([
  ['of an object that a restore creates, its command is reported', a, true],
  ['of a Node, which its kubelet registers, none is', node('worker'), false],
])('of a backup %s', async (_, record, isRestored) => {
  const { client } = new FakeCluster([record]);
  const said: RunReport[] = [];
  const backup = await keepBackup(
    deletionOf(record),
    { client, types: servedTypes, place: nowhere },
    { directory: join(folder, `${count++}`), encrypt: undefined },
    { ask: async () => true, report: (report) => void said.push(report) },
    new AbortController().signal,
  );
  backup.announce();
  expect(said.some((report) => 'command' in report)).toBe(isRestored);
});
