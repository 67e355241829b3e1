import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Removal } from '../../src/history/deletions/removal.ts';
import {
  deletersIn,
  type Judged,
  judgePartly,
  judgeRemoval,
  lastOfName,
  targetOf,
  withoutSome,
} from '../support/compare-removals.ts';
import { gcHere } from '../support/run-here.ts';
import type { TrueRemoval } from '../support/true-removals.ts';
import { playDeletions, stageOf } from './deleted-plays.ts';
import { record } from './deleted-recording.ts';
import type { AuditOptions, Stage } from './deleted-stage.ts';
import { randomFrom } from './seeded-random.ts';

/**
 * Deletions of every kind, and what `deleted` finds in the audit log of a real API server. The truth is known, because the
 * test plays it. RECORD_AUDIT_LOGS is a folder that takes what was played, for tests without a control plane.
 */
const { RECORD_AUDIT_LOGS: recordings } = process.env;

interface Mode extends AuditOptions {
  readonly isQuick: boolean;
  /** What the log does not hold though a snapshot from before is there. */
  readonly missing: readonly string[];
  /** The snapshots that are recorded with the log; none of it is by default. */
  readonly recorded?: readonly ('before' | 'after')[];
}

/** A Pod that was created after the snapshot: its creation names no Pod, but a prefix and the owner. */
const createdLater = ['cronjob-history/pod', 'scaled-then-deleted-by-user/replacement'];
/** The references that counted were set by a request whose body is not in the log. */
const referredLater = ['second-owner-added-later/owned', 'statefulset-scaled/scaled-claim'];
const atMetadata = [...createdLater, ...referredLater];

const modes: readonly Mode[] = [
  {
    level: 'Metadata',
    usesServiceAccounts: true,
    isQuick: false,
    missing: atMetadata,
    recorded: ['before', 'after'],
  },
  {
    level: 'Request',
    usesServiceAccounts: false,
    isQuick: false,
    missing: createdLater,
    recorded: ['before'],
  },
  { level: 'Metadata', usesServiceAccounts: false, isQuick: true, missing: atMetadata },
  { level: 'Request', usesServiceAccounts: true, isQuick: true, missing: createdLater },
  // The creations hold names and owners: a snapshot adds nothing.
  {
    level: 'RequestResponse',
    usesServiceAccounts: true,
    isQuick: true,
    missing: [],
    recorded: [],
  },
];

describe.each(modes)('level $level, accounts of controllers: $usesServiceAccounts', (mode) => {
  let stage: Stage;
  let all: readonly TrueRemoval[] = [];
  let truths: readonly TrueRemoval[] = [];
  const earlier = () => join(stage.folder, 'before.json.gz');

  beforeAll(async () => {
    stage = await stageOf(mode);
    const played = await playDeletions(stage, {
      isQuick: mode.isQuick,
      beforeDeletions: () => stage.saveSnapshot(earlier()),
    });
    await stage.saveSnapshot(join(stage.folder, 'after.json.gz'));
    expect(played.failures).toEqual([]);
    const { recorded } = mode;
    if (recordings && recorded) record(stage, played.truth, recordings, recorded);
    all = played.truth.removals;
    truths = lastOfName(all);
    await stage.plane.stop();
  });
  afterAll(() => stage.stop());

  test('at least 60 deletions were played', () => {
    expect(truths.length).toBeGreaterThan(60);
  });

  test('with a snapshot from before, the chain is the true one', async () => {
    const judged = await judgeAll(truths, `--audit-log ${stage.auditPath} --before ${earlier()}`);
    expect(listed(judged, 'wrong')).toEqual([]);
    const short = judged.filter(({ id }) => !mode.missing.includes(id));
    expect(listed(short, 'short')).toEqual([]);
  });

  test('without a snapshot, nobody is named wrongly', async () => {
    const judged = await judgeAll(truths, `--audit-log ${stage.auditPath}`);
    expect(listed(judged, 'wrong')).toEqual([]);
    expect(judged.filter(({ verdict }) => verdict === 'true').length).toBeGreaterThan(40);
  });

  test.each([1, 4, 7])('with %i of 10 lines lost, nobody is named wrongly', async (tenths) => {
    const random = randomFrom(tenths);
    const path = join(stage.folder, `lost-${tenths}.log`);
    const lines = stage.auditLog();
    const deleters = deletersIn(lines);
    const asked = Array.from({ length: 20 }, () => truths[random(truths.length)]);
    const judged: Verdicts = [];
    for (const [at, truth] of asked.entries()) {
      if (!truth) continue;
      writeFileSync(path, `${withoutSome(lines, tenths, random).join('\n')}\n`);
      const snapshot = at % 2 === 0 ? ` --before ${earlier()}` : '';
      const judge = (one: TrueRemoval, removal: Removal) =>
        judgePartly(all, one, removal, deleters);
      judged.push(...(await judgeAll([truth], `--audit-log ${path}${snapshot}`, judge)));
    }
    expect(listed(judged, 'wrong')).toEqual([]);
  });
});

type Verdicts = (Judged & { readonly id: string })[];

async function judgeAll(
  truths: readonly TrueRemoval[],
  sources: string,
  judge: (truth: TrueRemoval, removal: Removal) => Judged = judgeRemoval,
): Promise<Verdicts> {
  const judged: Verdicts = [];
  for (const truth of truths) {
    const removal = await removalOf(truth, sources);
    const unknown: Judged = { verdict: 'short', because: 'not found' };
    judged.push({ id: truth.id, ...(removal ? judge(truth, removal) : unknown) });
  }
  return judged;
}

/** What the command says; undefined where it knows no such object. */
async function removalOf(truth: TrueRemoval, sources: string): Promise<Removal | undefined> {
  const scope = truth.namespace === '' ? '' : `-n ${truth.namespace} `;
  const run = await gcHere(`deleted ${targetOf(truth)} ${scope}${sources} -o json`);
  if (run.stdout === '') {
    // Neither a kind nor a name that no line and no snapshot holds can be found.
    expect(run.stderr, truth.id).toMatch(/is in no log|not found|doesn't have a resource type/);
    return undefined;
  }
  const document = JSON.parse(run.stdout) as { readonly kind: string; readonly removal: Removal };
  expect(document.kind).toBe('DeletionChain');
  return document.removal;
}

function listed(judged: Verdicts, verdict: Judged['verdict']) {
  return judged
    .filter((one) => one.verdict === verdict)
    .map(({ id, because }) => `${id}: ${because}`);
}
