import type { ObjectReference } from '../../kube/object-reference.ts';
import type { ReferenceClass } from '../../snapshot/graph/classify-reference.ts';
import { printable } from '../printable.ts';
import type { Mark } from './marks.ts';

/**
 * All that a page shows: the one value that it is made from. A page that is served gets the next one as an event,
 * and shows it in place of the last; what is selected, folded and searched for stays by the ids of objects.
 */
export interface PageData {
  readonly apiVersion: 'kubectl-gc/v1';
  readonly kind: 'Page';
  /** The `kind` of the document that it shows: `Tree`. */
  readonly of: string;
  readonly title: string;
  /** RFC 3339: when the cluster was read. */
  readonly at: string;
  /** The number that matters most, and what it counts: the largest text of the page. */
  readonly figure?: { readonly value: string; readonly words: string };
  /** What it comes to, one sentence each. */
  readonly summary: readonly string[];
  /** What could not be read, one sentence each. */
  readonly gaps: readonly string[];
  /** What marks mean on this page, where that is not what they usually mean. */
  readonly legend?: Partial<Readonly<Record<Mark, string>>>;
  readonly objects: readonly PageObject[];
  readonly references: readonly PageReference[];
  /** Pictures beside each other, each of all objects; at least one, but where a timeline says it all. */
  readonly views: readonly PageView[];
  readonly timeline?: PageTimeline;
  /** The same as text: what a reader without pictures, or without JavaScript, sees. */
  readonly table: PageTable;
  /** The table stands above the picture. outline: its rows are in the order of the picture, indented below what they follow from. */
  readonly first?: 'rows' | 'outline';
  /** Only of a page that is served: the relative address of events, each of which has the next PageData. */
  readonly live?: { readonly events: string };
  /** Only of a page that is served: what to know about its updates, as that some were skipped. */
  readonly notice?: string;
}

export interface PageObject extends ObjectReference {
  /** Identifies it among the objects, and in the next PageData. */
  readonly id: string;
  readonly state: PageState;
  /** Further facts: its verdict, the rule, the reason. */
  readonly facts: readonly PageFact[];
}

/** A label and a text. */
export type PageFact = readonly [label: string, text: string];

/** How an object stands at one moment of a view. */
export interface PageState {
  readonly mark: Mark;
  /** `will be deleted` */
  readonly words: string;
}

/** A line of the picture, from an owner to its dependent. */
export interface PageReference {
  /** The id of an object. */
  readonly owner: string;
  /** The id of an object. */
  readonly dependent: string;
  /** contains: a namespace, node or definition, which no reference names. leads: what follows from what. applied: by a delivery tool. */
  readonly class: ReferenceClass | 'contains' | 'leads' | 'applied';
  /** Where an object has several owners, it is drawn beside this one. */
  readonly controller?: true;
  /** The dependent blocks a foreground deletion of its owner. */
  readonly blocks?: true;
  readonly because: string;
}

/** One picture. */
export interface PageView {
  readonly title: string;
  /** Moments in the order of time; the first is what is shown at first. */
  readonly frames: readonly PageFrame[];
}

export interface PageFrame {
  readonly title: string;
  readonly text: string;
  /** How objects stand from here on, by their ids. */
  readonly changes: Readonly<Record<string, PageState>>;
}

/** What happens when: a lane for each controller. */
export interface PageTimeline {
  /** RFC 3339. */
  readonly from: string;
  /** RFC 3339. */
  readonly until: string;
  readonly lanes: readonly PageLane[];
}

export interface PageLane {
  readonly title: string;
  /** Why it is empty, or may not be complete. */
  readonly remark?: string;
  readonly items: readonly PageMoment[];
}

export interface PageMoment extends PageState {
  /** The id of an object. */
  readonly object: string;
  /** RFC 3339. */
  readonly notBefore: string;
  /** RFC 3339; unset when how long it takes is unknown. */
  readonly notAfter?: string;
}

export interface PageTable {
  /** Of the cells; the object is the first column. */
  readonly columns: readonly string[];
  readonly rows: readonly PageRow[];
}

export interface PageRow {
  /** The id of an object. */
  readonly object: string;
  readonly cells: readonly string[];
}

/** `Pod/web-1` */
export function titleOf({ kind, name }: Pick<ObjectReference, 'kind' | 'name'>): string {
  return printable(`${kind}/${name}`);
}

export function columnsOf({ table }: Pick<PageData, 'table'>): string[] {
  return ['Object', 'Namespace', ...table.columns];
}

/** How every object stands in a frame of a view. */
export function statesAt(
  { objects }: Pick<PageData, 'objects'>,
  { frames }: PageView,
  frame: number,
): ReadonlyMap<string, PageState> {
  const states = new Map(objects.map(({ id, state }) => [id, state]));
  for (const { changes } of frames.slice(0, frame + 1)) {
    for (const [id, state] of Object.entries(changes)) states.set(id, state);
  }
  return states;
}

/** Is there more than one moment? */
export function isPlaying({ views }: Pick<PageData, 'views'>): boolean {
  return views.some(({ frames }) => frames.length > 1);
}
