import type { ObjectReference } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import {
  apiVersionOf,
  groupResourceOf,
  pathWithin,
  type ResourceType,
} from '../../kube/resource-type.ts';
import { failureOf, problemOf } from '../api-failure.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { type GetOptions, get } from '../get.ts';
import { inParallel } from '../in-parallel.ts';
import { readBody } from '../read-body.ts';
import { answeredItem } from './answered-list.ts';
import { jsonPages } from './list-in-full.ts';

/** An object to be read whole; with a uid, another object of that name is asked for once more. */
export interface WantedManifest {
  readonly object: ObjectReference;
  readonly type: ResourceType;
}

export type Unread = 'gone' | 'forbidden' | 'unavailable' | 'unreadable';

/** Either the object as it is stored, whatever its uid, or why it could not be read. */
export type FetchedManifest =
  | { readonly wanted: WantedManifest; readonly manifest: KubeObject }
  | { readonly wanted: WantedManifest; readonly unread: Unread; readonly message: string };

const atOnce = 8;
/** From so many of a kind and namespace on, one list is cheaper than as many requests. */
const listedFrom = 40;
/** Secrets and ConfigMaps have up to 1 MiB each, and a page is held in memory. */
const pageSize = 50;

/** Reads objects in full, a few at a time, and hands each one over as soon as it is there. */
export async function fetchManifests(
  client: ClusterClient,
  wanted: readonly WantedManifest[],
  take: (fetched: FetchedManifest) => Promise<void>,
  options: GetOptions = {},
): Promise<void> {
  await inParallel(jobsOf(wanted), atOnce, async (job) => {
    const left = job.length < listedFrom ? job : await listThem(client, job, take, options);
    for (const one of left) await take(await fetchOne(client, one, options));
  });
}

/** Those of one kind and namespace together when they are many, else each on its own. */
function jobsOf(wanted: readonly WantedManifest[]): WantedManifest[][] {
  const groups = Map.groupBy(
    wanted,
    ({ type, object }) => `${groupResourceOf(type)} ${object.namespace}`,
  );
  return [...groups.values()].flatMap((group) =>
    group.length < listedFrom ? group.map((one) => [one]) : [group],
  );
}

/** Reads page after page; answers those that the list did not show, or that came after it broke. */
async function listThem(
  client: ClusterClient,
  wanted: readonly WantedManifest[],
  take: (fetched: FetchedManifest) => Promise<void>,
  options: GetOptions,
): Promise<WantedManifest[]> {
  const [first] = wanted;
  if (!first) return [];
  const left = new Map(wanted.map((one) => [one.object.name, one]));
  const { type, object } = first;
  const pages = jsonPages(client, `${pathWithin(type, object.namespace)}?limit=${pageSize}`, {
    ...options,
    type,
  });
  for (;;) {
    const page = await pages.next().catch((error: unknown) => {
      if (options.signal?.aborted) throw error;
      return undefined;
    });
    for (const item of page?.value?.items ?? []) {
      const one = left.get(String(item.metadata.name));
      if (!one || (one.object.uid !== '' && item.metadata.uid !== one.object.uid)) continue;
      left.delete(one.object.name);
      // Items of a list do not say what they are.
      const manifest = { ...item, apiVersion: apiVersionOf(type), kind: type.kind };
      await take({ wanted: one, manifest });
    }
    if (!page || page.done || left.size === 0) return [...left.values()];
  }
}

/** One GET of the whole object; `gone` where the server has none. */
export async function fetchOne(
  client: ClusterClient,
  wanted: WantedManifest,
  options: GetOptions = {},
): Promise<FetchedManifest> {
  const { type, object } = wanted;
  const where = object.namespace === '' ? '' : ` in namespace ${object.namespace}`;
  const doing = `get ${groupResourceOf(type)}/${object.name}${where}`;
  try {
    const path = pathWithin(type, object.namespace, object.name);
    const response = await get(client, path, 'application/json', options);
    if (response.status === 200) {
      return { wanted, manifest: answeredItem(await readBody(response), object.name) };
    }
    const failure = await failureOf(response);
    if (!failure.isAbsence) throw failure;
    return { wanted, unread: 'gone', message: `${object.kind} ${object.name}${where} is gone` };
  } catch (error) {
    const { reason, message } = problemOf(error, doing, type, object.namespace);
    const unread = reason === 'forbidden' || reason === 'unreadable' ? reason : 'unavailable';
    return { wanted, unread, message };
  }
}
