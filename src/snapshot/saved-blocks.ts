import { type Json, listOf } from '../kube/json-value.ts';
import type { ObjectRecord, Place } from '../kube/object-record.ts';
import { leadsElsewhere } from '../kube/path-segment.ts';
import { BlockBuilder } from '../kube/records/block-builder.ts';
import { BadColumns } from '../kube/records/columns.ts';
import { readColumns } from '../kube/records/read-columns.ts';
import { recordsOf } from '../kube/records/record-block.ts';
import type { RecordColumns } from '../kube/records/record-columns.ts';
import { apiVersionOf, type ResourceType } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';

/**
 * The blocks of a saved snapshot. Spec and status of objects stand on lines of their own behind the columns, so
 * that they can wait as text until somebody looks.
 */
export function* encodeBlocks(
  records: readonly ObjectRecord[],
  types: ResourceTypes,
): Iterable<string> {
  const numbers = new TypeNumbers(types);
  let builder = new BlockBuilder(numbers.of);
  for (const [index, record] of records.entries()) {
    builder.add(record);
    const isLast = index === records.length - 1;
    if (!isLast && !builder.isFull) continue;
    yield* encodeBlock(builder, numbers.own, isLast);
    builder = new BlockBuilder(numbers.of);
  }
}

function* encodeBlock(
  builder: BlockBuilder,
  own: readonly ResourceType[],
  isLast: boolean,
): Iterable<string> {
  const { columns, facts } = builder.written();
  const text = JSON.stringify(own.length > 0 ? { ...columns, ownTypes: own } : columns);
  if (facts === '') yield text;
  else yield* [`${text.slice(0, -1)},"${bodyField}":[\n`, facts, '\n]}'];
  yield isLast ? '\n' : ',\n';
}

/** Holds spec and status, each once. */
const bodyField = 'body';

/** How the first line of a block ends whose objects have a spec or status. */
export const bodyStart = `"${bodyField}":[`;

/** The number of a type: its place in `resourceTypes`, or behind them in the `ownTypes` of the block. */
class TypeNumbers {
  /** Those that apiVersion and kind do not lead to. */
  readonly own: ResourceType[] = [];
  readonly #types: ResourceTypes;
  readonly #numbers = new Map<ResourceType, number>();

  constructor(types: ResourceTypes) {
    this.#types = types;
  }

  readonly of = (type: ResourceType): number => {
    const known = this.#numbers.get(type);
    if (known !== undefined) return known;
    const listed = this.#types.find(apiVersionOf(type), type.kind);
    const { all } = this.#types;
    const number =
      listed?.resource === type.resource
        ? all.indexOf(listed)
        : all.length + this.own.push(type) - 1;
    this.#numbers.set(type, number);
    return number;
  };
}

/**
 * One block. `facts` is the text between the brackets of `body`. Throws BadColumns when it is none.
 * `readType` reads a type that stands in the block itself.
 */
export function decodeBlock(
  columns: Json,
  facts: string,
  types: ResourceTypes,
  place: Place | undefined,
  readType: (value: unknown) => ResourceType | undefined,
): ObjectRecord[] {
  const own = columns.ownTypes === undefined ? [] : listOf(columns.ownTypes, readType);
  if (!own) throw new BadColumns('its types are not complete');
  refuseOddNames(columns);
  return recordsOf(
    readColumns(columns as unknown as RecordColumns, facts, [...types.all, ...own], place),
  );
}

/** No name in front of a slash, a dot or two, or what a path would read otherwise (path-segment.ts). */
const oddName = /(?:^|\/)\.{0,2}(?:\/|$)|%/;

/** As every reader does: no server has such names, and a request for one would go elsewhere. */
function refuseOddNames({ name, namespace }: Json): void {
  const names = typeof name === 'string' ? name : '';
  const namespaces = Array.isArray(namespace) ? namespace : [];
  const isOdd = (text: unknown) => typeof text === 'string' && leadsElsewhere(text);
  if (oddName.test(names) || !names.isWellFormed() || namespaces.some(isOdd)) {
    throw new BadColumns('a name is none');
  }
}
