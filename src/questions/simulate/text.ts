import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import type { OwnerReference } from '../../kube/object-record.ts';
import { type ObjectReference, objectKey, tableName } from '../../kube/object-reference.ts';
import { ownersAmong } from '../../output/pages/owners-among.ts';
import type { PageData, PageFact, PageFrame, PageState } from '../../output/pages/page-data.ts';
import { figureOf, firstFrames, gone, PageMaker, present } from '../../output/pages/page-maker.ts';
import type { Paint, RenderOptions } from '../../output/style.ts';
import {
  groupingsBy,
  onOneScreen,
  openTable,
  type ScreenTable,
  sectionsOnScreen,
} from '../../output/tables/one-screen.ts';
import { type Column, placeColumns, renderTable } from '../../output/tables/table.ts';
import type { Step } from '../../simulator/engine/timeline.ts';
import type { Answer } from '../answer.ts';
import type { SimulationReport } from './document.ts';

export const simulationAnswer = {
  tableOf: simulationTable,
  pageOf: simulationPage,
} satisfies Answer<SimulationReport>;

/** A simulation as a timeline: what happens when, and below it what stays open. */
export function simulationTable(report: SimulationReport, options: RenderOptions): string {
  const { replies, steps, stuck, undetermined, unknown, events } = report;
  const refused = replies.flatMap(({ code, reason, message = '' }, index) =>
    code < 400 ? [] : [[`request ${index + 1}`, `${code} ${reason}`, message]],
  );
  const warned = events.map(({ involvedObject, message, certain }) => [
    tableName(involvedObject),
    certain ? 'yes' : 'maybe',
    message,
  ]);
  const merged = { AT: ([first]: readonly Step[]) => elapsedTo(first, options) };
  return sectionsOnScreen(
    [
      () => renderTable(['REFUSED', 'REPLY', 'REASON'], refused, options),
      (most) => onOneScreen({ ...stepTable, merged, items: steps }, options, most),
      (most) => openTable('STUCK', stuck, options, most),
      (most) => openTable('UNDETERMINED', undetermined, options, most),
      (most) => openTable('UNKNOWN', unknown, options, most),
      () => renderTable(['WARNED', 'CERTAIN', 'REASON'], warned, options),
    ],
    options,
  );
}

const stepColumns: readonly Column<Step>[] = [
  ['AT', ({ at }, { now }) => elapsed(Date.parse(at) - now)],
  ...placeColumns,
  [
    'RESULT',
    ({ result }) => ({ text: resultStates[result].words, paint: resultStates[result].paint }),
  ],
  ['WHO', ({ actor }) => actor, 'wide'],
  ['DOES', ({ verb, policy }) => (policy === undefined ? verb : `${verb} (${policy})`), 'wide'],
  ['UID', ({ object }) => object.uid, 'wide'],
  ['RULE', ({ rule }) => rule, 'wide'],
  [
    'REASON',
    ({ actor, because }, { wide }) =>
      wide ? because : `${actor.replace(/-controller$/, '')}: ${because}`,
  ],
];

/** Steps share a row in the same second: what comes later may follow from it. */
const stepResult = ({ actor, result, at }: Step) =>
  `${actor} ${result} ${Math.floor(Date.parse(at) / 1000)}`;

const stepTable: Omit<ScreenTable<Step>, 'items'> = {
  columns: stepColumns,
  objectOf: ({ object }) => object,
  groupings: groupingsBy((step) => {
    const { namespace, kind } = step.object;
    return JSON.stringify([stepResult(step), namespace, kind, step.because]);
  }, stepResult),
  noun: 'step',
};

/** Nothing was done: these are the results of requests that were played. */
const resultStates: Readonly<Record<Step['result'], PageState & { readonly paint?: Paint }>> = {
  removed: { words: 'would be removed', mark: 'goes', paint: 'red' },
  terminating: { words: 'would terminate', mark: 'stuck', paint: 'yellow' },
  changed: { words: 'would change', mark: 'changes' },
  created: { words: 'would be created', mark: 'new' },
  unchanged: { words: 'would stay', mark: 'stays' },
  refused: { words: 'refused', mark: 'stays', paint: 'magenta' },
};

/** `8ms`, `5.013s`, `1m30.013s`, counted from the beginning. */
function elapsed(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds}ms`;
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = `${(milliseconds % 60_000) / 1000}s`;
  return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}

/** `simulate`: what happens moment by moment. */
export function simulationPage(report: SimulationReport, options: RenderOptions): PageData {
  const { steps, stuck, undetermined, unknown, replies, ended, events } = report;
  const open = new Map<string, PageState & { readonly because: string }>();
  for (const { object, because } of [...unknown, ...undetermined])
    open.set(objectKey(object), { mark: 'unknown', words: 'unknown how it ends', because });
  for (const { object, because } of stuck)
    open.set(objectKey(object), { mark: 'stuck', words: 'stays, and is being deleted', because });
  const bySteps = Map.groupBy(steps, ({ object }) => objectKey(object));
  const page = new PageMaker(stepColumns, options);
  const touched = [...steps, ...stuck, ...undetermined, ...unknown];
  for (const [id, object] of new Map(touched.map((one) => [objectKey(one.object), one.object]))) {
    const own = bySteps.get(id) ?? [];
    const left = open.get(id);
    const { mark, words } = left ?? lastState(own);
    page.add(object, { mark, words }, [
      ['Reason', left?.because],
      ...own.map((step): PageFact => [elapsedTo(step, options), stepText(step)]),
    ]);
  }
  for (const step of steps) page.row(step, objectKey(step.object));
  for (const [id, { words, because }] of open) {
    page.otherRow(id, { Result: words, Reason: because });
  }
  const all = page.objects();
  const refused = replies.flatMap(({ code, reason, message = '' }, index) =>
    code < 400 ? [] : [`Request ${index + 1} is refused: ${code} ${reason}: ${message}`],
  );
  const title = 'What the requests would lead to';
  const removed = [...bySteps.values()].filter((own) => own.some(isRemoval));
  const isUnknown = unknown.length + undetermined.length > 0 || !report.coverage.complete;
  const isOpen = isUnknown || ended === 'deadline' || ended === 'endless';
  return page.page(report, {
    title,
    figure: figureOf(removed.length, 'object would be removed', 'objects would be removed', isOpen),
    summary: [
      ...refused,
      `${counted(steps.length, 'step')} in ${elapsedTo(steps.at(-1), options)}. ${endWords[ended]}`,
      ...events.map(
        ({ involvedObject, message }) => `Warning about ${tableName(involvedObject)}: ${message}`,
      ),
    ],
    references: ownersAmong(all, options.records, report.objects.map(ownedOf)),
    views: [{ title, frames: framesOf(report, all, options) }],
  });
}

const endWords: Readonly<Record<SimulationReport['ended'], string>> = {
  quiet: 'Settled.',
  stuck: 'Settled with unfinished deletions.',
  deadline: 'Stopped at the end of the simulated time; more may happen later.',
  endless: 'Stopped: the controllers do not settle, so no result is certain.',
};

function elapsedTo(step: Step | undefined, { now }: RenderOptions): string {
  return step ? elapsed(Date.parse(step.at) - now) : '0ms';
}

function stepText({ actor, because, rule }: Step): string {
  return `${actor}: ${because}${rule === '' ? '' : ` (${rule})`}`;
}

function stepState({ result }: Step): PageState {
  const { mark, words } = resultStates[result];
  return { mark, words };
}

function isRemoval({ result }: Step): boolean {
  return result === 'removed';
}

/** The end that counts: a removal, or the last step. */
function lastState(steps: readonly Step[]): PageState {
  const last = steps.find(isRemoval) ?? steps.at(-1);
  return last ? stepState(last) : { mark: 'plain', words: '' };
}

/** What a simulation has made names its owners in the document alone. */
function ownedOf({ metadata }: SimulationReport['objects'][number]) {
  const { uid = '', ownerReferences = [] } = metadata as {
    readonly uid?: string;
    readonly ownerReferences?: readonly OwnerReference[];
  };
  return { uid, ownerReferences };
}

function framesOf(
  { steps, ended: end }: SimulationReport,
  objects: readonly ObjectReference[],
  options: RenderOptions,
): PageFrame[] {
  const created = new Set(
    steps.flatMap(({ object, result }) => (result === 'created' ? [objectKey(object)] : [])),
  );
  const start = objects.map((object): [string, PageState] => {
    const id = objectKey(object);
    return [id, created.has(id) ? { mark: 'gone', words: 'is not there yet' } : present];
  });
  const frames = firstFrames(Object.fromEntries(start));
  let ended: string[] = [];
  for (const now of Map.groupBy(steps, ({ at }) => at).values()) {
    const changes: Record<string, PageState> = {};
    for (const id of ended) changes[id] = gone;
    for (const step of now) changes[objectKey(step.object)] = stepState(step);
    frames.push({ title: elapsedTo(now[0], options), text: frameText(now), changes });
    ended = now.flatMap(({ object, result }) => (result === 'removed' ? [objectKey(object)] : []));
  }
  const after = Object.fromEntries(ended.map((id) => [id, gone]));
  // On its own: nothing is said before it.
  const text = endWords[end].replace('Then nothing', 'Nothing');
  frames.push({ title: 'After', text, changes: after });
  return frames;
}

/** `garbage-collector-controller: 2 Pods would be removed; user: …` */
function frameText(steps: readonly Step[]): string {
  const alike = Map.groupBy(steps, ({ actor, result }) => `${actor} ${result}`);
  return [...alike.values()]
    .flatMap((some) => {
      const [first] = some;
      if (!first) return [];
      const what = countsByKind(some.map(({ object }) => object));
      return [`${first.actor}: ${what} ${resultStates[first.result].words}`];
    })
    .join('; ');
}
