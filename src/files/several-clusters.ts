import type { ObjectRecord } from '../kube/object-record.ts';
import { inWords } from '../kube/object-reference.ts';
import { storedAs } from '../kube/resource-type.ts';

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
