import { type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import type { ForecastController, ForecastItem, ForecastReport } from '../documents/forecast.ts';
import type { RenderOptions } from '../style.ts';
import { forecastColumns, forecastResult, forecastSummary } from '../tables/forecast-table.ts';
import type { Mark } from './marks.ts';
import { ownersAmong, withLines } from './owners-among.ts';
import type { PageData, PageLane, PageReference, PageState } from './page-data.ts';
import { columnFacts, factsOf, PageObjects, pageHead, pageTable, stillView } from './page-parts.ts';

/** `forecast`: a lane for each controller, and what follows from what. */
export function forecastPage(report: ForecastReport, options: RenderOptions): PageData {
  const { items, undetermined, unknown, leftovers, at, until } = report;
  const idOf = ({ object }: { readonly object: ObjectReference }) => objectKey(object);
  const columns = forecastColumns(report, options, true);
  const objects = new PageObjects();
  for (const item of items) {
    const more = factsOf(['Held by', item.held], ['Node', item.node]);
    const finalizers = factsOf(['Finalizers', item.finalizers.join(' ')]);
    objects.add(item.object, stateOf(item), [
      ...columnFacts(item, columns),
      ...more,
      ...finalizers,
    ]);
  }
  const unsure = [...undetermined, ...unknown].map((one) => ({ ...one, collector: '', ...open }));
  const left = leftovers.map((one) => ({ ...one, ...never }));
  for (const { object, because, ...state } of [...unsure, ...left]) {
    objects.add(object, state, factsOf(['Reason', because]));
  }
  const lines = items.flatMap((item): PageReference[] => {
    if (!item.follows) return [];
    const owner = objects.add(item.follows, { mark: 'plain', words: 'what it follows from' });
    return [{ owner, dependent: idOf(item), class: 'leads', because: item.because }];
  });
  const all = objects.all();
  const title = `Forecast until ${until}`;
  return {
    ...pageHead(report, options),
    title,
    summary: [forecastSummary(report)],
    objects: all,
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
    table: pageTable(
      items,
      columns,
      idOf,
      [...unsure, ...left].map(({ object, words, collector, because }) => {
        const cells = { Result: words, Controller: collector, Reason: because };
        return { object: objectKey(object), cells };
      }),
    ),
  };
}

const open = { mark: 'unknown', words: 'unknown' } as const;
const never = { mark: 'frozen', words: 'no controller deletes it' } as const;

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
