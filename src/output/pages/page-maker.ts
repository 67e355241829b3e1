import { firstOf } from '../../kube/counts-by-kind.ts';
import { type ObjectReference, objectKey, referenceTo } from '../../kube/object-reference.ts';
import { timestampOf } from '../../kube/time.ts';
import { type CoverageProblem, problemText } from '../../snapshot/coverage.ts';
import type { RenderOptions } from '../style.ts';
import type { Column } from '../tables/table.ts';
import {
  type PageData,
  type PageFact,
  type PageFrame,
  type PageObject,
  type PageRow,
  type PageState,
  type PageView,
  titleOf,
} from './page-data.ts';

/** What a page shows of its report besides objects and rows. */
interface PageContent
  extends Pick<PageData, 'title' | 'summary' | 'references'>,
    Partial<Pick<PageData, 'gaps' | 'legend' | 'views' | 'timeline' | 'figure' | 'first'>> {}

/** What is not known is left out. */
export type Facts = readonly (readonly [label: string, text: string | undefined])[];

/** What a page shows of every object anyway. */
const identifying: ReadonlySet<string> = new Set(['NAMESPACE', 'KIND', 'NAME', 'OBJECT', 'UID']);

/** Puts a page together: its objects by their ids, and rows with the columns of a wide table. */
export class PageMaker<T = never> {
  readonly #objects = new Map<string, PageObject>();
  readonly #rows: PageRow[] = [];
  readonly #columns: { readonly title: string; readonly textOf: (item: T) => string }[];
  readonly #now: number;

  constructor(columns: readonly Column<T>[], given: RenderOptions) {
    const options = { ...given, wide: true };
    this.#now = given.now;
    this.#columns = columns
      .filter(([header]) => !identifying.has(header))
      .map(([header, cell]) => {
        const textOf = (item: T) => {
          const shown = cell(item, options);
          return typeof shown === 'string' ? shown : shown.text;
        };
        const title = header === 'GC' ? header : header.charAt(0) + header.slice(1).toLowerCase();
        return { title, textOf };
      });
  }

  /** An object, whose id it returns. Of what is there already, the facts alone are new. */
  add(
    object: ObjectReference,
    state: PageState,
    facts: Facts = [],
    id = objectKey(object),
  ): string {
    const known = this.#objects.get(id);
    const more = facts.flatMap(([label, text]): PageFact[] => (text ? [[label, text]] : []));
    this.#objects.set(id, {
      ...referenceTo(object),
      id,
      state: known?.state ?? state,
      facts: [...(known?.facts ?? []), ...more],
    });
    return id;
  }

  /** The columns as facts. */
  factsOf(item: T): Facts {
    return this.#columns.map(({ title, textOf }) => [title, textOf(item)]);
  }

  row(item: T, object: string): void {
    this.#rows.push({ object, cells: this.#columns.map(({ textOf }) => textOf(item)) });
  }

  /** A row with the cells that it has, by the titles of their columns. */
  otherRow(object: string, cells: Readonly<Partial<Record<string, string>>>): void {
    this.#rows.push({ object, cells: this.#columns.map(({ title }) => cells[title] ?? '') });
  }

  /** An object and its row, whose columns are its first facts. */
  item(item: T, object: ObjectReference, state: PageState, facts: Facts = [], id?: string): void {
    this.row(item, this.add(object, state, [...this.factsOf(item), ...facts], id));
  }

  /** All of them, with what stands in every panel at the end. */
  objects(): PageObject[] {
    return [...this.#objects.values()].map((object) => {
      const { apiVersion, uid, facts } = object;
      const version: PageFact = ['API version', apiVersion];
      return { ...object, facts: [...facts, version, ...(uid ? [['UID', uid] as const] : [])] };
    });
  }

  /** The page of this report; of one moment, where nothing else is said of its views. */
  page(
    {
      kind,
      coverage,
    }: {
      readonly kind: string;
      readonly coverage: { readonly problems: readonly CoverageProblem[] };
    },
    { title, summary, references, ...content }: PageContent,
  ): PageData {
    const { legend, timeline, figure, first } = content;
    const objects = this.objects();
    return {
      apiVersion: 'kubectl-gc/v1',
      kind: 'Page',
      of: kind,
      at: timestampOf(this.#now),
      gaps: content.gaps ?? coverage.problems.map(problemText),
      title,
      ...(figure && { figure }),
      summary,
      objects,
      references,
      ...(legend && { legend }),
      views: content.views ?? (objects.length === 0 ? [] : [stillView(title)]),
      ...(timeline && { timeline }),
      ...(first && { first }),
      table: { columns: this.#columns.map((column) => column.title), rows: this.#rows },
    };
  }
}

/** `Deployment/web, Pod/web-1 and 3 more` */
export function titleOfSome(objects: readonly ObjectReference[]): string {
  return firstOf(objects.map(titleOf)) || 'nothing';
}

/** `9 objects will be deleted`, as a figure; `isOpen`: there may be more. */
export function figureOf(count: number, one: string, many: string, isOpen = false) {
  return { value: `${count}${isOpen ? '+' : ''}`, words: count === 1 && !isOpen ? one : many };
}

/** How an object stands before anything happens, and once it is deleted. */
export const present: PageState = { mark: 'plain', words: 'is there' };
export const gone: PageState = { mark: 'gone', words: 'was deleted' };

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
