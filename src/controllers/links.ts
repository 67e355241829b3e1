import type { ObjectRecord } from '../kube/object-record.ts';
import { storedAs } from '../kube/resource-type.ts';
import type { Links, SyncFacts } from './controller.ts';

/** Links that join objects if an object of one of these kinds has a name by them. */
export interface ControllerLinks {
  readonly kinds: readonly string[];
  readonly links: Links;
}

/** The names of an object: none if its kind has none. */
export function linkedNames(links: Links, record: ObjectRecord, by: SyncFacts): readonly string[] {
  return links[storedAs(record.type)]?.(record, by) ?? noNames;
}

const noNames: readonly string[] = Object.freeze([]);
