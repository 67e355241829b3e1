import type { ObjectReference } from '../kube/object-reference.ts';
import type { PageData } from '../output/pages/page-data.ts';
import { printedName } from '../output/printable.ts';
import type { RenderOptions } from '../output/style.ts';

/** How one kind of document reads: its table and its page come from the same columns. */
export interface Answer<R> {
  readonly tableOf: (report: R, options: RenderOptions) => string;
  readonly pageOf?: (report: R, options: RenderOptions) => PageData;
  /** What `-o name` prints; by default, the objects of its items. */
  readonly namesOf?: (report: R) => Iterable<string>;
  /** By format, what no other answer has; each loads on first use. */
  readonly texts?: Readonly<
    Record<string, () => Promise<(report: R, options: RenderOptions) => string>>
  >;
}

/** The name of each object once, in the order in which they come. */
export function distinctNames(
  items: Iterable<{ readonly object: ObjectReference }>,
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { object } of items) names.add(printedName(object));
  return names;
}
