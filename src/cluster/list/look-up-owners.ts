import type { ObjectRecord, OwnerKind, OwnerReference } from '../../kube/object-record.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import {
  type AskedObject,
  type Coverage,
  type CoverageProblem,
  coverageIndexOf,
} from '../../snapshot/coverage.ts';
import { ownerPlaceOf } from '../../snapshot/graph/owner-place.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import type { Discovery } from './discover.ts';
import {
  type AnsweredGet,
  answersIn,
  fromClusterObjects,
  type GetObjectOptions,
  getObjects,
  problemsIn,
  snapshotOfAnswers,
  withAsked,
} from './get-objects.ts';
import { listKind } from './list-kind.ts';
import type { ListOptions } from './list-objects.ts';

/** More single questions than this would be a list in disguise; the rest stays unknown. */
const mostQuestions = 500;

/**
 * Completes a snapshot of a part of a cluster: owners that references name outside of what was
 * read (Nodes of pods, kinds that may be read but not listed) are asked for one by one. `of`: whose owners.
 */
export async function lookUpOwners(
  client: ClusterClient,
  snapshot: Snapshot,
  of: readonly ObjectRecord[] = snapshot.records,
): Promise<Snapshot> {
  const wanted = ownersOutside(of, snapshot)
    .filter((owner) => !isFailing(snapshot.coverage, owner))
    .slice(0, mostQuestions);
  if (wanted.length === 0) return snapshot;
  const found = await fromClusterObjects(client, snapshot, wanted);
  // A kind that could not be listed has its problem already; that one object cannot be read adds nothing.
  const known = new Set(snapshot.coverage.problems.map((problem) => problem.resource));
  const problems = found.coverage.problems.filter((problem) => !known.has(problem.resource));
  return withAsked(snapshot, { ...found, coverage: { ...found.coverage, problems } });
}

/** Did the server fail when it was asked for this object a moment ago, or for others of the kind? */
function isFailing({ problems }: Coverage, { type, namespace, name }: ObjectLocation): boolean {
  const resource = groupResourceOf(type);
  return problems.some(
    (one) =>
      one.verb === 'get' &&
      one.reason !== 'forbidden' &&
      one.resource === resource &&
      (one.name === undefined || (one.name === name && (one.namespace ?? '') === namespace)),
  );
}

/** Where the garbage collector would look for owners that were not listed; each place once. */
function ownersOutside(
  records: readonly ObjectRecord[],
  { coverage, types }: Snapshot,
): readonly ObjectLocation[] {
  const index = coverageIndexOf(coverage);
  // Where all kinds of owners were read in full, no place has to be looked at.
  const isOutside = ({ apiVersion, kind }: OwnerKind): boolean => {
    const mapping = types.mapKind(apiVersion, kind);
    return mapping.kind === 'served' && !index.coversEverywhere(mapping.type);
  };
  const hasOutside = ({ ownerReferences }: ObjectRecord) => ownerReferences.some(isOutside);
  if (!records.some(hasOutside)) return [];
  const owners = records.flatMap((record) => ownerLocations(record, types));
  return eachOnce(
    owners.filter(({ type, namespace, name }) => !index.covers(type, namespace, name)),
  );
}

/**
 * Asks for objects and for all owners above them, a level at a time, by GETs alone: the same
 * look-ups the garbage collector makes (GC-27). Cycles end where they close.
 */
export async function loadOwnerChain(
  client: ClusterClient,
  discovery: Pick<Discovery, 'types' | 'serverVersion'>,
  starts: readonly ObjectLocation[],
  options: GetObjectOptions = {},
): Promise<Snapshot> {
  const answers: AnsweredGet[] = [];
  const seen = new Set<string>();
  let level = notYetSeen(starts, seen);
  while (level.length > 0) {
    const answered = await getObjects(client, level, options);
    for (const answer of answered) answers.push(answer);
    const owners = answered.flatMap(({ record }) =>
      record ? ownerLocations(record, discovery.types) : [],
    );
    level = notYetSeen(owners, seen);
  }
  return snapshotOfAnswers(client, discovery, answers);
}

function notYetSeen(
  objects: readonly ObjectLocation[],
  seen: Set<string>,
): readonly ObjectLocation[] {
  return objects.filter((object) => {
    const key = locationKey(object);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** With more missing owners of a kind than this, listing the kind again is cheaper than asking for each. */
const mostGets = 200;

/** Whose missing owners are asked for again. */
interface Confirming {
  /** Default: all that was read. */
  readonly of?: readonly ObjectRecord[];
  /** uids that were requested before; a removed uid never returns. */
  readonly gone?: ReadonlySet<string>;
}

/**
 * Kinds are listed one after the other, so an owner created meanwhile may be missing beside its
 * dependents. Asks again for each owner that was not seen where it should have been, as the
 * garbage collector does before it takes one for gone (GC-27). Where there is no answer, no absence of
 * its kind is a fact: the kind does not count as read. Answers the same snapshot where nothing is different.
 */
export async function confirmMissingOwners(
  client: ClusterClient,
  snapshot: Snapshot,
  options: ListOptions,
  { of = snapshot.records, gone = new Set() }: Confirming = {},
): Promise<Snapshot> {
  const { types } = snapshot;
  const index = coverageIndexOf(snapshot.coverage);
  const added = new Map<string, ObjectRecord>();
  const again: AskedAgain = { asked: [], problems: [] };
  /** Those that neither an object that was read has, nor one that was asked for. */
  const unseenOf = (uids: readonly string[]): ReadonlySet<string> => {
    const left = new Set(uids.filter((uid) => uid !== '' && !gone.has(uid) && !added.has(uid)));
    if (left.size > 0) for (const { uid } of snapshot.records) left.delete(uid);
    return left;
  };
  const missingOf = (records: readonly ObjectRecord[]) => {
    const named = records.flatMap((record) => record.ownerReferences.map(({ uid }) => uid));
    const unseen = unseenOf(named);
    if (unseen.size === 0) return [];
    return eachOnce(
      records
        .flatMap((record) => ownerLocations(record, types, ({ uid }) => unseen.has(uid)))
        .filter(({ type, namespace }) => index.coversKind(type, namespace)),
    );
  };
  let missing = missingOf(of);
  while (missing.length > 0) {
    const found = await lookAgain(client, snapshot, missing, options, again);
    const unseen = unseenOf(found.map(({ uid }) => uid));
    const fresh = found.filter(({ uid }) => unseen.has(uid));
    for (const record of fresh) added.set(record.uid, record);
    // Owners of the newly found may have been missed for the same reason.
    missing = missingOf(fresh);
  }
  if (added.size === 0 && again.problems.length === 0) return snapshot;
  const coverage = withoutAnswer(snapshot.coverage, again);
  const replaced = new Set([...added.values()].map(locationKey));
  const others = snapshot.records.filter((record) => !replaced.has(locationKey(record)));
  return { ...snapshot, coverage, records: [...others, ...added.values()] };
}

interface AskedAgain {
  /** What was answered: found or 404. */
  readonly asked: AskedObject[];
  readonly problems: CoverageProblem[];
}

/** The same coverage without the kinds that these problems are about; of those, only what was answered is known. */
function withoutAnswer(coverage: Coverage, { asked, problems }: AskedAgain): Coverage {
  if (problems.length === 0) return coverage;
  const unsure = new Set(problems.map(({ resource }) => resource));
  return {
    ...coverage,
    read: coverage.read.filter(({ resource }) => !unsure.has(resource)),
    asked: [...coverage.asked, ...asked],
    problems: [...coverage.problems, ...problems],
  };
}

function eachOnce(objects: readonly ObjectLocation[]): readonly ObjectLocation[] {
  return [...new Map(objects.map((object) => [locationKey(object), object])).values()];
}

async function lookAgain(
  client: ClusterClient,
  { coverage }: Snapshot,
  missing: readonly ObjectLocation[],
  options: ListOptions,
  { asked, problems }: AskedAgain,
): Promise<readonly ObjectRecord[]> {
  const found: ObjectRecord[] = [];
  for (const [type, objects] of Map.groupBy(missing, ({ type }) => type)) {
    if (objects.length <= mostGets) {
      const answers = await getObjects(client, objects, options);
      for (const { record } of answers) if (record) found.push(record);
      // Who may list a kind and not get single objects sees them in a second list.
      if (answers.every(({ problem }) => problem?.reason !== 'forbidden')) {
        asked.push(...answersIn(answers));
        problems.push(...problemsIn(answers));
        continue;
      }
    }
    const wanted = new Set(objects.map(locationKey));
    const read = coverage.read.find(({ resource }) => resource === groupResourceOf(type));
    const scope = { namespaces: read?.namespaces };
    const listed = await listKind(client, type, scope, { ...options, freshness: 'latest' });
    const { records } = listed;
    problems.push(...listed.problems);
    for (const record of records) if (wanted.has(locationKey(record))) found.push(record);
  }
  return found;
}

/** Where the owners that an object names would be (GC-27, GC-29); those no request can find are left out. */
export function ownerLocations(
  record: ObjectRecord,
  types: ResourceTypes,
  isWanted: (reference: OwnerReference) => boolean = () => true,
): readonly ObjectLocation[] {
  return record.ownerReferences.filter(isWanted).flatMap((reference) => {
    const { name } = reference;
    const place = ownerPlaceOf(types, record, reference);
    if (place.end !== 'at' || name === '') return [];
    const { type, namespace } = place;
    // No path can be made without a namespace.
    return type.namespaced && namespace === '' ? [] : { type, namespace, name };
  });
}
