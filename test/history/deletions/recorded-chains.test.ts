import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readAuditLogs } from '../../../src/history/audit-log/read-audit-logs.ts';
import { type HistorySources, historyOf } from '../../../src/history/deletions/history.ts';
import { removalOf } from '../../../src/history/deletions/removal-chain.ts';
import { openFiles } from '../../../src/shell/input/read-files.ts';
import {
  type Deleters,
  deletersIn,
  type Judged,
  judgePartly,
  judgeRemoval,
  lastOfName,
} from '../../support/compare-removals.ts';
import type { TrueRemoval, TrueRemovals } from '../../support/true-removals.ts';

/** What a real control plane logged of deletions whose chains are known: test/live/deleted-chains.test.ts records them. */
const recorded = 'test/fixtures/audit-logs';
const recordings = await Promise.all(
  readdirSync(recorded).map(async (name) => {
    const folder = `${recorded}/${name}`;
    const unpacked = (file: string) => gunzipSync(readFileSync(`${folder}/${file}`)).toString();
    const isThere = new Set(readdirSync(folder));
    const snapshotIn = (file: string) =>
      isThere.has(file) ? openFiles({}, [`${folder}/${file}`]) : undefined;
    const { removals } = JSON.parse(unpacked('truth.json.gz')) as TrueRemovals;
    const { requests } = await readAuditLogs([`${folder}/audit.log.gz`]);
    const [before, after] = await Promise.all([
      snapshotIn('before.json.gz'),
      snapshotIn('after.json.gz'),
    ]);
    const deleters = deletersIn(unpacked('audit.log.gz').trim().split('\n'));
    return { name, removals, requests, before, after, deleters };
  }),
);

function verdictsOf(
  truths: readonly TrueRemoval[],
  sources: HistorySources,
  judge: (
    truth: TrueRemoval,
    removal: NonNullable<ReturnType<typeof removalOf>>,
  ) => Judged = judgeRemoval,
) {
  const history = historyOf(sources);
  return truths.map((truth) => {
    const { group, resource, namespace, name } = truth;
    const place = { resource: group === '' ? resource : `${resource}.${group}`, namespace, name };
    const removal = removalOf(history, place);
    return {
      id: truth.id,
      ...(removal ? judge(truth, removal) : { verdict: 'short', because: 'not found' }),
    };
  });
}

const listed = (verdicts: ReturnType<typeof verdictsOf>, wanted: string) =>
  verdicts.flatMap(({ id, verdict, because }) => (verdict === wanted ? `${id}: ${because}` : []));

/** Chains that may end early, as a log of that level does not hold more: without a snapshot, and with one from before. */
const mostShort: Readonly<Record<string, readonly [alone: number, withSnapshot: number]>> = {
  'metadata-service-accounts': [53, 4],
  request: [34, 2],
  'requestresponse-service-accounts': [8, 8],
};

describe.each(recordings)('$name', ({ name, removals, requests, before, after, deleters }) => {
  const truths = lastOfName(removals);
  const kinds = [
    ['alone', { requests }],
    ['and an earlier snapshot', { requests, before }],
    ['and snapshots around it', { requests, before, after }],
  ] as const;

  test.each(kinds)('a whole log %s: nothing is wrong', (_, sources) => {
    const verdicts = verdictsOf(truths, sources);
    expect(listed(verdicts, 'wrong')).toEqual([]);
    const [alone = 0, withSnapshot = 0] = mostShort[name] ?? [];
    const most = 'before' in sources ? withSnapshot : alone;
    expect(listed(verdicts, 'short').length).toBeLessThanOrEqual(most);
  });

  test.each(kinds)('a log that has lost lines, %s: nobody is named wrongly', (_, sources) => {
    const random = seeded(name.length);
    const judge = (truth: TrueRemoval, removal: NonNullable<ReturnType<typeof removalOf>>) =>
      judgePartly(removals, truth, removal, deleters as Deleters);
    const wrong = Array.from({ length: 60 }, () => {
      const kept = 0.1 + 0.8 * random();
      const some = requests.filter(() => random() < kept);
      return listed(verdictsOf(truths, { ...sources, requests: some }, judge), 'wrong');
    });
    expect([...new Set(wrong.flat())]).toEqual([]);
  });
});

/** Numbers from 0 to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
