import type { Judgement } from '../collectors/garbage-collector/judge.ts';
import type { Graph } from '../graph/graph.ts';
import type { ObjectRecord, OwnerReference } from '../kube/object-record.ts';

/** What the collector does because of a wrong reference; the contract's words. */
export type Consequence =
  | 'deleted on the next pass'
  | 'reference removed'
  | 'kept only by another owner'
  | 'never collected'
  | 'blocks a foreground deletion for ever'
  | 'already being deleted'
  | 'unknown because an API could not be read'
  | 'none';

/** One change to one entry of metadata.ownerReferences, by its index there. */
export interface ReferenceEdit {
  readonly index: number;
  /** Undefined removes the entry. */
  readonly to: OwnerReference | undefined;
}

/** How to put it right: edits of the object itself where that is possible, and what they mean in words. */
export interface Repair {
  readonly summary: string;
  readonly edits: readonly ReferenceEdit[];
}

/** One wrong reference, or one object in a wrong relation. */
export interface Finding {
  readonly rule: string;
  readonly object: ObjectRecord;
  readonly reference: OwnerReference | undefined;
  readonly because: string;
  readonly consequences: readonly Consequence[];
  /** The collector's rule behind the consequences. */
  readonly gcRule: string;
  readonly repair: Repair;
}

/** One object with owner references, as rules see it. */
export interface Subject {
  readonly graph: Graph;
  readonly record: ObjectRecord;
  readonly judgement: Judgement;
}

/** What a rule reports; `audit` fills in the rest. */
export interface Violation {
  /** Index in metadata.ownerReferences; undefined when it is about the object as a whole. */
  readonly index?: number;
  readonly because: string;
  readonly repair: Repair;
  /** When the judgement of the object says less than the rule knows. */
  readonly consequences?: readonly Consequence[];
  readonly gcRule?: string;
}

/** A class of wrong references. Its id is its file, its test and its page. */
export interface Rule {
  readonly id: string;
  readonly title: string;
  /** Looks at one object that has owner references, or (`unowned`) at one that has none. */
  check?(subject: Subject): Violation[];
  checkUnowned?(graph: Graph, record: ObjectRecord): Violation[];
  /** Looks at the graph as a whole. */
  checkGraph?(graph: Graph): { readonly record: ObjectRecord; readonly violation: Violation }[];
}

/** Removing the entry lets the object live on without that owner. */
export function removal(index: number, summary: string): Repair {
  return { summary, edits: [{ index, to: undefined }] };
}
