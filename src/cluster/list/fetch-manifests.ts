import { selectorOfName } from '../../kube/names.ts';
import { inWords, type ObjectReference } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { failureOf, problemOf } from '../api-failure.ts';
import { pathWithin } from '../api-path.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import {
  fullJson,
  type GetOptions,
  get,
  metadataListOrJson,
  metadataObjectJson,
  serverTimeOf,
} from '../get.ts';
import { atOnce, inParallel } from '../in-parallel.ts';
import { readBody } from '../read-body.ts';
import { answeredItem } from './answered-list.ts';
import { FailingKinds, notAskedFor } from './failing-kinds.ts';
import { jsonPages } from './list-in-full.ts';

/** An object to be read whole; with a uid, another object of that name is asked for once more. */
export interface WantedManifest {
  readonly object: ObjectReference;
  readonly type: ResourceType;
}

export type Unread = 'gone' | 'forbidden' | 'unavailable' | 'unreadable';

/** Either the object as it is stored, whatever its uid, or why it could not be read. */
export type FetchedManifest = (Answered & { readonly manifest: KubeObject }) | UnreadManifest;

interface UnreadManifest extends Answered {
  readonly unread: Unread;
  readonly message: string;
  readonly cause?: unknown;
}

interface Answered {
  readonly wanted: WantedManifest;
  /** RFC 3339, by the server's clock. */
  readonly serverTime?: string | undefined;
}

interface FetchOptions extends GetOptions {
  /** Of which kinds metadata is enough; default: of none. */
  readonly isBare?: (type: ResourceType) => boolean;
  /** Objects that a complete list does not contain do not exist; default: they are requested once more. */
  readonly trustsLists?: boolean;
}

/** From so many of a kind and namespace on, one list is cheaper than as many requests. */
const listedFrom = 40;
/** Secrets and ConfigMaps have up to 1 MiB each, and a page is kept in memory. */
const pageSize = 50;
const barePageSize = 500;
/** The list is left where less than one in so many objects of a page is wanted. */
const goodPart = 4;

/** Reads objects in full, a few at a time, and hands each one over as soon as it is there. */
export async function fetchManifests(
  client: ClusterClient,
  wanted: readonly WantedManifest[],
  take: (fetched: FetchedManifest) => Promise<void> | void,
  options: FetchOptions = {},
): Promise<void> {
  const groups = Map.groupBy(
    wanted,
    ({ type, object }) => `${groupResourceOf(type)} ${object.namespace}`,
  );
  const left = await inParallel([...groups.values()], atOnce.long, async (group) =>
    group.length < listedFrom ? group : listThem(client, group, take, options),
  );
  const failing = new FailingKinds<UnreadManifest>();
  await inParallel(left.flat(), atOnce.short, async (one) => {
    const known = failing.of(one.type);
    if (known) return take({ ...known, wanted: one, message: notAskedFor(known.message) });
    const fetched = await fetchOne(client, one, options);
    if (!('unread' in fetched)) return take(fetched);
    if (fetched.unread === 'forbidden') return take(await fetchListed(client, fetched, options));
    if (fetched.unread !== 'gone') failing.note(one.object, one.type, fetched);
    return take(fetched);
  });
}

/** An object that may be listed and not got: by a list of it alone. */
async function fetchListed(
  client: ClusterClient,
  unread: UnreadManifest,
  { isBare = () => false, ...options }: FetchOptions,
): Promise<FetchedManifest> {
  const { wanted } = unread;
  const { type, object } = wanted;
  const query = new URLSearchParams({ limit: '1', fieldSelector: selectorOfName(object.name) });
  const path = `${pathWithin(type, object.namespace)}?${query}`;
  const accept = isBare(type) ? metadataListOrJson : fullJson;
  const pages = jsonPages(client, path, { ...options, type, accept });
  const page = await pages.next().catch(() => undefined);
  if (!page?.value) return unread;
  const { items, serverTime } = page.value;
  const [item] = items.filter(({ metadata }) => metadata.name === object.name);
  if (!item) return goneBy(wanted, serverTime);
  return { wanted, manifest: whole(item, type), serverTime };
}

/** Items of a list do not say what they are. */
function whole(item: KubeObject, type: ResourceType): KubeObject {
  return { ...item, apiVersion: apiVersionOf(type), kind: type.kind };
}

/** Reads page after page; answers those that it did not show until it ended, broke or was left. */
async function listThem(
  client: ClusterClient,
  wanted: readonly WantedManifest[],
  take: (fetched: FetchedManifest) => Promise<void> | void,
  { isBare = () => false, trustsLists = false, ...options }: FetchOptions,
): Promise<WantedManifest[]> {
  const [first] = wanted;
  if (!first) return [];
  const left = new Map(wanted.map((one) => [one.object.name, one]));
  const { type, object } = first;
  const longest = isBare(type) ? barePageSize : pageSize;
  const accept = isBare(type) ? metadataListOrJson : fullJson;
  const limit = Math.min(longest, Math.max(wanted.length, pageSize));
  const path = `${pathWithin(type, object.namespace)}?limit=${limit}`;
  const pages = jsonPages(client, path, { ...options, type, accept });
  for (;;) {
    const page = await pages.next().catch((error: unknown) => {
      if (options.signal?.aborted) throw error;
      return undefined;
    });
    const { items = [], serverTime } = page?.value ?? {};
    const before = left.size;
    for (const item of items) {
      const one = left.get(String(item.metadata.name));
      if (!one || (one.object.uid !== '' && item.metadata.uid !== one.object.uid)) continue;
      left.delete(one.object.name);
      await take({ wanted: one, manifest: whole(item, type), serverTime });
    }
    const isLeft = (before - left.size) * goodPart < items.length;
    if (page?.done && trustsLists) {
      for (const one of left.values()) await take(goneBy(one, serverTime));
      return [];
    }
    if (!page || page.done || left.size === 0 || isLeft) return [...left.values()];
  }
}

function goneBy(wanted: WantedManifest, serverTime: string | undefined): UnreadManifest {
  return {
    wanted,
    unread: 'gone',
    message: `${inWords(wanted.object)} does not exist any more`,
    serverTime,
  };
}

/** One GET of the object; `gone` where the server has none. */
export async function fetchOne(
  client: ClusterClient,
  wanted: WantedManifest,
  { isBare = () => false, ...options }: FetchOptions = {},
): Promise<FetchedManifest> {
  const { type, object } = wanted;
  try {
    const path = pathWithin(type, object.namespace, object.name);
    const accept = isBare(type) ? metadataObjectJson : fullJson;
    const response = await get(client, path, accept, options);
    const serverTime = serverTimeOf(response);
    if (response.status === 200) {
      return { wanted, manifest: answeredItem(await readBody(response), object.name), serverTime };
    }
    const failure = await failureOf(response);
    if (!failure.isAbsence) throw failure;
    return goneBy(wanted, serverTime);
  } catch (error) {
    const { reason, message } = problemOf(error, 'get', { ...object, type });
    const unread = reason === 'forbidden' || reason === 'unreadable' ? reason : 'unavailable';
    return { wanted, unread, message, cause: error };
  }
}
