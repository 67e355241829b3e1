/** A field of a document, or some items of a long list in it. */
export interface Slice {
  readonly field: string;
  readonly value: unknown;
  /** Do items of the same list stand before, or follow? */
  readonly isContinued: boolean;
  readonly continues: boolean;
}

const mostItems = 200;

/** The fields of a document, of which long lists come in slices: none makes a text that could not stand in memory. */
export function* slicesOf(document: object): Generator<Slice> {
  for (const [field, value] of Object.entries(document)) {
    if (value === undefined) continue;
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    if (list.length <= mostItems) {
      yield { field, value, isContinued: false, continues: false };
      continue;
    }
    for (let at = 0; at < list.length; at += mostItems) {
      const end = at + mostItems;
      const items = list.slice(at, end);
      yield { field, value: items, isContinued: at > 0, continues: end < list.length };
    }
  }
}
