import { compareText } from '../kube/names.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { fullNameOf, inWords } from '../kube/object-reference.ts';
import { type ResourceType, storedAs } from '../kube/resource-type.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';

/**
 * One record for each object, however often and in however many versions it is shown. Objects
 * that only share a uid stay two. `types` are in the order of preference. `keepsVariants`: of objects that were never
 * applied, those of one name in several files stay apart where they differ. Those of files that are `apart` stay apart.
 */
export function mergeSameObjects(
  records: readonly ObjectRecord[],
  types: readonly ResourceType[],
  keepsVariants = false,
  apart?: FilesApart,
): { readonly records: ObjectRecord[]; readonly problems: CoverageProblem[] } {
  const ranks = new Map(types.map((type, index) => [type, index]));
  const rank = (type: ResourceType) => ranks.get(type) ?? 0;
  const kept: ObjectRecord[] = [];
  const problems: CoverageProblem[] = [];
  const byUid = new Map<string, number>();
  const byPlace = new Map<string, number>();
  for (const record of records) {
    const sameUid = byUid.get(record.uid) ?? noIndex;
    const holder = kept[sameUid];
    const isSame = holder?.name === record.name && holder.namespace === record.namespace;
    // The same kind may be served by two groups, as Ingress and Event were and are.
    const sameObject = isSame && sharesKind(holder, record) ? sameUid : noIndex;
    const place = placeKey(record);
    const index = kept[sameObject] ? sameObject : (byPlace.get(place) ?? noIndex);
    const before = kept[index];
    if (!before) {
      if (holder) problems.push(sharedUid(holder, record));
      else if (record.uid !== '') byUid.set(record.uid, kept.length);
      byPlace.set(place, kept.length);
      kept.push(record);
      continue;
    }
    if (before.uid !== record.uid && apart?.areApart(before, record)) {
      byUid.set(record.uid, kept.length);
      kept.push(record);
      continue;
    }
    const { preferred, isDoubtful } = preferRecord(before, record, rank);
    if (isDoubtful && keepsVariants && isVariant(before, record)) {
      kept.push(record);
      continue;
    }
    if (isDoubtful) problems.push(contradiction(before, record));
    kept[index] = preferred;
    if (preferred.uid !== '') byUid.set(preferred.uid, index);
  }
  return { records: kept, problems };
}

function isVariant(a: ObjectRecord, b: ObjectRecord): boolean {
  return a.uid === '' && b.uid === '' && a.place?.path !== b.place?.path;
}

function sharesKind(a: ObjectRecord | undefined, b: ObjectRecord): boolean {
  return a?.type.kind === b.type.kind;
}

const noIndex = -1;

/** No name has a slash, and the same kind may be served by two groups. */
function placeKey({ type, namespace, name }: ObjectRecord): string {
  return `${storedAs(type)}/${namespace}/${name}`;
}

function sharedUid(a: ObjectRecord, b: ObjectRecord): CoverageProblem {
  const both = `${fullNameOf(a)} (${sourceOf(a)}) and ${fullNameOf(b)} (${sourceOf(b)})`;
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
      `${sourceOf(b)}: ${fullNameOf(b)} differs from what ${sourceOf(a)} says about it, and no ` +
      'resourceVersion shows which is newer: the later one counts',
    ...b.place,
  };
}

function sourceOf({ place }: ObjectRecord): string {
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
  const isSameState = isSameVersion || comparedContent(before) === comparedContent(after);
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

function comparedContent(record: ObjectRecord): string {
  const { type, place, writers, labels, annotations, ...rest } = record;
  return JSON.stringify([rest, sorted(labels), sorted(annotations)]);
}

function sorted(map: Readonly<Record<string, string>> | undefined): [string, string][] {
  return Object.entries(map ?? {}).sort(([a], [b]) => compareText(a, b));
}

/** Files that show objects of the same names, and not one object that is the same. */
export interface FilesApart {
  /** Are the files of these two objects such files? */
  readonly areApart: (a: ObjectRecord, b: ObjectRecord) => boolean;
  /** Two objects of one name. */
  readonly example: readonly [ObjectRecord, ObjectRecord];
}

interface PairOfFiles {
  hasSame: boolean;
  differs?: readonly [ObjectRecord, ObjectRecord];
}

/**
 * Dumps of several clusters, by what they show: a uid belongs to one object of one cluster, so two dumps of the same
 * cluster share most of them. Undefined where the files may be of one cluster.
 */
export function filesApart(records: readonly ObjectRecord[]): FilesApart | undefined {
  if (new Set(records.map(({ place }) => place?.path)).size < 2) return undefined;
  const firsts = new Map<string, ObjectRecord>();
  const pairs = new Map<string, PairOfFiles>();
  for (const record of records) {
    if (record.uid === '') continue;
    const key = `${storedAs(record.type)}/${record.namespace}/${record.name}`;
    const first = firsts.get(key) ?? record;
    firsts.set(key, first);
    if (first.place?.path === record.place?.path) continue;
    const pair = pairs.get(pairKey(first, record)) ?? { hasSame: false };
    pairs.set(pairKey(first, record), pair);
    if (first.uid === record.uid) pair.hasSame = true;
    else if (isMadeOnce(first) && isMadeOnce(record)) pair.differs ??= [first, record];
  }
  const [example] = [...pairs.values()].flatMap(({ hasSame, differs }) =>
    differs && !hasSame ? [differs] : [],
  );
  if (!example) return undefined;
  // What differs may be in one file of a dump, and what it makes in another.
  const areApart: FilesApart['areApart'] = (a, b) => pairs.get(pairKey(a, b))?.hasSame === false;
  return { areApart, example };
}

/** Objects that a controller creates, and objects that end, are recreated under the same name: their uids may differ. */
function isMadeOnce({ type: { kind }, ownerReferences }: ObjectRecord): boolean {
  return ownerReferences.length === 0 && kind !== 'Pod' && kind !== 'Job' && kind !== 'Event';
}

function pairKey(a: ObjectRecord, b: ObjectRecord): string {
  return `${a.place?.path}\n${b.place?.path}`;
}

export function severalClusters({ example: [a, b] }: FilesApart): string {
  const { type, name, namespace } = a;
  const what = inWords({ kind: type.kind, name, namespace });
  const [at, there] = [a, b].map(({ place }) => `${place?.path}:${place?.line}`);
  return `the files are of several clusters, or of several moments: the ${what} has the uid ${a.uid} in ${at}, and ${b.uid} in ${there}`;
}
