import type { NotCompared } from '../../snapshot/compare/compare-snapshots.ts';
import { problemText } from '../../snapshot/coverage.ts';
import type { ComparedSnapshot, SnapshotDiff } from '../documents/snapshot-diff.ts';
import { cell } from '../markdown-text.ts';
import { belowWords, groupsOf, groupWords, snapshotDiffSummary } from './snapshot-diff-table.ts';
import { nameOf } from './words.ts';

/** For a report on what an upgrade or a test changed in a cluster. */
export function snapshotDiffMarkdown(diff: SnapshotDiff): string {
  const rows = groupsOf(diff.items).map((group) =>
    [
      group.root.namespace,
      nameOf(group.root),
      group.own?.change ?? 'stays',
      belowWords(group),
      groupWords(group, diff.explained),
    ].map(cell),
  );
  const gaps = [...diff.coverage.problems.map(problemText), ...notComparedLines(diff)];
  return [
    `## Changes from ${momentOf(diff.before)} to ${momentOf(diff.after)}`,
    '',
    ...diff.remarks.flatMap((remark) => [cell(remark), '']),
    rows.length > 0 ? snapshotDiffSummary(diff) : 'No changes were found.',
    ...(rows.length > 0
      ? [
          '',
          '| namespace | object | change | below it | reason |',
          '| --- | --- | --- | --- | --- |',
          ...rows.map((cells) => `| ${cells.join(' | ')} |`),
        ]
      : []),
    ...(gaps.length > 0
      ? ['', '### Not compared', '', ...gaps.map((gap) => `- ${cell(gap)}`)]
      : []),
    '',
  ].join('\n');
}

function momentOf({ observedAt, server }: ComparedSnapshot): string {
  return cell(server === undefined ? observedAt : `${observedAt} (${server})`);
}

/** What was not compared, and why: kinds with the same reason in one line. */
export function notComparedLines({
  notCompared,
  stateNotCompared,
}: Pick<SnapshotDiff, 'notCompared' | 'stateNotCompared'>): string[] {
  const reasons = Map.groupBy(notCompared, reasonOf);
  const lines = [...reasons].map(
    ([reason, kinds]) =>
      `Not compared, as ${reason}: ${kinds.map(({ resource }) => resource).join(', ')}.`,
  );
  return stateNotCompared.length === 0
    ? lines
    : [
        ...lines,
        `STATUS and READY are not compared, as only metadata was read: ${stateNotCompared.join(', ')}.`,
      ];
}

function reasonOf({ missing, readIn }: NotCompared): string {
  const which = missing === 'before' ? 'first' : 'second';
  return readIn === undefined
    ? `the ${which} snapshot does not hold them`
    : `the ${which} snapshot holds them only in namespace ${readIn.join(', ')}`;
}
