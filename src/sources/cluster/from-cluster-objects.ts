import type { ClusterClient } from '../../client/cluster-client.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { Discovery } from './discover.ts';
import type { GetOptions } from './get.ts';
import { type GottenObject, getObject } from './get-object.ts';
import { inParallel } from './in-parallel.ts';
import type { ObjectCoordinates } from './object-coordinates.ts';
import { observedAtOf } from './observed-at.ts';

export interface GetObjectsOptions extends GetOptions {
  /** Also read the spec and status fields that records keep (ObjectFacts). */
  readonly facts?: boolean | undefined;
  /** The clock, for servers that do not tell theirs. */
  readonly now?: (() => Date) | undefined;
}

const concurrency = 8;

/**
 * Asks for single objects by name and for nothing else: a snapshot that knows of these objects
 * whether they are there, and of no others.
 */
export async function fromClusterObjects(
  client: ClusterClient,
  discovery: Pick<Discovery, 'types' | 'serverVersion'>,
  wanted: readonly ObjectCoordinates[],
  options: GetObjectsOptions = {},
): Promise<Snapshot> {
  const gotten = await getObjects(client, wanted, options);
  return snapshotOf(client, discovery, gotten, options);
}

/** One object that was asked for, and the answer. */
export interface AskedObjectAnswer extends GottenObject {
  readonly asked: ObjectCoordinates;
}

export function getObjects(
  client: ClusterClient,
  wanted: readonly ObjectCoordinates[],
  options: GetObjectsOptions,
): Promise<AskedObjectAnswer[]> {
  return inParallel(wanted, concurrency, async (asked) => ({
    asked,
    ...(await getObject(client, asked, options)),
  }));
}

export function snapshotOf(
  client: ClusterClient,
  { types, serverVersion }: Pick<Discovery, 'types' | 'serverVersion'>,
  answers: readonly AskedObjectAnswer[],
  { now }: GetObjectsOptions,
): Snapshot {
  return {
    records: answers.flatMap(({ record }) => record ?? []),
    types,
    coverage: {
      read: [],
      asked: answers
        .filter(({ problem }) => problem === undefined)
        .map(({ asked: { type, namespace, name } }) => ({
          resource: groupResourceOf(type),
          namespace,
          name,
        })),
      problems: answers.flatMap(({ problem }) => problem ?? []),
    },
    observedAt: observedAtOf(
      answers.map(({ serverTime }) => serverTime),
      now,
    ),
    serverVersion,
    origin: { kind: 'cluster', server: client.server },
  };
}
