import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findInvalidReferences } from '../../../src/audit/invalid-references.ts';
import { hour } from '../../../src/kube/time.ts';
import { forecastReport } from '../../../src/questions/forecast/document.ts';
import { invalidReferencesReport } from '../../../src/questions/invalid-ownerrefs/document.ts';
import { render } from '../../../src/questions/render.ts';
import { type StatusReport, statusReport } from '../../../src/questions/status/document.ts';
import { stuckDeletionsReport } from '../../../src/questions/why/stuck-document.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import { buildGraph } from '../../../src/snapshot/graph/graph.ts';
import { headOf } from '../../../src/snapshot/snapshot.ts';
import { diagnosesIn } from '../../../src/why/investigate.ts';
import { asPublished } from '../../contract/valid-document.ts';
import { anySnapshot } from '../../support/any-snapshot.ts';
import { anyNames } from '../../support/hostile-names.ts';

const now = Date.parse('2026-01-31T12:00:00Z');
const look = { colour: false, width: 80, now };

/** Rows on a terminal of 80 columns: a command that is longer goes on in the next. */
const rowsOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / 80)), 0);

describe('a status is one screen of 22 rows at 80 columns', () => {
  test('whatever the cluster, and the document is as published', async () => {
    await fc.assert(
      fc.asyncProperty(anySnapshot(), async (snapshot) => {
        const graph = buildGraph(snapshot);
        const diagnosis = diagnosesIn(snapshot, now);
        const chains = snapshot.records.map((record) => ({ chain: diagnosis(record) }));
        const { coverage } = headOf('StuckDeletions', snapshot);
        const at = '2026-01-31T12:00:00Z';
        const place = { connection: [], files: [] };
        const report = statusReport(
          {
            deletions: stuckDeletionsReport(chains, coverage, at, place),
            forecast: forecastReport(snapshot, {
              now,
              within: hour,
              settings: defaultControllerSettings,
            }),
            references: invalidReferencesReport(graph, findInvalidReferences(graph)),
            remaining: [],
            health: 'files: unknown',
          },
          { within: '1h', namespace: undefined, place },
        );
        asPublished('status', report);
        expect(rowsOf(await render(report, 'table', look))).toBeLessThanOrEqual(22);
      }),
      { numRuns: 30 },
    );
  });

  test('whatever the names, the counts and the flags of the call', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyNames,
        fc.nat(20),
        fc.nat(90_000),
        fc.nat(500),
        async ({ object: name }, parts, count, length) => {
          const report = hugeReport(name, parts, count, `--context=${'x'.repeat(length)}`);
          const table = await render(report, 'table', look);
          expect(rowsOf(table)).toBeLessThanOrEqual(22);
          const titles = [
            'SCOPE',
            'DELETIONS',
            'NEXT HOUR',
            ...['FINISHED PODS', 'RELEASED VOLUMES'].slice(0, parts),
            'WRONG REFERENCES',
            'GARBAGE COLLECTOR',
            'DELETION GUARD',
            'NOT READ',
          ];
          const shown = table.split('\n').filter((line) => /^[A-Z]/.test(line));
          expect(shown.map((line) => titles.find((title) => line.startsWith(title)))).toEqual(
            titles,
          );
        },
      ),
      { numRuns: 200 },
    );
  });
});

test('prints the whole cause, and counts what is not listed', async () => {
  const { deletions, ...report } = hugeReport('web', 1, 0, '');
  const [worst] = deletions.worst as [StatusReport['deletions']['worst'][number]];
  const blocker = {
    ...worst.blockers[0],
    object: { ...worst.object, kind: 'Database', name: 'catalog'.repeat(9) },
    finalizer: `${'platform'.repeat(9)}.example.com/final-backup`,
  } as (typeof worst.blockers)[number];
  const first = { ...worst, state: 'unknown' as const, blockers: [blocker] };
  const causes = Array.from({ length: 10 }, () => ({ count: 2, first }));
  const full = { ...deletions, stuck: 0, unknown: 25, progressing: 0, causes };
  const table = await render({ ...report, deletions: full }, 'table', look);
  const [cause = '', more = ''] =
    /^ {2}(might[\s\S]*?)\n {2}(and .*)$/m.exec(table)?.slice(1) ?? [];
  expect(cause.replaceAll(/\n\s+/g, '')).toContain(
    `…/final-backup of Database/${'catalog'.repeat(9)}`,
  );
  const shown = table.match(/^ {2}might/gm)?.length ?? 0;
  expect(more).toBe(`and ${25 - 2 * shown} more`);
});

test('a deletion that only a controller has to end waits for nothing', async () => {
  const { deletions, ...report } = hugeReport('web', 1, 0, '');
  const [worst] = deletions.worst as [StatusReport['deletions']['worst'][number]];
  const causes = [{ count: 1, first: { ...worst, state: 'progressing' as const, blockers: [] } }];
  const table = await render({ ...report, deletions: { ...deletions, causes } }, 'table', look);
  expect(table.split('\n')[2]).toBe('  in progress, deleting for 24h: Pod/web in web');
});

test.each([
  [
    'all was read',
    { complete: true, kinds: 3, objects: 9 },
    'nothing is being deleted | no deletions | none',
  ],
  [
    'a part was read',
    { complete: false, kinds: 0, objects: 9 },
    Array(3).fill('none found in what could be read').join(' | '),
  ],
  [
    'nothing was read',
    { complete: false, kinds: 0, objects: 0 },
    Array(3).fill('unknown: nothing could be read').join(' | '),
  ],
])('qualifies empty results by coverage: %s', async (_, read, words) => {
  const { coverage, deletions, due, references, ...rest } = hugeReport('web', 0, 0, '');
  const { complete } = read;
  const none = { stuck: 0, total: 0, complete };
  const report: StatusReport = {
    ...rest,
    coverage: { ...read, problems: complete ? [] : coverage.problems },
    deletions: { ...deletions, ...none },
    due: { ...due, ...none },
    references: { ...references, ...none },
  };
  const linesOf = async (colour: boolean) => {
    const lines = (await render(report, 'table', { ...look, colour })).split('\n');
    return lines.filter((line) => /DELETIONS|NEXT HOUR|WRONG REFERENCES/.test(line));
  };
  const heads = (await linesOf(false)).map((line) => line.replace(/^[A-Z ]+ {2}/, ''));
  expect(heads.join(' | ')).toBe(words);
  const green = (await linesOf(true)).filter((line) => line.includes('\u001b[32m'));
  expect(green).toHaveLength(complete ? 3 : 0);
});

/** A status whose every part is full of the same names. */
function hugeReport(name: string, parts: number, count: number, flag: string): StatusReport {
  const object = { apiVersion: 'v1', kind: 'Pod', namespace: name, name, uid: name };
  const many = <T>(one: T) => Array.from({ length: parts }, () => one);
  const action = { confidence: 'certain', notBefore: '2026-01-31T12:00:00Z' };
  const blocker = { object: { ...object, name: `${name}2` }, cause: 'finalizer-waiting' };
  const since = '2026-01-30T12:00:00Z';
  const unended = { object, state: 'stuck', since, blockers: [blocker] };
  const report = {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Status',
    coverage: {
      complete: false,
      kinds: 3,
      objects: count,
      problems: Array.from({ length: parts + 1 }, (_, at) => ({
        reason: 'unavailable',
        message: `${name} ${at}`,
      })),
    },
    at: '2026-01-31T12:00:00Z',
    until: '2026-01-31T13:00:00Z',
    verdict: 'wrong',
    deletions: {
      stuck: count + 1,
      unknown: count,
      progressing: count,
      complete: false,
      worst: many(unended),
      causes: many({ count: 1, first: unended }),
      next: `kubectl gc why -A ${flag}`,
    },
    due: {
      total: count + 1,
      unknown: count,
      controllers: many({ controller: name, count, first: { ...action, object } }),
      next: `kubectl gc forecast --within 1h ${flag}`,
    },
    references: {
      total: count + 1,
      unknown: count,
      classes: many({ class: 'missing-owner', count, first: object }),
      next: `kubectl gc invalid-ownerrefs -A ${flag}`,
    },
    garbageCollector: {
      health: 'does-not-work',
      because: name,
      next: `kubectl gc why --gc ${flag}`,
    },
    guard: { state: 'warning', because: name },
    remaining: (['finished-pods', 'released-volumes'] as const).slice(0, parts).map((id) => ({
      class: id,
      count,
      complete: false,
      first: object,
      next: `kubectl gc ${flag}`,
    })),
    next: `kubectl gc rbac status ${flag}`,
  };
  return report as unknown as StatusReport;
}
