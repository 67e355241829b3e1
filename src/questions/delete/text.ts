import type { LeftAlone, Plan, PlannedObject, PlanRemark, Wait } from '../../deletion/plan/plan.ts';
import {
  disappearingIn,
  disappearsOnceReleased,
  isAboutData,
  mayDeleteMore,
  serverRefuses,
} from '../../deletion/plan/plan-totals.ts';
import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import { type ObjectReference, objectKey, tableName } from '../../kube/object-reference.ts';
import { cutLine, stacked } from '../../output/fit-text.ts';
import { ownersAmong, withLines } from '../../output/pages/owners-among.ts';
import type {
  PageData,
  PageFrame,
  PageReference,
  PageState,
} from '../../output/pages/page-data.ts';
import {
  figureOf,
  firstFrames,
  gone,
  PageMaker,
  present,
  titleOfSome,
} from '../../output/pages/page-maker.ts';
import { printedName } from '../../output/printable.ts';
import type { RenderOptions } from '../../output/style.ts';
import {
  type Grouping,
  groupedToFit,
  objectColumns,
  type Room,
  type Shared,
} from '../../output/tables/alike-rows.ts';
import { type Column, renderItems } from '../../output/tables/table.ts';
import type { Answer } from '../answer.ts';
import {
  fateStyles,
  fateWords,
  judgeWords,
  planColumns,
  refusalLines,
  remarkLines,
  summaryLines,
  willBeDeleted,
} from './plan-words.ts';

export const planAnswer = {
  tableOf: planTable,
  pageOf: planPage,
  namesOf: (plan: Plan) => disappearingIn(plan).map(printedName),
  texts: {
    markdown: async () => (await import('./plan-markdown.ts')).planMarkdown,
  },
} satisfies Answer<Plan>;

/**
 * A plan as a preview: the data that goes, the objects wave by wave, what to know, and what it comes to in one
 * sentence. What is alike is one row where all would not fit on a screen; wide has a row for each object.
 */
export function planTable(plan: Plan, options: RenderOptions): string {
  const objects = options.wide ? plan.objects : refusedInShort(plan);
  return groupedToFit(objects, options.wide ? [] : groupings, options, (rows, room, look) =>
    previewOf(plan, rows, room, look),
  );
}

/** The server's words for what it refuses stand below the rows, once. */
function refusedInShort({ objects, refusals = [] }: Plan): readonly PlannedObject[] {
  if (refusals.length === 0) return objects;
  const refused = new Set(refusals.map(({ object }) => object?.uid));
  return objects.map((one) => (refused.has(one.uid) ? { ...one, because: serverRefuses } : one));
}

const oneLine = 70;
/** Letters of each list of remarks, about seven lines, and where there is little room. */
const someRemarks = 560;
const fewRemarks = 160;

const groupings: readonly Grouping<PlannedObject>[] = [
  {
    alike: (object) => `${object.wave} ${kindAndPlace(object)} ${object.because}`,
    characters: Number.POSITIVE_INFINITY,
  },
  { alike: likeReason, characters: Number.POSITIVE_INFINITY },
  { alike: likeReason, characters: oneLine, remarks: someRemarks },
  { alike: kindAndPlace, characters: oneLine, remarks: someRemarks },
  { alike: kindAndPlace, characters: 0, remarks: someRemarks },
  {
    alike: (object) => `${object.namespace} ${fateWords(object)}`,
    characters: oneLine,
    remarks: someRemarks,
  },
  { alike: targetAndFate, characters: oneLine, remarks: someRemarks },
  { alike: targetAndFate, characters: oneLine, onlyBeside: true, remarks: someRemarks },
  { alike: fateWords, characters: 0, remarks: fewRemarks },
];

function targetAndFate(object: PlannedObject): string {
  return `${object.wave === 0} ${fateWords(object)}`;
}

/** Pods of one workload differ by their Node alone. */
function likeReason(object: PlannedObject): string {
  return `${object.wave} ${kindAndPlace(object)} ${object.because.replace(/ on \S+ stop /, ' stop ')}`;
}

function kindAndPlace(object: PlannedObject): string {
  const { apiVersion, kind, namespace } = object;
  return `${apiVersion} ${kind} ${namespace} ${fateWords(object)}`;
}

function previewOf(
  plan: Plan,
  rows: Shared<PlannedObject>,
  room: Room,
  options: RenderOptions,
): string {
  const { leftAlone = [] } = plan;
  const { remarks: most = Number.POSITIVE_INFINITY } = room;
  const remarks = plan.remarks.filter((remark) => options.wide || !isSummed(remark, plan));
  const summary = summaryLines(plan, options);
  const { data = [], others = [] } = Object.groupBy(remarks, (remark) =>
    isAboutData(remark) ? 'data' : 'others',
  );
  return stacked([
    joinedLines(few(remarkLines(data, options), most, 'remark')),
    planRows(rows, room, options),
    leftAloneTable(leftAlone, options),
    joinedLines([
      ...few(remarkLines(others, options), most, 'remark'),
      ...few(refusalLines(plan, options), most, 'refusal'),
    ]),
    joinedLines(summary.length > 0 ? summary : ['nothing to delete']),
  ]);
}

/** Does the sentence that sums all up say the same? It does of a namespace that alone is deleted with what is in it. */
function isSummed({ code, objects: [home] }: PlanRemark, { requests, objects }: Plan): boolean {
  return (
    code === 'namespace-content' &&
    requests.length === 1 &&
    requests[0]?.uid === home?.uid &&
    disappearingIn({ objects }).some(({ namespace }) => namespace === home?.name)
  );
}

function planRows(
  rows: Shared<PlannedObject>,
  { characters, onlyBeside = false }: Room,
  options: RenderOptions,
): string {
  const columns = planColumns(characters);
  const withoutReasons = () => renderItems(rows, columns.slice(0, -1), options);
  if (characters === 0) return withoutReasons();
  const withReasons = renderItems(rows, columns, options);
  const isTaller = withReasons.split('\n').length > rows.length + 2;
  return onlyBeside && isTaller ? withoutReasons() : withReasons;
}

function joinedLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** The first lines with so many letters; the others are counted. */
function few(lines: readonly string[], most: number, noun: string): readonly string[] {
  let letters = 0;
  const shown = lines.filter(({ length }, index) => {
    letters += Math.max(length, 80);
    return index === 0 || letters <= most;
  });
  const more = lines.length - shown.length;
  const all = `${counted(more, `more ${noun}`)}: -o wide shows all`;
  const cut = (text: string) => text.split('\n').map((line) => cutLine(line, { width: most }));
  return [...shown.flatMap(cut), ...(more > 0 ? [all] : [])];
}

function leftAloneTable(leftAlone: readonly LeftAlone[], options: RenderOptions): string {
  return groupedToFit(leftAlone, options.wide ? [] : byReason, options, (rows, _, look) =>
    renderItems(rows, leftAloneColumns, look),
  );
}

const leftAloneColumns: readonly Column<readonly LeftAlone[]>[] = [
  ...objectColumns((some: readonly LeftAlone[]) => some.map(({ object }) => object), 'SKIPPED'),
  ['REASON', ([first]) => first?.because ?? ''],
];

const byReason: readonly Grouping<LeftAlone>[] = [
  { alike: ({ because }) => because, characters: 0 },
];

/** `delete --preview`: what is deleted step by step, what is blocked, and what stays. */
export function planPage(plan: Plan, options: RenderOptions): PageData {
  const { objects, requests, remarks, leftAlone = [] } = plan;
  const plain = { ...options, colour: false };
  const title = `Deletion of ${titleOfSome(requests)}`;
  const page = new PageMaker(planColumns(Number.POSITIVE_INFINITY), options);
  for (const object of objects) {
    const { waitsFor = [], servesNode } = object;
    page.item([object], object, plannedState(object), [
      ['Waits for', waitsFor.map(waitWords).join('; ')],
      ['Serves the node', servesNode],
    ]);
  }
  for (const { object, because } of leftAlone) {
    page.add(object, { mark: 'stays', words: 'is not changed' }, [['Reason', because]]);
  }
  return page.page(plan, {
    title,
    figure: figureOf(objects.filter(willBeDeleted).length, ...deletionWords, mayDeleteMore(plan)),
    summary: [
      ...summaryLines(plan, plain),
      ...refusalLines(plan, plain).flatMap((text) => text.split('\n')),
      ...remarkLines(remarks, plain),
    ],
    references: withLines(ownersAmong(objects, options.records), containmentLines(objects)),
    views: [{ title, frames: framesOf(plan) }],
  });
}

const deletionWords = ['object will be deleted', 'objects will be deleted'] as const;

/** An object that is deleted only once a finalizer is removed is blocked. */
function plannedState(object: PlannedObject): PageState {
  const isHeld = object.fate === 'kept' && disappearsOnceReleased(object);
  return { mark: isHeld ? 'stuck' : fateStyles[object.fate].mark, words: fateWords(object) };
}

function waitWords(wait: Wait): string {
  if ('kubelet' in wait) {
    return `the kubelet of Node ${wait.kubelet}, which has to confirm that ${tableName(wait.object)} has stopped`;
  }
  if ('api' in wait) return `the API ${wait.api}, which has to answer`;
  if ('webhook' in wait) {
    return `${judgeWords(wait)}, which has to accept the deletion of ${tableName(wait.object)}`;
  }
  const { finalizer, object, removedBy } = wait;
  const by = removedBy === undefined ? '' : `, which ${removedBy} removes`;
  return `${finalizer} on ${tableName(object)}${by}`;
}

/** What is deleted with a namespace or a definition; with an owner it is a reference. */
function containmentLines(objects: readonly PlannedObject[]): PageReference[] {
  const ids = new Map(objects.map((object) => [object.uid, objectKey(object)]));
  return objects.flatMap((object) => {
    const owner = ids.get(object.goesWith ?? '');
    if (owner === undefined) return [];
    const because = 'it is deleted with it';
    return [{ owner, dependent: objectKey(object), class: 'contains' as const, because }];
  });
}

/** Does it wait for more than finalizers? */
function awaitsMore({ waitsFor = [] }: PlannedObject): boolean {
  return waitsFor.some((wait) => !('finalizer' in wait));
}

/** First the result; then the steps in order; then what is deleted once finalizers are removed. */
function framesOf({ objects }: Plan): PageFrame[] {
  const waves = [...Map.groupBy(objects, ({ wave }) => wave)].sort(([a], [b]) => a - b);
  const late = objects.filter(disappearsOnceReleased);
  const waits = Map.groupBy(late, ({ waitsFor = [] }) => waitsFor.map(waitWords).join('; '));
  const frames = firstFrames(withStates(objects, () => present));
  let ended: PlannedObject[] = [];
  for (const [wave, now] of waves) {
    const changes = { ...withStates(ended, () => gone), ...withStates(now, plannedState) };
    frames.push({ title: `Step ${wave}`, text: frameText(now), changes });
    ended = now.filter(({ fate }) => fate === 'deleted');
  }
  for (const [wait, now] of waits) {
    const then = (object: PlannedObject): PageState => {
      const { fate, then: later = fate, likely } = object;
      const words = fateWords({ fate: later, ...(likely && { likely }) });
      return { mark: fateStyles[later].mark, words };
    };
    const changes = { ...withStates(ended, () => gone), ...withStates(now, then) };
    const over = now.some(awaitsMore) ? 'Once over' : 'Once removed';
    const title = wait === '' ? 'Then' : `${over}: ${wait}`;
    frames.push({ title, text: `Then ${countsByKind(now)} will be deleted.`, changes });
    ended = now.filter((object) => object.then === 'deleted');
  }
  frames.push({
    title: 'After',
    text:
      waits.size === 0
        ? 'Nothing more happens.'
        : late.some(awaitsMore)
          ? 'Nothing is blocked any more.'
          : 'All finalizers are removed.',
    changes: withStates(ended, () => gone),
  });
  return frames;
}

function withStates<T extends ObjectReference>(
  objects: readonly T[],
  to: (object: T) => PageState,
): Record<string, PageState> {
  return Object.fromEntries(objects.map((object) => [objectKey(object), to(object)]));
}

/** `will be deleted: 3 Pods, 1 ReplicaSet; stays: 1 Secret` */
function frameText(objects: readonly PlannedObject[]): string {
  const byWords = Map.groupBy(objects, fateWords);
  return [...byWords].map(([words, some]) => `${words}: ${countsByKind(some)}`).join('; ');
}
