import { isGcError } from '../../errors.ts';
import { factFieldsOf } from '../../kube/facts/object-facts.ts';
import type { Json } from '../../kube/json-value.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { locationKey, type ObjectLocation, referenceTo } from '../../kube/object-reference.ts';
import { ownershipManagersIn, recordOf } from '../../kube/record-codec.ts';
import { type AskedObject, askedOf, type CoverageProblem } from '../../snapshot/coverage.ts';
import { inOrder, type Snapshot } from '../../snapshot/snapshot.ts';
import { failureOf, isInterruption, problemOf } from '../api-failure.ts';
import { pathWithin } from '../api-path.ts';
import type { ApiResponse, ClusterClient } from '../connection/cluster-client.ts';
import { full, type GetOptions, get, metadataObject, observedAtOf, serverTimeOf } from '../get.ts';
import { atOnce, inParallel } from '../in-parallel.ts';
import { Retries } from '../pacing.ts';
import { decodeItem, type FactsWanted, readsFacts } from '../protobuf/decode-item.ts';
import { StringPool } from '../protobuf/string-pool.ts';
import { envelopedObject, WireError, WireReader } from '../protobuf/wire-reader.ts';
import { isJson, readBody } from '../read-body.ts';
import { answeredItem, withoutManagedFields } from './answered-list.ts';
import type { Discovery } from './discover.ts';
import { FailingKinds, notAskedFor } from './failing-kinds.ts';
import { type FetchedManifest, fetchManifests } from './fetch-manifests.ts';

/** The answer to a GET: an object, no record where the server has none, or a problem when it is unknown. */
export interface AnsweredGet {
  readonly asked: ObjectLocation;
  readonly record: ObjectRecord | undefined;
  readonly problem: CoverageProblem | undefined;
  /** RFC 3339, by the server's clock. */
  readonly serverTime: string | undefined;
}

export interface GetObjectOptions extends GetOptions {
  /** The spec and status fields that records keep (ObjectFacts), too; never of Secrets. `all`: of custom resources, too. */
  readonly facts?: FactsWanted | undefined;
}

/** Asks for one object's metadata, and more with the options. */
export async function getObject(
  client: ClusterClient,
  asked: ObjectLocation,
  options: GetObjectOptions = {},
): Promise<AnsweredGet> {
  const { type, namespace, name } = asked;
  const { facts } = options;
  const isFull = facts === 'all' ? factFieldsOf(type) !== undefined : readsFacts(type, facts);
  const accept = isFull ? full : metadataObject;
  const retries = new Retries(options.retry, options.signal);
  for (;;) {
    try {
      const path = pathWithin(type, namespace, name);
      const response = await get(client, path, accept, { ...options, retries });
      const serverTime = serverTimeOf(response);
      if (response.status === 200) {
        const record = await readRecord(response, { type, name });
        return { asked, record, problem: undefined, serverTime };
      }
      const failure = await failureOf(response);
      if (!failure.isAbsence) throw failure;
      return { asked, record: undefined, problem: undefined, serverTime };
    } catch (error) {
      if (isInterruption(error) && (await retries.mayAskAgain())) continue;
      const problem = problemOf(error, 'get', asked);
      return { asked, record: undefined, problem, serverTime: undefined };
    }
  }
}

async function readRecord(
  response: ApiResponse,
  { type, name }: Pick<ObjectLocation, 'type' | 'name'>,
): Promise<ObjectRecord> {
  const body = await readBody(response);
  if (!isJson(response)) {
    const record = decodeItem(new WireReader(envelopedObject(body)), type, new StringPool(16));
    if (record.name !== name) throw new WireError('it is not the object that was asked for');
    return record;
  }
  return recordOf(withoutManagedFields(answeredItem(body, name)), type);
}

/**
 * Asks for single objects by name and for nothing else: a snapshot that knows of these objects
 * whether they are there, and of no others.
 */
export async function fromClusterObjects(
  client: ClusterClient,
  discovery: Pick<Discovery, 'types' | 'serverVersion'>,
  wanted: readonly ObjectLocation[],
  options: GetObjectOptions = {},
): Promise<Snapshot> {
  return snapshotOfAnswers(client, discovery, await getObjects(client, wanted, options));
}

/** Asks for single objects, a few at a time. */
export async function getObjects(
  client: ClusterClient,
  wanted: readonly ObjectLocation[],
  options: GetObjectOptions,
): Promise<AnsweredGet[]> {
  const failing = new FailingKinds<CoverageProblem>();
  return inParallel(wanted, atOnce.short, async (asked) => {
    const others = failing.of(asked.type);
    if (others) return { asked, record: undefined, problem: others, serverTime: undefined };
    const answer = await getObject(client, asked, options);
    const { problem } = answer;
    // What is denied may be permitted for another object.
    if (problem && problem.reason !== 'forbidden') {
      const { name: _, namespace: __, ...ofKind } = problem;
      failing.note(asked, asked.type, { ...ofKind, message: notAskedFor(problem.message) });
    }
    return answer;
  });
}

/** The objects for which an answer came: found or 404. */
export function answersIn(answers: readonly AnsweredGet[]): AskedObject[] {
  return answers.filter(({ problem }) => !problem).map(({ asked }) => askedOf(asked));
}

/** Each once: objects that were not asked for share theirs. */
export function problemsIn(answers: readonly AnsweredGet[]): CoverageProblem[] {
  return [...new Set(answers.flatMap(({ problem }) => problem ?? []))];
}

export function snapshotOfAnswers(
  client: ClusterClient,
  { types, serverVersion }: Pick<Discovery, 'types' | 'serverVersion'>,
  answers: readonly AnsweredGet[],
): Snapshot {
  return {
    records: answers.flatMap(({ record }) => record ?? []),
    types,
    coverage: {
      read: [],
      asked: answersIn(answers),
      problems: problemsIn(answers),
    },
    observedAt: observedAtOf(answers.map(({ serverTime }) => serverTime)),
    serverVersion,
    origin: { kind: 'cluster', server: client.server },
  };
}

/**
 * Entries of managedFields about owner references and finalizers, by uid, as lists leave them out. Without objects that
 * cannot be read any more, or are other ones by now.
 */
export async function loadOwnershipManagers(
  client: ClusterClient,
  records: readonly ObjectRecord[],
): Promise<Readonly<Record<string, readonly Json[]>>> {
  const entries = new Map<string, readonly Json[]>();
  const wanted = records.map((record) => ({ object: referenceTo(record), type: record.type }));
  const take = (fetched: FetchedManifest) => {
    if (!('manifest' in fetched)) return;
    const { uid, managedFields } = fetched.manifest.metadata;
    const { object } = fetched.wanted;
    if (uid === object.uid) entries.set(uid, ownershipManagersIn(managedFields));
  };
  try {
    await fetchManifests(client, wanted, take, { isBare: () => true });
  } catch (error) {
    // Who wrote is of use, and no more than that: the snapshot is saved without it.
    if (!isGcError(error)) throw error;
  }
  return Object.fromEntries(entries);
}

/** The same snapshot with what single questions brought, which takes the place of what it had of these objects. */
export function withAsked(
  snapshot: Snapshot,
  { records, coverage: { asked, problems } }: Pick<Snapshot, 'records' | 'coverage'>,
): Snapshot {
  const names = new Set(records.map(({ name }) => name));
  const places = new Set(records.map(locationKey));
  const { coverage } = snapshot;
  return inOrder({
    ...snapshot,
    records: [
      ...snapshot.records.filter((one) => !names.has(one.name) || !places.has(locationKey(one))),
      ...records,
    ],
    coverage: {
      read: coverage.read,
      asked: [...coverage.asked, ...asked],
      problems: [...coverage.problems, ...problems],
    },
  });
}
