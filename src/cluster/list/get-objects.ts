import { isGcError } from '../../errors.ts';
import type { Json } from '../../kube/json-value.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { type ObjectLocation, referenceTo } from '../../kube/object-reference.ts';
import { ownershipManagersIn, recordOf } from '../../kube/record-codec.ts';
import { groupResourceOf, pathWithin } from '../../kube/resource-type.ts';
import { askedOf, type CoverageProblem } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { failureOf, isInterruption, problemOf } from '../api-failure.ts';
import type { ApiResponse, ClusterClient } from '../connection/cluster-client.ts';
import {
  full,
  type GetOptions,
  get,
  mayTryAgain,
  metadataObject,
  observedAtOf,
  serverTimeOf,
} from '../get.ts';
import { atOnce, inParallel } from '../in-parallel.ts';
import { decodeItem, type FactsWanted, readsFacts } from '../protobuf/decode-item.ts';
import { StringPool } from '../protobuf/string-pool.ts';
import { contentOf, WireError, WireReader } from '../protobuf/wire-reader.ts';
import { isJson, readBody } from '../read-body.ts';
import { answeredItem, withoutManagedFields } from './answered-list.ts';
import type { Discovery } from './discover.ts';
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
  /** The spec and status fields that records keep (ObjectFacts), too; never of Secrets. */
  readonly facts?: FactsWanted | undefined;
}

/** Asks for one object's metadata, and more with the options. */
export async function getObject(
  client: ClusterClient,
  asked: ObjectLocation,
  options: GetObjectOptions = {},
): Promise<AnsweredGet> {
  const { type, namespace, name } = asked;
  const accept = readsFacts(type, options.facts) ? full : metadataObject;
  for (let failures = 1; ; failures++) {
    let answered = false;
    try {
      const path = pathWithin(type, namespace, name);
      const response = await get(client, path, accept, options);
      answered = true;
      const serverTime = serverTimeOf(response);
      if (response.status === 200) {
        const record = await readObject(response, { type, name });
        return { asked, record, problem: undefined, serverTime };
      }
      const failure = await failureOf(response);
      if (!failure.isAbsence) throw failure;
      return { asked, record: undefined, problem: undefined, serverTime };
    } catch (error) {
      // Without any answer it was tried often enough already.
      if (answered && isInterruption(error) && (await mayTryAgain(failures, options))) continue;
      const where = namespace === '' ? '' : ` in ${namespace}`;
      const doing = `get ${groupResourceOf(type)}/${name}${where}`;
      const problem = problemOf(error, doing, type, namespace);
      return { asked, record: undefined, problem, serverTime: undefined };
    }
  }
}

async function readObject(
  response: ApiResponse,
  { type, name }: Pick<ObjectLocation, 'type' | 'name'>,
): Promise<ObjectRecord> {
  const body = await readBody(response);
  if (!isJson(response)) {
    const record = decodeItem(new WireReader(contentOf(body)), type, new StringPool(16));
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
  return snapshotOf(client, discovery, await getObjects(client, wanted, options));
}

export function getObjects(
  client: ClusterClient,
  wanted: readonly ObjectLocation[],
  options: GetObjectOptions,
): Promise<AnsweredGet[]> {
  return inParallel(wanted, atOnce.short, (asked) => getObject(client, asked, options));
}

export function snapshotOf(
  client: ClusterClient,
  { types, serverVersion }: Pick<Discovery, 'types' | 'serverVersion'>,
  answers: readonly AnsweredGet[],
): Snapshot {
  return {
    records: answers.flatMap(({ record }) => record ?? []),
    types,
    coverage: {
      read: [],
      asked: answers
        .filter(({ problem }) => problem === undefined)
        .map(({ asked }) => askedOf(asked)),
      problems: answers.flatMap(({ problem }) => problem ?? []),
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
