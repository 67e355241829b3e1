import type { NotCompared } from '../../history/compare/compare-snapshots.ts';
import type { EndReason } from '../../history/compare/explain-ends.ts';
import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import { objectKey, tableName } from '../../kube/object-reference.ts';
import { age } from '../../kube/time.ts';
import { ownersAmong, withLines } from '../../output/pages/owners-among.ts';
import type { PageData, PageReference, PageState } from '../../output/pages/page-data.ts';
import { figureOf, PageMaker, stillView } from '../../output/pages/page-maker.ts';
import type { RenderOptions } from '../../output/style.ts';
import { onOneScreen, reasonLine } from '../../output/tables/one-screen.ts';
import { type Cell, type Column, placeColumns, renderItems } from '../../output/tables/table.ts';
import { noneFound, Tally } from '../../output/tally.ts';
import { problemText } from '../../snapshot/coverage.ts';
import type { Answer } from '../answer.ts';
import { accountOf } from '../deleted/deletion-words.ts';
import { type DiffItem, isCollected, type SnapshotDiff } from './diff-document.ts';
import type { AddedOwner, ObjectChange } from './object-change.ts';

export const diffAnswer = {
  tableOf: diffTable,
  pageOf: diffPage,
} satisfies Answer<SnapshotDiff>;

/** An owner above all others, with what happened below it; in the wide table each object is one. */
interface DiffGroup {
  readonly root: DiffItem['root'];
  /** What happened to the root itself. */
  readonly own: DiffItem | undefined;
  readonly below: readonly DiffItem[];
}

export function diffTable(diff: SnapshotDiff, options: RenderOptions): string {
  if (options.wide) return renderItems(diff.items, differenceColumns(diff), options);
  const columns: Column<DiffGroup>[] = [
    ['NAMESPACE', ({ root }) => root.namespace],
    ['OBJECT', ({ root }) => tableName(root)],
    ['CHANGE', ({ own }) => (own ? changeCell(own) : 'stays')],
    ['DEPENDENTS', belowWords],
    ['REASON', (group) => groupWords(group, diff.explained)],
  ];
  const groupings = [Number.POSITIVE_INFINITY, reasonLine, 0].map((characters) => {
    return { alike: ({ root }: DiffGroup) => JSON.stringify(root), characters };
  });
  const objectOf = ({ root }: DiffGroup) => root;
  const items = groupsOf(diff.items);
  return onOneScreen({ items, columns, objectOf, groupings, noun: 'object' }, options);
}

function differenceColumns({ explained }: SnapshotDiff): Column<DiffItem>[] {
  return [
    ...placeColumns,
    ['CHANGE', changeCell],
    ['ROOT', ({ object, root }) => (root.uid === object.uid ? '' : tableName(root))],
    ['UID', ({ object }) => object.uid],
    ['PREVIOUS UID', ({ previousUid = '' }) => previousUid],
    ['RULE', ({ reason }) => reason?.rule ?? ''],
    ['REASON', (item) => itemWords(item, explained)],
  ];
}

function changeCell({ change }: DiffItem): Cell {
  const paints = { came: 'green', went: 'red', recreated: 'yellow', changed: undefined } as const;
  return { text: changes[change], paint: paints[change] };
}

const changes = {
  came: 'created',
  went: 'deleted',
  recreated: 'recreated',
  changed: 'changed',
} as const;

/** `12 differences: 4 created, 6 deleted, 1 recreated, 1 changed; a rule explains 5 of the deletions.` */
export function snapshotDiffSummary({ summary, items }: SnapshotDiff): string {
  const { collected, ...byChange } = summary;
  const parts = Object.entries(byChange).filter(([, count]) => count > 0);
  const counts = parts
    .map(([change, count]) => `${count} ${changes[change as DiffItem['change']]}`)
    .join(', ');
  const rules = collected > 0 ? `; a rule explains ${collected} of the deletions` : '';
  return `${counted(items.length, 'difference')}: ${counts}${rules}.`;
}

/** Items come in the order of their roots. */
function groupsOf(items: readonly DiffItem[]): DiffGroup[] {
  const byRoot = Map.groupBy(items, ({ root }) => JSON.stringify(root));
  return [...byRoot.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { root } = first;
    const own = group.find(
      ({ object }) => object.uid === root.uid && tableName(object) === tableName(root),
    );
    return [{ root, own, below: group.filter((item) => item !== own) }];
  });
}

/** `created: 1 ReplicaSet, 3 Pods; deleted: 3 Pods`. */
function belowWords({ below }: DiffGroup): string {
  return (['came', 'went', 'recreated', 'changed'] as const)
    .flatMap((change) => {
      const of = below.filter((item) => item.change === change);
      return of.length === 0 ? [] : [`${changes[change]}: ${kindsIn(of)}`];
    })
    .join('; ');
}

function kindsIn(items: readonly DiffItem[]): string {
  return countsByKind(items.map(({ object }) => object));
}

/** What happened to the root, and why what is below it went. */
function groupWords({ own, below }: DiffGroup, explained: boolean): string {
  const gone = explained
    ? below.filter(({ change }) => change === 'went' || change === 'recreated')
    : [];
  const collected = gone.filter(isCollected);
  const byRule = Map.groupBy(collected, ({ reason }) => `${reason?.collector} (${reason?.rule})`);
  const unexplained = Map.groupBy(
    gone.filter((item) => item.reason === undefined && !item.deletingSince),
    (item) => `${unexplainedWords(item)}${accountWords(item)}`,
  );
  const parts = [
    ...(own ? [itemWords(own, explained)] : []),
    ...[...byRule].map(([by, items]) => {
      const [only, ...others] = items;
      return only && others.length === 0
        ? `${tableName(only.object)}: ${itemWords(only, explained)}`
        : `${kindsIn(items)}: ${by}`;
    }),
    ...[...unexplained].map(([why, items]) => `${kindsIn(items)}: ${why}`),
  ];
  return parts.filter((part) => part !== '').join('; ');
}

const noRule = 'deleted; no controller rule explains it';
const unknownRule = 'deleted; only metadata was read, so rules are unknown';

/** Of an object that went, and that no rule was due to delete. */
function unexplainedWords({
  deletingSince,
  ruleUnknown,
}: Pick<DiffItem, 'deletingSince' | 'ruleUnknown'>): string {
  if (deletingSince !== undefined) return 'it was being deleted already';
  return ruleUnknown ? unknownRule : noRule;
}

/** What happened to an object, and why. */
function itemWords(item: DiffItem, explained: boolean): string {
  const { change, reason } = item;
  const changes = changeWords(item);
  const isEnd = change === 'went' || change === 'recreated';
  const why = reason ? [reasonWords(reason)] : isEnd && explained ? [unexplainedWords(item)] : [];
  return [...changes, ...why, ...byWords(item)].join('; ');
}

/** Who began it, where an audit log says it. */
function byWords({ deletedBy }: DiffItem): string[] {
  if (!deletedBy?.requester) return [];
  const { requester, certainty, at, object, cause } = deletedBy;
  const doubt = certainty === 'might be' ? 'perhaps ' : '';
  const how = cause === 'change' ? 'change of' : 'deletion of';
  return [`${doubt}by ${accountOf(requester)}: ${how} ${tableName(object)} at ${at}`];
}

/** Of several objects, the requests are not named one by one. */
function accountWords({ deletedBy }: DiffItem): string {
  if (!deletedBy?.requester) return '';
  const doubt = deletedBy.certainty === 'might be' ? 'perhaps ' : '';
  return `; ${doubt}by ${accountOf(deletedBy.requester)}`;
}

/** What was not compared, and why: kinds with the same reason in one line. */
export function notComparedLines({
  notCompared,
  stateNotCompared,
}: Pick<SnapshotDiff, 'notCompared' | 'stateNotCompared'>): string[] {
  const reasons = Map.groupBy(notCompared, notComparedReason);
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

function notComparedReason({ missing, readIn }: NotCompared): string {
  const which = missing === 'before' ? 'first' : 'second';
  return readIn === undefined
    ? `the ${which} snapshot does not hold them`
    : `the ${which} snapshot contains them only in namespace ${readIn.join(', ')}`;
}

/** What changed on an object, a few words for each. */
function changeWords({
  owners,
  finalizers,
  deletionTimestamp,
  status,
  ready,
}: ObjectChange): string[] {
  return [
    ...(deletionTimestamp ? [deletionWords(deletionTimestamp)] : []),
    ...(owners ? ownerWords(owners) : []),
    ...(finalizers?.added.map((name) => `finalizer ${name} added`) ?? []),
    ...(finalizers?.removed.map((name) => `finalizer ${name} removed`) ?? []),
    ...(status ? [`STATUS ${orNone(status.before)} → ${orNone(status.after)}`] : []),
    ...(ready ? [`READY ${orNone(ready.before)} → ${orNone(ready.after)}`] : []),
  ];
}

function orNone(value: string): string {
  return value === '' ? '<none>' : value;
}

function deletionWords({ before, after }: NonNullable<ObjectChange['deletionTimestamp']>): string {
  if (before === '') return 'being deleted';
  return after === '' ? 'no longer being deleted' : `to be deleted at ${after}`;
}

function ownerWords({ added, removed }: NonNullable<ObjectChange['owners']>): string[] {
  const had = new Set(removed.map(({ uid }) => uid));
  const has = new Set(added.map(({ uid }) => uid));
  return [
    ...added.map((owner) => {
      const isKnown = had.has(owner.uid);
      const what = isKnown ? 'reference to' : 'owner';
      return `${what} ${tableName(owner)} ${isKnown ? 'changed' : 'added'}${setBy(owner)}`;
    }),
    ...removed
      .filter(({ uid }) => !has.has(uid))
      .map(({ reason, ...owner }) => {
        return `owner ${tableName(owner)} removed${reason ? ` (${reasonWords(reason)})` : ''}`;
      }),
  ];
}

/** Who set a reference, where it was read. */
function setBy({ manager }: AddedOwner): string {
  return manager === undefined ? '' : ` (set by ${manager})`;
}

/** By which rule a controller did it. */
function reasonWords({ collector, confidence, because }: EndReason): string {
  const doubt = { certain: '', likely: 'probably ', unknown: 'perhaps ' }[confidence];
  return `${doubt}${collector}: ${because}`;
}

/** `snapshot diff`: before and after beside each other. */
export function diffPage(diff: SnapshotDiff, options: RenderOptions): PageData {
  const { items, before, after, remarks } = diff;
  const page = new PageMaker(differenceColumns(diff), options);
  for (const item of items) {
    const { object, change, deletingSince } = item;
    page.item(item, object, states[change], [['Being deleted since', deletingSince]]);
  }
  const below = items.flatMap(({ object, root }): PageReference[] => {
    const owner = page.add(root, { mark: 'stays', words: 'stays' });
    const dependent = objectKey(object);
    if (owner === dependent) return [];
    return [{ owner, dependent, class: 'contains', because: 'the owner above all its owners' }];
  });
  const views = [
    { title: `Before: ${before.observedAt}`, stateOf: stateBefore },
    { title: `After: ${after.observedAt}`, stateOf: stateAfter },
  ].map(({ title, stateOf }) => {
    const states = items.map((item) => [objectKey(item.object), stateOf(item)]);
    return stillView(title, Object.fromEntries(states));
  });
  return page.page(diff, {
    title: `What changed in ${age(before.observedAt, Date.parse(after.observedAt))}`,
    figure: figureOf(items.length, 'difference', 'differences', !diff.coverage.complete),
    summary: [
      items.length === 0
        ? `Changes: ${noneFound(Tally.of(0, diff.coverage), 'none')}.`
        : snapshotDiffSummary(diff),
      `From ${before.observedAt} to ${after.observedAt}.`,
      ...remarks,
    ],
    gaps: [...diff.coverage.problems.map(problemText), ...notComparedLines(diff)],
    references: withLines(ownersAmong(page.objects(), options.records), below),
    legend: {
      goes: 'deleted',
      again: 'was recreated',
      changes: 'changed',
      new: 'created',
      plain: 'is there',
    },
    views: items.length === 0 ? [] : views,
  });
}

const states: Readonly<Record<DiffItem['change'], PageState>> = {
  came: { mark: 'new', words: 'created' },
  went: { mark: 'goes', words: 'deleted' },
  recreated: { mark: 'again', words: 'was recreated' },
  changed: { mark: 'changes', words: 'changed' },
};

function stateBefore({ change }: DiffItem): PageState {
  if (change === 'came') return { mark: 'gone', words: 'does not exist yet' };
  return {
    mark: change === 'went' ? 'goes' : 'plain',
    words: change === 'went' ? 'will be deleted' : 'exists',
  };
}

function stateAfter({ change }: DiffItem): PageState {
  return change === 'went' ? { mark: 'gone', words: 'was deleted' } : states[change];
}
