import { firstOf } from '../../kube/counts-by-kind.ts';
import { type ObjectReference, objectKey, referenceTo } from '../../kube/object-reference.ts';
import { timestampOf } from '../../kube/time.ts';
import { type CoverageProblem, problemText } from '../../snapshot/coverage.ts';
import type { RenderOptions } from '../style.ts';
import type { Column } from '../tables/table.ts';
import type {
  PageData,
  PageFact,
  PageFrame,
  PageObject,
  PageState,
  PageTable,
  PageView,
} from './page-data.ts';
import { titleOf } from './page-table.ts';

/** What a page shows of its report. */
interface PageContent
  extends Pick<PageData, 'title' | 'summary' | 'references' | 'table'>,
    Partial<Pick<PageData, 'gaps' | 'legend' | 'views' | 'timeline'>> {
  readonly objects: PageObjects;
}

/** A page of this report; of one moment, where nothing else is said of its views. */
export function pageOf(
  report: {
    readonly kind: string;
    readonly coverage: { readonly problems: readonly CoverageProblem[] };
  },
  { now }: Pick<RenderOptions, 'now'>,
  { title, summary, references, legend, timeline, table, ...content }: PageContent,
): PageData {
  const objects = content.objects.all();
  return {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Page',
    of: report.kind,
    at: timestampOf(now),
    gaps: content.gaps ?? report.coverage.problems.map(problemText),
    title,
    summary,
    objects,
    references,
    ...(legend && { legend }),
    views: content.views ?? (objects.length === 0 ? [] : [stillView(title)]),
    ...(timeline && { timeline }),
    table,
  };
}

/** Facts that are known, without those that are not. */
export function factsOf(
  ...facts: readonly (readonly [label: string, text: string | undefined])[]
): PageFact[] {
  return facts.flatMap(([label, text]) => (text ? [[label, text] as const] : []));
}

/** What stands in every panel at the end. */
function identityFacts({ apiVersion, uid }: ObjectReference): PageFact[] {
  return factsOf(['API version', apiVersion], ['UID', uid]);
}

/** The objects of a page, by their ids. */
export class PageObjects {
  readonly #objects = new Map<string, PageObject>();

  /** Of what is there already, the facts alone are new. */
  add(
    object: ObjectReference,
    state: PageState,
    facts: readonly PageFact[] = [],
    id = objectKey(object),
  ): string {
    const known = this.#objects.get(id);
    this.#objects.set(id, {
      ...referenceTo(object),
      id,
      state: known?.state ?? state,
      facts: [...(known?.facts ?? []), ...facts],
    });
    return id;
  }

  all(): PageObject[] {
    return [...this.#objects.values()].map((object) => {
      return { ...object, facts: [...object.facts, ...identityFacts(object)] };
    });
  }
}

/** What a page tells of every object anyway. */
const toldOfAll: ReadonlySet<string> = new Set(['NAMESPACE', 'KIND', 'NAME', 'OBJECT', 'UID']);

function ofPage<T>(columns: readonly Column<T>[], given: RenderOptions) {
  const options = { ...given, wide: true };
  return columns.flatMap(([header, cell]) => {
    if (toldOfAll.has(header)) return [];
    const textOf = (item: T) => {
      const shown = cell(item, options);
      return typeof shown === 'string' ? shown : shown.text;
    };
    const title = header === 'GC' ? header : header.charAt(0) + header.slice(1).toLowerCase();
    return [{ title, textOf }];
  });
}

/** The columns of a wide table as the table of a page; `others` stand below, with the cells that they have. */
export function pageTable<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  options: RenderOptions,
  idOf: (item: T) => string,
  others: readonly { readonly object: string; readonly cells: OtherCells }[] = [],
): PageTable {
  const shown = ofPage(columns, options);
  return {
    columns: shown.map(({ title }) => title),
    rows: [
      ...items.map((item) => ({
        object: idOf(item),
        cells: shown.map(({ textOf }) => textOf(item)),
      })),
      ...others.map(({ object, cells }) => ({
        object,
        cells: shown.map(({ title }) => cells[title] ?? ''),
      })),
    ],
  };
}

/** By the titles of their columns. */
type OtherCells = Readonly<Partial<Record<string, string>>>;

/** The same columns, as facts of one object. */
export function columnFacts<T>(
  item: T,
  columns: readonly Column<T>[],
  options: RenderOptions,
): PageFact[] {
  const shown = ofPage(columns, options);
  return factsOf(...shown.map(({ title, textOf }) => [title, textOf(item)] as const));
}

/** `Deployment/web, Pod/web-1 and 3 more` */
export function titleOfSome(objects: readonly ObjectReference[], most = 3): string {
  return firstOf(objects.map(titleOf), most) || 'nothing';
}

/** How an object stands before anything happens, and once it is deleted. */
export const present: PageState = { mark: 'plain', words: 'is there' };
export const gone: PageState = { mark: 'gone', words: 'is gone' };

/** The first frames of what would happen: first the result. */
export function firstFrames(before: PageFrame['changes']): PageFrame[] {
  return [
    { title: 'Result', text: 'What becomes of each object in the end.', changes: {} },
    { title: 'Before', text: 'Nothing was sent yet.', changes: before },
  ];
}

/** A view of one moment. */
export function stillView(title: string, changes: PageFrame['changes'] = {}): PageView {
  return { title, frames: [{ title: '', text: '', changes }] };
}
