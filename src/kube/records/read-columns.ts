import { type Json, jsonOf, textsByKey } from '../json-value.ts';
import type { Place } from '../object-record.ts';
import { ownerReferencesOf } from '../record-codec.ts';
import type { ResourceType } from '../resource-type.ts';
import { type BlockColumns, FactsColumn, Places, Values } from './block-columns.ts';
import {
  BadColumns,
  eachRun,
  fromDifferences,
  indexBelow,
  NumberColumn,
  TextColumn,
} from './columns.ts';
import type { RareFields, RecordColumns } from './record-columns.ts';
import { MapColumn, ReferencesColumn } from './text-sets.ts';
import { packUid, uidLength, uidWords } from './uids.ts';

/**
 * The columns that a block of a saved snapshot spells; throws BadColumns. `types`: by the numbers in the columns.
 * `place`: of the objects that have none of their own.
 */
export function readColumns(
  columns: RecordColumns,
  facts: string,
  types: readonly ResourceType[],
  place: Place | undefined,
): BlockColumns {
  const rows = indexBelow(columns.rows, 0x10000);
  const usedTypes: ResourceType[] = [];
  const typeAt = new Uint16Array(rows);
  eachRun(columns.type, rows, (number, from, to) => {
    const type = types[indexBelow(number, types.length)] as ResourceType;
    typeAt.fill(numberOf(usedTypes, type), from, to);
  });
  const namespaces: string[] = [];
  const namespaceAt = new Uint16Array(rows);
  const numbers = new Map<unknown, number>();
  eachRun(columns.namespace, rows, (namespace, from, to) => {
    if (typeof namespace !== 'string') throw new BadColumns('a namespace is none');
    const number = numbers.get(namespace) ?? namespaces.push(namespace) - 1;
    numbers.set(namespace, number);
    namespaceAt.fill(number, from, to);
  });
  const { resourceVersion, creationTimestamp, labels, annotations, ownerReferences } = columns;
  const { finalizers, writers, more } = columns;
  return {
    rows,
    types: usedTypes,
    typeAt,
    namespaces,
    namespaceAt,
    names: new TextColumn(columns.name, '/', rows),
    uids: columns.uid === undefined ? undefined : packedUids(columns.uid, rows),
    versions: resourceVersion && new NumberColumn(fromDifferences(resourceVersion, rows)),
    created: creationTimestamp && new NumberColumn(fromDifferences(creationTimestamp, rows)),
    labels: labels && new MapColumn(labels, rows),
    annotations: annotations && new MapColumn(annotations, rows),
    references: ownerReferences && new ReferencesColumn(ownerReferences, rows),
    finalizers: finalizers && new Values(finalizers, rows),
    writers: writers && new Values(writers, rows),
    places: placesOf(columns.place, rows, place),
    more: more && moreOf(more, rows),
    facts: columns.facts && new FactsColumn(columns.facts, facts, rows),
  };
}

function placesOf(column: RecordColumns['place'], rows: number, place: Place | undefined): Places {
  if (!column) return new Places(place);
  const { paths } = column;
  const isList = Array.isArray(paths) && paths.every((path) => typeof path === 'string');
  if (!isList) throw new BadColumns('the paths of its files are none');
  const pathAt = new Uint16Array(rows);
  eachRun(column.path, rows, (number, from, to) => {
    pathAt.fill(indexBelow(number, paths.length + 1), from, to);
  });
  const lines = new NumberColumn(fromDifferences(column.line, rows));
  return new Places(place, paths, pathAt, lines);
}

function numberOf<T>(known: T[], value: T): number {
  const at = known.lastIndexOf(value);
  return at < 0 ? known.push(value) - 1 : at;
}

function packedUids(uids: unknown, rows: number): Uint32Array {
  const words = new Uint32Array(rows * uidWords);
  const isWhole = typeof uids === 'string' && uids.length === rows * uidLength;
  for (let row = 0; row < rows; row++) {
    if (!isWhole || !packUid(uids, row * uidLength, words, row * uidWords)) {
      // 36 zeros stand for what is no UUID, and for nothing.
      if (isWhole && uids.startsWith('0'.repeat(uidLength), row * uidLength)) continue;
      throw new BadColumns('a uid is none');
    }
  }
  return words;
}

function moreOf(more: unknown, rows: number): ReadonlyMap<number, RareFields> {
  const fields = new Map<number, RareFields>();
  for (const entry of Array.isArray(more) ? more : []) {
    const [row, rare] = Array.isArray(entry) ? entry : [];
    fields.set(indexBelow(row, rows), rareFieldsOf(jsonOf(rare) ?? {}));
  }
  return fields;
}

const texts = ['name', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'] as const;

function rareFieldsOf(json: Json): RareFields {
  const rare: RareFields = {};
  for (const field of texts) {
    const text = json[field];
    if (text === undefined) continue;
    if (typeof text !== 'string') throw new BadColumns(`the ${field} of an object is none`);
    rare[field] = text;
  }
  const { deletionGracePeriodSeconds: seconds, labels, annotations, ownerReferences } = json;
  if (typeof seconds === 'number') rare.deletionGracePeriodSeconds = seconds;
  if (labels !== undefined) rare.labels = textsByKey(labels) ?? {};
  if (annotations !== undefined) rare.annotations = textsByKey(annotations) ?? {};
  if (ownerReferences !== undefined) rare.ownerReferences = ownerReferencesOf(ownerReferences);
  return rare;
}
