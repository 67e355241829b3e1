import { type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import type { ForecastController, ForecastReport } from '../documents/forecast.ts';
import type { ForecastItem } from '../documents/forecast-items.ts';
import type { RenderOptions } from '../style.ts';
import {
  forecastReason,
  forecastResult,
  forecastSummary,
  forecastTime,
} from '../tables/forecast-table.ts';
import type { Mark } from './marks.ts';
import { ownersAmong, withLines } from './owners-among.ts';
import type { PageData, PageLane, PageObject, PageReference, PageState } from './page-data.ts';
import { factsOf, identityFacts, pageHead, stillView } from './page-parts.ts';

/** `forecast`: a lane for each controller, and what follows from what. */
export function forecastPage(report: ForecastReport, options: RenderOptions): PageData {
  const { items, undetermined, unknown, leftovers, at, until } = report;
  const now = Date.parse(at);
  const idOf = (item: { readonly object: ObjectReference }) => objectKey(item.object);
  const objects = new Map<string, PageObject>();
  const note = (
    item: { readonly object: ObjectReference; readonly because: string },
    state: PageState,
    facts: PageObject['facts'],
  ) => {
    const id = idOf(item);
    const known = objects.get(id)?.facts ?? [];
    objects.set(id, {
      ...item.object,
      id,
      state: objects.get(id)?.state ?? state,
      facts: [...known, ...facts],
    });
  };
  for (const item of items) note(item, stateOf(item), factsOfItem(item, now));
  const open = { mark: 'unknown', words: 'unknown' } as const;
  const never = { mark: 'frozen', words: 'no controller deletes it' } as const;
  for (const one of [...undetermined, ...unknown])
    note(one, open, factsOf(['Reason', one.because]));
  for (const one of leftovers) note(one, never, factsOf(['Reason', one.because]));
  const lines = items.flatMap((item): PageReference[] => {
    if (!item.follows) return [];
    const owner = objectKey(item.follows);
    if (!objects.has(owner)) {
      const state: PageState = { mark: 'plain', words: 'what it follows from' };
      objects.set(owner, { ...item.follows, id: owner, state, facts: identityFacts(item.follows) });
    }
    return [{ owner, dependent: idOf(item), class: 'leads', because: item.because }];
  });
  const all = [...objects.values()];
  const title = `Forecast until ${until}`;
  return {
    ...pageHead(report, options),
    title,
    summary: [forecastSummary(report)],
    objects: all.map((object) => ({
      ...object,
      facts: [...object.facts, ...identityFacts(object)],
    })),
    references: withLines(lines, ownersAmong(all, options.records)),
    views: all.length === 0 ? [] : [stillView(title)],
    timeline: {
      from: at,
      until,
      lanes: lanesOf(report).map((lane) => ({
        ...lane,
        items: items
          .filter(({ collector }) => collector === lane.title)
          .map((item) => ({
            object: idOf(item),
            ...stateOf(item),
            notBefore: item.notBefore,
            ...(item.notAfter !== undefined && { notAfter: item.notAfter }),
          })),
      })),
    },
    table: {
      columns: ['When', 'Result', 'Controller', 'Reason', 'Rule'],
      rows: [
        ...items.map((item) => ({
          object: idOf(item),
          cells: [
            forecastTime(item, now),
            forecastResult(item),
            item.collector,
            forecastReason(item),
            item.rule,
          ],
        })),
        ...[...undetermined, ...unknown].map((one) => ({
          object: idOf(one),
          cells: ['', open.words, '', one.because, ''],
        })),
        ...leftovers.map((one) => ({
          object: idOf(one),
          cells: ['never', never.words, one.collector, one.because, ''],
        })),
      ],
    },
  };
}

function lanesOf({ collectors }: ForecastReport): Omit<PageLane, 'items'>[] {
  return collectors
    .filter((one) => one.items > 0 || remarkOn(one) !== undefined)
    .map((one) => {
      const remark = remarkOn(one);
      return { title: one.id, ...(remark !== undefined && { remark }) };
    });
}

function remarkOn({ enabled, unread, withoutFacts }: ForecastController): string | undefined {
  if (!enabled) return 'switched off';
  const missing = [...unread, ...withoutFacts];
  return missing.length === 0 ? undefined : `not read in full: ${missing.join(', ')}`;
}

function stateOf(item: ForecastItem): PageState {
  const mark: Mark =
    item.action === 'patch'
      ? 'changes'
      : item.confidence === 'unknown'
        ? 'unknown'
        : item.held === undefined
          ? 'goes'
          : 'stuck';
  return { mark, words: forecastResult(item) };
}

function factsOfItem(item: ForecastItem, now: number): PageObject['facts'] {
  return factsOf(
    [item.collector, `${forecastTime(item, now)}: ${forecastResult(item)}`],
    ['Reason', forecastReason(item)],
    ['Rule', item.rule],
    ['Not before', item.notBefore],
    ['Not after', item.notAfter],
    ['Gone by', item.gone?.notAfter],
    ['Held by', item.held],
    ['Node', item.node],
    ['Finalizers', item.finalizers.join(' ')],
  );
}
