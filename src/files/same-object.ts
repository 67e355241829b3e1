import { compareText } from '../kube/names.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { HashTable, hashOf, NumberList } from '../kube/records/hash-table.ts';
import { plainRecord } from '../kube/records/stored-record.ts';
import { UidNumbers } from '../kube/records/uid-numbers.ts';
import { type ResourceType, storedAs } from '../kube/resource-type.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';

/**
 * One record for each object, however often and in however many versions it is shown. Objects
 * that only share a uid stay two. `types` are in the order of preference.
 */
export function mergeSameObjects(
  records: readonly ObjectRecord[],
  types: readonly ResourceType[],
): { readonly records: ObjectRecord[]; readonly problems: CoverageProblem[] } {
  const ranks = new Map(types.map((type, index) => [type, index]));
  const rank = (type: ResourceType) => ranks.get(type) ?? 0;
  const kept: ObjectRecord[] = [];
  const problems: CoverageProblem[] = [];
  const uids = new UidNumbers(records.length);
  const noUid = uids.of('');
  const byUid = new NumberList();
  const names = new PlaceIndex();
  for (const record of records) {
    const uid = uids.ofRecord(record);
    while (byUid.length < uids.size) byUid.push(noIndex);
    const sameUid = byUid.at(uid);
    const holder = kept[sameUid];
    const isSame = holder?.name === record.name && holder.namespace === record.namespace;
    // The same kind may be served by two groups, as Ingress and Event were and are.
    const sameObject = isSame && sharesKind(holder, record) ? sameUid : noIndex;
    const index = names.indexOf(record) ?? sameObject;
    const before = kept[index];
    if (!before) {
      if (holder) problems.push(sharedUid(holder, record));
      else if (uid !== noUid) byUid.set(uid, kept.length);
      names.add(record);
      kept.push(record);
      continue;
    }
    const { preferred, isDoubtful } = preferRecord(before, record, rank);
    if (isDoubtful) problems.push(contradiction(before, record));
    kept[index] = preferred;
    const preferredUid = uids.ofRecord(preferred);
    if (preferredUid !== noUid) byUid.set(preferredUid, index);
  }
  return { records: kept, problems };
}

function sharesKind(a: ObjectRecord | undefined, b: ObjectRecord): boolean {
  return a?.type.kind === b.type.kind;
}

const noIndex = -1;

/**
 * The first records of their kind, namespace and name, numbered in the order in which they come. As long as they come as
 * API servers list them, sorted by name within a namespace, none can be there already, and no index is needed.
 */
class PlaceIndex {
  readonly #records: ObjectRecord[] = [];
  /** Undefined while they come sorted. */
  #table: HashTable | undefined;
  /** By kind: the namespaces in which records were met. */
  readonly #namespaces: Set<string>[] = [];
  #lastKind = -1;
  #lastNamespace = '';
  #lastName = '';
  readonly #kinds = new Map<string, number>();
  readonly #kindOf = new Map<ResourceType, number>();
  #hash = 0;

  indexOf(record: ObjectRecord): number | undefined {
    if (!this.#table) {
      if (this.#isNext(record)) return undefined;
      this.#table = this.#indexed();
    }
    const index = this.#find(this.#table, record);
    return index < 0 ? undefined : index;
  }

  /** Adds the record that was looked for last. */
  add(record: ObjectRecord): void {
    const index = this.#records.push(record) - 1;
    this.#table?.add(this.#hash, index);
  }

  /** Does it stand behind all of its namespace, or is it the first of it? */
  #isNext({ type, namespace, name }: ObjectRecord): boolean {
    const kind = this.#kind(type);
    let isNext = name > this.#lastName;
    if (kind !== this.#lastKind || namespace !== this.#lastNamespace) {
      this.#namespaces[kind] ??= new Set();
      isNext = !this.#namespaces[kind].has(namespace);
      this.#namespaces[kind].add(namespace);
      this.#lastKind = kind;
      this.#lastNamespace = namespace;
    }
    this.#lastName = name;
    return isNext;
  }

  #indexed(): HashTable {
    const table = new HashTable(this.#records.length);
    for (const [index, record] of this.#records.entries()) {
      table.add(this.#hashOf(record), index);
    }
    return table;
  }

  #find(table: HashTable, record: ObjectRecord): number {
    const { namespace, name } = record;
    const kind = this.#kind(record.type);
    this.#hash = this.#hashOf(record);
    return table.find(this.#hash, (at) => {
      const other = this.#records[at] as ObjectRecord;
      return (
        other.name === name && other.namespace === namespace && this.#kind(other.type) === kind
      );
    });
  }

  #hashOf({ type, namespace, name }: ObjectRecord): number {
    return hashOf(name, hashOf(namespace, this.#kind(type)));
  }

  #kind(type: ResourceType): number {
    let kind = this.#kindOf.get(type);
    if (kind === undefined) {
      const name = storedAs(type);
      kind = this.#kinds.get(name) ?? this.#kinds.size;
      this.#kinds.set(name, kind);
      this.#kindOf.set(type, kind);
    }
    return kind;
  }
}

function sharedUid(a: ObjectRecord, b: ObjectRecord): CoverageProblem {
  const both = `${nameOf(a)} (${placeOf(a)}) and ${nameOf(b)} (${placeOf(b)})`;
  return {
    reason: 'duplicate-uid',
    message: `${both} have the same uid ${b.uid}`,
    ...b.place,
  };
}

function contradiction(a: ObjectRecord, b: ObjectRecord): CoverageProblem {
  return {
    reason: 'duplicate-uid',
    message:
      `${placeOf(b)}: ${nameOf(b)} differs from what ${placeOf(a)} says about it, and no ` +
      'resourceVersion shows which is newer: the later one counts',
    ...b.place,
  };
}

function nameOf({ type, namespace, name }: ObjectRecord): string {
  return `${type.kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

function placeOf({ place }: ObjectRecord): string {
  return place ? `${place.path}:${place.line}` : 'the input';
}

/** Which of two records of one object counts; doubtful when they differ and neither is known to be newer. */
function preferRecord(
  before: ObjectRecord,
  after: ObjectRecord,
  rank: (type: ResourceType) => number,
): { readonly preferred: ObjectRecord; readonly isDoubtful: boolean } {
  const age = compareResourceVersions(before.resourceVersion, after.resourceVersion);
  if (age !== 0) return { preferred: age > 0 ? before : after, isDoubtful: false };
  // What a cluster stored counts more than the manifest it was made of.
  if ((before.uid === '') !== (after.uid === '')) {
    return { preferred: after.uid === '' ? before : after, isDoubtful: false };
  }
  const isSameVersion =
    before.resourceVersion !== undefined && before.resourceVersion === after.resourceVersion;
  const isSameState = isSameVersion || contentOf(before) === contentOf(after);
  if (!isSameState) return { preferred: after, isDoubtful: true };
  if ((before.facts === undefined) !== (after.facts === undefined)) {
    return { preferred: before.facts ? before : after, isDoubtful: false };
  }
  return { preferred: rank(after.type) < rank(before.type) ? after : before, isDoubtful: false };
}

/** Above 0 when `a` is newer. They are decimal numbers of any length; having none is oldest. */
function compareResourceVersions(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const [left, right] = [a, b].map((version) => version.replace(/^0+/, ''));
  if (left === undefined || right === undefined || !/^\d+ \d+$/.test(`${a} ${b}`)) return 0;
  return left.length - right.length || compareText(left, right);
}

function contentOf(record: ObjectRecord): string {
  const { type, place, writers, labels, annotations, ...rest } = plainRecord(record);
  return JSON.stringify([rest, sorted(labels), sorted(annotations)]);
}

function sorted(map: Readonly<Record<string, string>> | undefined): [string, string][] {
  return Object.entries(map ?? {}).sort(([a], [b]) => compareText(a, b));
}
