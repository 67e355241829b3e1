import type { ObjectRecord } from '../kube/object-record.ts';
import { type Entry, entryKey, locationEntryKey } from './tool.ts';
import { inventoryOf, marksOf } from './tools.ts';

/** Who applied what among some objects. */
export interface Deliveries {
  /** What of these objects a tool's object applied. */
  readonly below: (tool: ObjectRecord) => readonly Delivered[];
  /** The same from the other side: the objects of tools that applied this one. */
  readonly above: (record: ObjectRecord) => readonly ObjectRecord[];
}

/** The objects among these that a tool deletes before its own object. */
export function deletedWith({ below }: Deliveries, tool: ObjectRecord): readonly ObjectRecord[] {
  return below(tool).flatMap(({ record, stays }) => (stays === undefined ? [record] : []));
}

/** An object that a tool applied. */
export interface Delivered {
  readonly record: ObjectRecord;
  /** Why it stays when the tool's object is deleted; undefined if it is deleted. */
  readonly stays: string | undefined;
}

const noObjects: readonly never[] = [];
const noDeliveries: Deliveries = { below: () => noObjects, above: () => noObjects };

/**
 * Objects are recognized by group, kind, namespace and name, and by the marks that the tool puts on them. An entry for
 * another cluster matches no object here, unless an object here has that name and the mark: it may be meant.
 */
export function deliveriesAmong(records: readonly ObjectRecord[]): Deliveries {
  const known = found.get(records) ?? findDeliveries(records);
  found.set(records, known);
  return known;
}

/** What was found, as a plan asks for the same records several times. */
const found = new WeakMap<readonly ObjectRecord[], Deliveries>();

function findDeliveries(records: readonly ObjectRecord[]): Deliveries {
  const tools = records.flatMap((record) => {
    const inventory = inventoryOf(record);
    return inventory && inventory !== 'unknown' ? [{ record, inventory }] : [];
  });
  if (tools.length === 0) return noDeliveries;
  const byPlace = new Map(records.map((record) => [locationEntryKey(record), record]));
  const marked = records.flatMap((record) => marksOf(record).map((mark) => ({ mark, record })));
  const byMark = Map.groupBy(marked, ({ mark }) => mark);
  const below = new Map<ObjectRecord, readonly Delivered[]>();
  const above = new Map<ObjectRecord, ObjectRecord[]>();
  for (const { record: tool, inventory } of tools) {
    const named = inventory.entries.flatMap((entry) => recordAt(byPlace, entry) ?? []);
    const { marks = [locationEntryKey(tool), locationEntryKey({ ...tool, namespace: '' })] } =
      inventory;
    const own = new Set(
      marks.flatMap((mark) => byMark.get(mark) ?? []).map(({ record }) => record),
    );
    const isEither = inventory.matchBy === 'either' && inventory.cluster === undefined;
    const held = new Set(isEither ? [...named, ...own] : named.filter((record) => own.has(record)));
    // An application may apply itself, and never deletes itself.
    held.delete(tool);
    const delivered = [...held].map((record) => ({
      record,
      stays: inventory.keepsAllBecause || inventory.keepReason(record),
    }));
    // What it leaves to its owner does not stay, where it is that owner.
    const isOwn = ({ ownerReferences }: ObjectRecord) =>
      ownerReferences.some(({ uid }) => uid === tool.uid);
    below.set(
      tool,
      delivered.filter(({ record, stays }) => stays === undefined || !isOwn(record)),
    );
    for (const record of held) above.set(record, [...(above.get(record) ?? []), tool]);
  }
  return {
    below: (tool) => below.get(tool) ?? noObjects,
    above: (record) => above.get(record) ?? noObjects,
  };
}

function recordAt(
  byPlace: ReadonlyMap<string, ObjectRecord>,
  entry: Entry,
): ObjectRecord | undefined {
  return byPlace.get(entryKey(entry)) ?? byPlace.get(entryKey({ ...entry, namespace: '' }));
}
