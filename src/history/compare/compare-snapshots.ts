import { compareText } from '../../kube/names.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { coverageIndexOf, placesRead, type ReadIn } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { compareObjects, type ObjectDifference } from './compare-objects.ts';

/** What two snapshots are compared in. */
export interface ComparedPart {
  /** Kinds, as in `deployments.apps`; undefined: all. */
  readonly kinds: ReadonlySet<string> | undefined;
  /** Undefined: all, and cluster-scoped objects. */
  readonly namespace: string | undefined;
  /** Of these kinds: only such objects. */
  readonly matches: (record: ObjectRecord) => boolean;
}

export interface ObjectPair {
  readonly before: ObjectRecord;
  readonly after: ObjectRecord;
}

/** A kind that only one of the two snapshots contains, or that they contain for different namespaces. */
export interface NotCompared {
  readonly resource: string;
  /** The snapshot that does not hold it. */
  readonly missing: 'before' | 'after';
  /** That snapshot does hold it in these namespaces. */
  readonly readIn?: readonly string[];
}

/** How one snapshot differs from a later one. Objects are the same by their uid. */
export interface Comparison {
  readonly came: readonly ObjectRecord[];
  readonly went: readonly ObjectRecord[];
  /** The same name, another uid. */
  readonly recreated: readonly ObjectPair[];
  readonly changed: readonly (ObjectPair & { readonly difference: ObjectDifference })[];
  readonly notCompared: readonly NotCompared[];
  /** Kinds of which spec and status were not read both times, so that STATUS and READY are not compared. */
  readonly stateNotCompared: readonly string[];
}

/**
 * Compares two snapshots. An object that one of them does not hold came or went only where that snapshot
 * would hold it: what was not read is not compared.
 */
export function compareSnapshots(
  before: Snapshot,
  after: Snapshot,
  part: ComparedPart,
): Comparison {
  const wasRead = absenceIn(before);
  const isRead = absenceIn(after);
  const { kinds, matches } = part;
  const isCompared = (record: ObjectRecord) =>
    (kinds === undefined || kinds.has(groupResourceOf(record.type))) && matches(record);
  const earlier = before.records.filter(isCompared);
  const open = new Map(earlier.map((record) => [identityOf(record), record]));
  const pairs: ObjectPair[] = [];
  const unpaired: ObjectRecord[] = [];
  for (const record of after.records.filter(isCompared)) {
    const key = identityOf(record);
    const old = open.get(key);
    if (old) pairs.push({ before: old, after: record });
    else unpaired.push(record);
    open.delete(key);
  }
  const left = new Map([...open.values()].map((record) => [locationKey(record), record]));
  const recreated: ObjectPair[] = [];
  const came: ObjectRecord[] = [];
  for (const record of unpaired) {
    const key = locationKey(record);
    const old = left.get(key);
    if (old) {
      // What has no uid was never applied: it is the same where it has the same name.
      const isSame = old.uid === '' || record.uid === '';
      (isSame ? pairs : recreated).push({ before: old, after: record });
    } else if (wasRead(record)) came.push(record);
    left.delete(key);
  }
  const bare = new Set<string>();
  const changed = pairs.flatMap((pair) => {
    const difference = compareObjects(pair.before, pair.after);
    const resource = groupResourceOf(pair.after.type);
    if (kindsWithState.has(resource) && !(pair.before.facts && pair.after.facts)) {
      bare.add(resource);
    }
    return difference ? [{ ...pair, difference }] : [];
  });
  return {
    came,
    went: [...left.values()].filter(isRead),
    recreated,
    changed,
    notCompared: readOnOneSide(before, after, part),
    stateNotCompared: [...bare].sort(compareText),
  };
}

function identityOf(record: ObjectRecord): string {
  return record.uid === '' ? locationKey(record) : record.uid;
}

/** Would the snapshot hold this object if it existed? A kind that is not served has no objects. */
export function absenceIn({ coverage, types }: Snapshot): (object: ObjectLocation) => boolean {
  const index = coverageIndexOf(coverage);
  return ({ type, namespace, name }) =>
    index.covers(type, namespace, name) || isUnserved(types, type);
}

function isUnserved(types: Snapshot['types'], type: ResourceType): boolean {
  const mapping = types.mapKind(apiVersionOf(type), type.kind);
  return mapping.kind === 'unserved' && mapping.otherVersions.length === 0;
}

/** Kinds that have a STATUS or a READY. */
const kindsWithState: ReadonlySet<string> = new Set([
  'cronjobs.batch',
  'daemonsets.apps',
  'deployments.apps',
  'jobs.batch',
  'namespaces',
  'nodes',
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'replicasets.apps',
  'replicationcontrollers',
  'statefulsets.apps',
]);

function readOnOneSide(before: Snapshot, after: Snapshot, part: ComparedPart): NotCompared[] {
  const had = readIn(before, part);
  const has = readIn(after, part);
  const resources = new Set([...had.keys(), ...has.keys()]);
  const served = (snapshot: Snapshot, resource: string) => {
    const [type] = [before, after].flatMap(({ types }) => types.versions(resource));
    return type === undefined || !isUnserved(snapshot.types, type);
  };
  return [...resources].sort(compareText).flatMap((resource): NotCompared[] => {
    if (part.kinds && !part.kinds.has(resource)) return [];
    const [earlier, later] = [had.get(resource) ?? nowhere, has.get(resource) ?? nowhere];
    return [
      ...(isWithin(later, earlier) || !served(before, resource)
        ? []
        : [missing(resource, 'before', earlier)]),
      ...(isWithin(earlier, later) || !served(after, resource)
        ? []
        : [missing(resource, 'after', later)]),
    ];
  });
}

const nowhere: ReadIn = new Set();

/** In which namespaces each kind was read, as far as they are compared. */
function readIn({ coverage }: Snapshot, { namespace }: ComparedPart): Map<string, ReadIn> {
  const all = placesRead(coverage.read);
  if (namespace === undefined) return all;
  const there = [...all].filter(([, where]) => where === 'everywhere' || where.has(namespace));
  return new Map(there.map(([resource]) => [resource, new Set([namespace])]));
}

function isWithin(inner: ReadIn, outer: ReadIn): boolean {
  if (outer === 'everywhere') return true;
  return inner !== 'everywhere' && [...inner].every((namespace) => outer.has(namespace));
}

function missing(resource: string, side: NotCompared['missing'], known: ReadIn): NotCompared {
  const namespaces = known === 'everywhere' ? [] : [...known].sort(compareText);
  return { resource, missing: side, ...(namespaces.length > 0 && { readIn: namespaces }) };
}
