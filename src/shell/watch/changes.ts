import { objectKey } from '../../kube/object-reference.ts';
import { minute } from '../../kube/time.ts';
import type { Mark } from '../../output/style.ts';
import type { ForecastReport } from '../../questions/forecast/document.ts';
import type { OrphansReport } from '../../questions/orphans/document.ts';
import { appliedOf, type GraphReport, type ReportNode } from '../../questions/owners/document.ts';
import { type DiagnosisReport, linkKey } from '../../questions/why/document.ts';
import type { StuckDeletionsReport } from '../../questions/why/stuck-document.ts';
import { linksOf } from '../../why/chain.ts';

export type WatchedReport =
  | DiagnosisReport
  | ForecastReport
  | GraphReport
  | OrphansReport
  | StuckDeletionsReport;

/** What a line says, without what changes by the clock alone. */
interface LineState {
  readonly text: string;
  /** Epoch milliseconds; small differences do not count, as many times are counted from now. */
  readonly times: readonly number[];
}

/** Times that differ by less are the same. */
const sameTime = minute;

/** What differs, by the key of the line; nothing where both say the same. */
export function changesBetween(before: WatchedReport, after: WatchedReport): Map<string, Mark> {
  const marks = new Map<string, Mark>();
  const [old, now] = [verdictsOf(before), verdictsOf(after)];
  for (const [key, verdict] of now) {
    const earlier = old.get(key);
    if (!earlier) marks.set(key, 'added');
    else if (!isSameVerdict(earlier, verdict)) marks.set(key, 'changed');
  }
  for (const key of old.keys()) if (!now.has(key)) marks.set(key, 'gone');
  return marks;
}

/** Do both say what could not be read in the same words? */
export function isReadAlike({ coverage: a }: WatchedReport, { coverage: b }: WatchedReport) {
  const messagesOf = ({ problems }: typeof a) => problems.map(({ message }) => message).join('\n');
  return messagesOf(a) === messagesOf(b);
}

/** The later answer with the deleted lines at their previous positions. */
export function withGone<R extends WatchedReport>(
  after: R,
  before: WatchedReport,
  isGone: (key: string) => boolean,
): R {
  if (after.kind === 'Diagnosis' || before.kind !== after.kind) return after;
  if ('nodes' in after && 'nodes' in before) return withGoneNodes(after, before, isGone) as R;
  if (!('items' in after && 'items' in before)) return after;
  const items = inserted<WatchedItem>(
    after.items,
    before.items,
    ({ object }) => objectKey(object),
    isGone,
  );
  return { ...after, items };
}

/** Only what a mark is about; an answer that is one picture stays whole. */
export function onlyMarked<R extends WatchedReport>(
  report: R,
  marks: ReadonlyMap<string, Mark>,
): R {
  if (isPicture(report)) return report;
  const items = (report as OrphansReport).items.filter(({ object }) =>
    marks.has(objectKey(object)),
  );
  return { ...report, items };
}

/** Trees and chains make no sense line by line. */
export function isPicture({ kind }: WatchedReport): boolean {
  return kind === 'Diagnosis' || kind === 'Owners' || kind === 'Tree';
}

type WatchedItem = (OrphansReport | ForecastReport | StuckDeletionsReport)['items'][number];

function verdictsOf(report: WatchedReport): Map<string, LineState> {
  const verdicts = new Map<string, LineState>();
  const add = (key: string, content: unknown, times: readonly number[] = []) => {
    const before = verdicts.get(key);
    // `2h`, `3m20s`: what was so for some time still is.
    const text = JSON.stringify(content).replace(/\b(?:\d+(?:y|d|h|m|s))+\b/g, '');
    verdicts.set(key, {
      text: `${before?.text ?? ''}${text}`,
      times: [...(before?.times ?? []), ...times],
    });
  };
  switch (report.kind) {
    case 'Owners':
    case 'Tree': {
      const edges = Map.groupBy(report.edges, ({ dependent }) => dependent);
      const applied = Map.groupBy(appliedOf(report), ({ object }) => object);
      for (const node of report.nodes) {
        add(objectKey(node), [node, edges.get(node.id) ?? [], applied.get(node.id) ?? []]);
      }
      break;
    }
    case 'Orphans':
      for (const { object, owners, gc, references } of report.items)
        add(objectKey(object), [owners, gc, references]);
      break;
    case 'StuckDeletions':
      for (const { object, state, blockers } of report.items)
        add(objectKey(object), [state, blockers]);
      break;
    case 'Forecast':
      for (const item of report.items) {
        const { object, collector, action, confidence, held, finalizers, rule } = item;
        const times = [item.notBefore, item.notAfter ?? item.notBefore].map((time) =>
          Math.max(Date.parse(time), Date.parse(report.at)),
        );
        add(objectKey(object), [collector, action, confidence, held, finalizers, rule], times);
      }
      break;
    case 'Diagnosis':
      for (const { chain } of report.items) {
        for (const link of linksOf(chain))
          add(linkKey(link), [link.state, link.because, link.next]);
      }
  }
  return verdicts;
}

function isSameVerdict(a: LineState, b: LineState): boolean {
  return (
    a.text === b.text &&
    a.times.length === b.times.length &&
    a.times.every((time, index) => Math.abs(time - (b.times[index] ?? 0)) < sameTime)
  );
}

function withGoneNodes(
  after: GraphReport,
  before: GraphReport,
  isGone: (key: string) => boolean,
): GraphReport {
  const keyOf = (node: ReportNode) => objectKey(node);
  const nodes = inserted(after.nodes, before.nodes, keyOf, isGone);
  const there = new Set(after.nodes.map(({ id }) => id));
  const shown = new Set(nodes.map(({ id }) => id));
  const isLost = (id: string) => shown.has(id) && !there.has(id);
  const isLostBetween = (a: string, b: string) =>
    shown.has(a) && shown.has(b) && (isLost(a) || isLost(b));
  const edges = before.edges.filter(({ dependent, owner }) => isLostBetween(dependent, owner));
  const applied = appliedOf(before).filter(({ tool, object }) => isLostBetween(tool, object));
  const roots = inserted(after.roots, before.roots, (id) => id, isLost);
  const whole = { ...after, roots, nodes, edges: [...after.edges, ...edges] };
  return applied.length === 0
    ? whole
    : { ...whole, ...{ applied: [...appliedOf(after), ...applied] } };
}

/** The later list, with each deleted line after the line that it followed. */
function inserted<T>(
  after: readonly T[],
  before: readonly T[],
  keyOf: (item: T) => string,
  isGone: (key: string) => boolean,
): T[] {
  const there = new Set(after.map(keyOf));
  const following = new Map<string | undefined, T[]>();
  let last: string | undefined;
  for (const item of before) {
    const key = keyOf(item);
    if (there.has(key)) last = key;
    else if (isGone(key)) following.set(last, [...(following.get(last) ?? []), item]);
  }
  const result = [...(following.get(undefined) ?? [])];
  for (const item of after) {
    const key = keyOf(item);
    result.push(item, ...(following.get(key) ?? []));
    following.delete(key);
  }
  return result;
}
