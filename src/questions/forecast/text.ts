import { counted } from '../../kube/counts-by-kind.ts';
import { type ObjectReference, objectKey, tableName } from '../../kube/object-reference.ts';
import { age } from '../../kube/time.ts';
import { ownersAmong, withLines } from '../../output/pages/owners-among.ts';
import type { PageData, PageLane, PageReference, PageState } from '../../output/pages/page-data.ts';
import { figureOf, PageMaker } from '../../output/pages/page-maker.ts';
import { paints, type RenderOptions } from '../../output/style.ts';
import type { Grouping } from '../../output/tables/alike-rows.ts';
import {
  groupingsBy,
  kindAndPlace,
  onOneScreen,
  openTable,
  type ScreenTable,
  sectionsOnScreen,
} from '../../output/tables/one-screen.ts';
import { type Column, placeColumns } from '../../output/tables/table.ts';
import type { Answer } from '../answer.ts';
import { resultCounts } from '../words.ts';
import {
  type ForecastController,
  type ForecastItem,
  type ForecastReport,
  isForecastComplete,
  objectsIn,
} from './document.ts';
import { forecastTime, isOpen } from './when.ts';

export const forecastAnswer = {
  tableOf: forecastTable,
  pageOf: forecastPage,
} satisfies Answer<ForecastReport>;

/** What happens, the earliest that is sure first; then what is unknown, and what no controller deletes. */
export function forecastTable(report: ForecastReport, options: RenderOptions): string {
  const { items, undetermined, unknown, leftovers } = report;
  const open = [...undetermined, ...unknown];
  const now = Date.parse(report.at);
  const events: ScreenTable<ForecastItem> = {
    items: inTime(items),
    columns: forecastColumns(report),
    objectOf: ({ object }) => object,
    get groupings() {
      return alikeEvents(now);
    },
    noun: 'event',
  };
  return sectionsOnScreen(
    [
      (most) => onOneScreen(events, options, most),
      (most) => openTable('UNKNOWN', open, options, most),
      (most) => openTable('NOT COLLECTED', leftovers, options, most),
    ],
    options,
  );
}

function alikeEvents(now: number): readonly Grouping<ForecastItem>[] {
  const groupings = groupingsBy<ForecastItem>(
    (item) => JSON.stringify([eventOf(item, now), kindAndPlace(item), forecastReason(item)]),
    (item) => eventOf(item, now),
  );
  // An event more says more than a reason, which names its controller.
  return groupings.toSorted((a, b) => Math.sign(b.characters) - Math.sign(a.characters));
}

/** By which controller, with which result and when. */
function eventOf(item: ForecastItem, now: number): string {
  return JSON.stringify([item.collector, forecastState(item).words, forecastTime(item, now)]);
}

function forecastColumns({ items, at }: ForecastReport): Column<ForecastItem>[] {
  const before = new Map(items.map((item) => [item.object.uid, item.follows]));
  const now = Date.parse(at);
  return [
    ['WHEN', (item) => ({ text: forecastTime(item, now), paint: paints[item.confidence] })],
    ...placeColumns,
    ['RESULT', (item) => ({ text: forecastState(item).words, paint: paints[item.action] })],
    ['CONTROLLER', ({ collector }) => collector, 'wide'],
    ['AFTER', (item) => chainOf(item, before), 'wide'],
    ['NOT BEFORE', ({ notBefore }) => notBefore, 'wide'],
    ['NOT AFTER', ({ notAfter }) => notAfter ?? '', 'wide'],
    ['GONE', ({ gone }) => gone?.notAfter ?? '', 'wide'],
    ['UID', ({ object }) => object.uid, 'wide'],
    ['RULE', ({ rule }) => rule, 'wide'],
    ['REASON', (item, { wide }) => `${wide ? '' : `${item.collector}: `}${forecastReason(item)}`],
  ];
}

/** `12 events: 10 will be deleted, 2 change.` */
export function forecastSummary({ items }: ForecastReport, where = ''): string {
  const results = items.map((item) => forecastState(item).words);
  const all = [counted(items.length, 'event'), where].filter((part) => part !== '');
  return `${all.join(' ')}: ${resultCounts(results)}.`;
}

function forecastState(item: ForecastItem): PageState {
  const { action, held, refused } = item;
  if (action === 'patch')
    return isOpen(item)
      ? { mark: 'unknown', words: 'may be changed' }
      : { mark: 'changes', words: 'will be changed' };
  if (isOpen(item)) return { mark: 'unknown', words: 'may be deleted' };
  // No deletion begins, so nothing is stuck.
  if (refused) return { mark: 'stuck', words: 'will be refused' };
  if (held !== undefined) {
    return { mark: 'stuck', words: item.terminating ? 'remains stuck' : 'will be stuck' };
  }
  return { mark: 'goes', words: 'will be deleted' };
}

/** What is overdue, what is sure by the latest time at which it happens, and then what may happen, from which time on. */
function inTime(items: readonly ForecastItem[]): readonly ForecastItem[] {
  const latest = ({ notBefore, notAfter }: ForecastItem) => Date.parse(notAfter ?? notBefore);
  const rank = (item: ForecastItem) => (item.overdue ? 0 : isOpen(item) ? 2 : 1);
  return items.toSorted((a, b) => rank(a) - rank(b) || latest(a) - latest(b));
}

/** `CronJob/backup > Job/backup-1`: what went first, then what followed from it. */
function chainOf(
  { object, follows }: ForecastItem,
  before: ReadonlyMap<string, ObjectReference | undefined>,
): string {
  const chain: string[] = [];
  const seen = new Set([object.uid]);
  for (let at = follows; at && !seen.has(at.uid); at = before.get(at.uid)) {
    seen.add(at.uid);
    chain.unshift(tableName(at));
  }
  return chain.length > 3 ? `${chain[0]} > … > ${chain.slice(-2).join(' > ')}` : chain.join(' > ');
}

/** Pod GC's own reason says which finalizers keep a pod (PG-8). */
function forecastReason(item: ForecastItem): string {
  const { collector, because, finalizers } = item;
  if (item.refused && item.held !== undefined) return `${because}; refused: ${item.held}`;
  const isSaid = collector === 'pod-garbage-collector' && finalizers.length > 0;
  return item.held === undefined || isSaid ? because : `${because}; blocked: ${item.held}`;
}

/** `forecast`: a lane for each controller, and what follows from what. */
export function forecastPage(report: ForecastReport, options: RenderOptions): PageData {
  const { items, undetermined, unknown, leftovers, at, until, collectors } = report;
  const page = new PageMaker(forecastColumns(report), options);
  for (const item of items) {
    page.item(item, item.object, forecastState(item), [
      [item.refused ? 'Refused by' : 'Blocked by', item.held],
      ['Node', item.node],
      ['Finalizers', item.finalizers.join(' ')],
    ]);
  }
  const unsure = [...undetermined, ...unknown].map((one) => ({ ...one, collector: '', ...open }));
  const left = leftovers.map((one) => ({ ...one, ...neverDeleted }));
  for (const { object, words, mark, collector, because } of [...unsure, ...left]) {
    const id = page.add(object, { mark, words }, [['Reason', because]]);
    page.otherRow(id, { Result: words, Controller: collector, Reason: because });
  }
  const lines = items.flatMap((item): PageReference[] => {
    if (!item.follows) return [];
    const owner = page.add(item.follows, { mark: 'plain', words: 'what it follows from' });
    return [{ owner, dependent: objectKey(item.object), class: 'leads', because: item.because }];
  });
  return page.page(report, {
    title: `Forecast for the next ${age(at, Date.parse(until))}`,
    figure: figureOf(
      objectsIn(items),
      'object will be deleted or changed',
      'objects will be deleted or changed',
      !isForecastComplete(report),
    ),
    summary: [forecastSummary(report), `Until ${until}.`],
    references: withLines(lines, ownersAmong(page.objects(), options.records)),
    timeline: {
      from: at,
      until,
      lanes: collectors.flatMap((one) => laneOf(one, items)),
    },
  });
}

const open = { mark: 'unknown', words: 'unknown' } as const;
const neverDeleted = { mark: 'frozen', words: 'no controller deletes it' } as const;

/** None for a controller of which there is nothing to say. */
function laneOf(controller: ForecastController, items: readonly ForecastItem[]): PageLane[] {
  const remark = remarkOn(controller);
  if (controller.items === 0 && remark === '') return [];
  const own = items.filter(({ collector }) => collector === controller.id);
  const moments = own.map((item) => ({
    object: objectKey(item.object),
    ...forecastState(item),
    notBefore: item.notBefore,
    ...(item.notAfter !== undefined && { notAfter: item.notAfter }),
  }));
  return [{ title: controller.id, ...(remark !== '' && { remark }), items: moments }];
}

function remarkOn({ leftOff, unread, withoutFacts }: ForecastController): string {
  if (leftOff) return '--controllers leaves it off';
  const missing = [...unread, ...withoutFacts];
  return missing.length === 0 ? '' : `not read in full: ${missing.join(', ')}`;
}
