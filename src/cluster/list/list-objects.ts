import { bootstrapTokenType, serviceAccountTokenType } from '../../kube/facts/secret.ts';
import type { ObjectFacts, ObjectRecord } from '../../kube/object-record.ts';
import { recordOf, shareEqualParts } from '../../kube/record-codec.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { ApiFailure, failureOf, isInterruption } from '../api-failure.ts';
import { pathWithin } from '../api-path.ts';
import type { ApiResponse, ClusterClient } from '../connection/cluster-client.ts';
import { full, fullJson, type GetOptions, get, metadataList, serverTimeOf } from '../get.ts';
import { defaultRetryPolicy, Retries } from '../pacing.ts';
import { type FactsWanted, readsFacts } from '../protobuf/decode-item.ts';
import { ListDecoder } from '../protobuf/list-decoder.ts';
import { StringPool } from '../protobuf/string-pool.ts';
import { BodyTooLong, forEachChunk, isJson, readBody, UnreadableJson } from '../read-body.ts';
import { saysUnlistable } from '../unlistable.ts';
import {
  type AnsweredList,
  answeredList,
  mostObjects,
  Pages,
  withoutManagedFields,
} from './answered-list.ts';
import type { Discovery } from './discover.ts';

export interface ListOptions extends GetOptions {
  /** `cached` (default): from the server's watch cache, maybe a moment old; `latest`: the newest state. */
  readonly freshness?: 'cached' | 'latest' | undefined;
  /** Also read the spec and status fields that records keep (ObjectFacts). */
  readonly facts?: FactsWanted | undefined;
  /** In these namespaces facts are read whatever `facts` says. */
  readonly factsIn?: readonly string[] | undefined;
  /** The media types to ask for, when neither metadata nor protobuf will do. */
  readonly accept?: string | undefined;
  /** As in `kubectl get --field-selector`. */
  readonly fieldSelector?: string | undefined;
  /** As in `kubectl get --selector`. */
  readonly labelSelector?: string | undefined;
  /** Undefined: the whole list in one answer. */
  readonly pageSize?: number | undefined;
  /** Receives each list that could be read, before any object is left out. */
  readonly onListed?: ((list: WholeList) => void) | undefined;
  /** Shared by the lists of one snapshot, so that equal strings are stored once. */
  readonly strings?: StringPool | undefined;
}

/** All objects of one kind, in one namespace or everywhere, and where a watch of them goes on from. */
export interface WholeList extends Pick<ListedObjects, 'records' | 'resourceVersion'> {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
}

/** The same key for all lists of one place. */
export function listKeyOf({ type, namespace }: Pick<WholeList, 'type' | 'namespace'>): string {
  return `${groupResourceOf(type)} ${namespace ?? ''}`;
}

export interface ListedObjects {
  readonly records: readonly ObjectRecord[];
  /** RFC 3339, by the server's clock. */
  readonly serverTime: string | undefined;
  /** A watch goes on from here; of several pages that of the first. */
  readonly resourceVersion: string;
}

/**
 * Compressing takes a server on this machine more time than the bytes take the network. From v1.31 on, the newest
 * state comes from the server's cache in one piece; older servers read it from etcd, where long lists are a burden.
 */
export function howToList(
  { serverVersion, isNear = false }: Pick<Discovery, 'serverVersion'> & Partial<Discovery>,
  freshness: ListOptions['freshness'],
): ListOptions {
  const minor = Number(/^v1\.(\d+)/.exec(serverVersion ?? '')?.[1] ?? 0);
  const isInPages = freshness === 'latest' && minor < 31;
  return { freshness, uncompressed: isNear, pageSize: isInPages ? 1000 : undefined };
}

/** How often a list may expire before it is given up. */
const mostRestarts = 3;
const retryPageSize = 2000;
/** JSON is kept in memory as a whole, so beyond this size it is requested in pages. */
const longestUnpagedJson = 16 * 1024 * 1024;
const jsonPageSize = 500;
const smallestPage = 20;
/** The largest database of etcd. */
const longestList = 8 * 1024 ** 3;

/**
 * Lists the objects of one type, in one namespace or everywhere. After an expired page (410) it
 * continues; after a broken connection it retries without duplicates. Throws ApiFailure when the
 * server refuses, WireError or UnreadableJson when the answer is malformed.
 */
export async function listObjects(
  client: ClusterClient,
  type: ResourceType,
  namespace: string | undefined,
  options: ListOptions = {},
): Promise<ListedObjects> {
  const strings = options.strings ?? new StringPool();
  const accept = options.accept ?? (readsFacts(type, options.facts) ? full : metadataList);
  const records: ObjectRecord[] = [];
  const { retry, signal } = options;
  let { pageSize } = options;
  let pages = new Pages();
  let token = '';
  let resourceVersion = '';
  let retries = new Retries(retry, signal);
  let restarts = 0;
  let withoutCache: unknown;
  for (;;) {
    const path = pathWithin(type, namespace) + queryOf(options, pageSize, token);
    const response = await get(client, path, accept, { ...options, retries, heedsRetryAfter });
    try {
      if (response.status !== 200) throw await failureOf(response);
      const jsonLimit = pageSize ? undefined : longestUnpagedJson;
      const page: ObjectRecord[] = [];
      const list = await readList(response, type, strings, page, jsonLimit);
      for (const record of page) records.push(record);
      resourceVersion ||= list.resourceVersion;
      token = pages.next(list.continue, page.length);
      if (token === '') {
        // A namespace is not emptied although nothing damaged is in it: its controller asks the cache.
        if (withoutCache && namespace !== undefined) throw withoutCache;
        return { records, serverTime: serverTimeOf(response), resourceVersion };
      }
      retries = new Retries(retry, signal);
    } catch (error) {
      if (withoutCache && isUnnamedFailure(error, type)) throw inStorage(error);
      if (error instanceof BodyTooLong && (pageSize ?? Infinity) > smallestPage) {
        pageSize = pageSize === undefined ? jsonPageSize : smallestPage;
      } else if (isExpired(error) && restarts++ < mostRestarts) {
        // Without a token to go on with, the list is read from the start again.
        token = error.continueToken ?? '';
        if (token === '') {
          records.length = 0;
          resourceVersion = '';
          pages = new Pages();
        }
      } else if (isWithoutCache(error) && pageSize === undefined) {
        // In pages it is read from etcd, and the answer says what is wrong there.
        withoutCache = error;
        pageSize = retryPageSize;
        retries = new Retries({ ...defaultRetryPolicy, ...retry, tries: 1 }, signal);
      } else if (isInterruption(error) && (await retries.mayAskAgain())) {
        // In pages, the next break of the connection loses less.
        pageSize ??= retryPageSize;
      } else throw error;
    }
  }
}

function isExpired(error: unknown): error is ApiFailure {
  return error instanceof ApiFailure && error.status === 410;
}

const initializing = 'storage is (re)initializing';

/** An API server whose cache of a kind does not come about, mostly as an object in etcd cannot be decoded. */
function isWithoutCache(error: unknown): boolean {
  return error instanceof ApiFailure && error.message.startsWith(initializing);
}

/** The server asks to wait as long as it has waited for its cache already, and in pages it may answer immediately. */
async function heedsRetryAfter(response: ApiResponse): Promise<boolean> {
  return !isWithoutCache(await failureOf(response));
}

/** Did the list from etcd fail, without a word on what keeps the kind from being listed? */
function isUnnamedFailure(error: unknown, { group }: ResourceType): error is ApiFailure {
  if (!(error instanceof ApiFailure) || error.status !== 500) return false;
  const { status, message } = error;
  return !saysUnlistable(group, { verb: 'list', status, message });
}

/** The same failure, which says that it is why the cache of the kind does not come about. */
function inStorage({ status, message }: ApiFailure): ApiFailure {
  return new ApiFailure(status, `${initializing}: ${message}`);
}

/** The server serves resourceVersion=0 in one piece, so it goes without a limit; tokens say the version themselves. */
function queryOf(
  { freshness, fieldSelector, labelSelector }: ListOptions,
  pageSize: number | undefined,
  token: string,
): string {
  const parts: string[] = [];
  if (fieldSelector !== undefined) parts.push(`fieldSelector=${encodeURIComponent(fieldSelector)}`);
  if (labelSelector !== undefined) parts.push(`labelSelector=${encodeURIComponent(labelSelector)}`);
  if (pageSize !== undefined) parts.push(`limit=${pageSize}`);
  else if (freshness !== 'latest' && token === '') parts.push('resourceVersion=0');
  if (token !== '') parts.push(`continue=${encodeURIComponent(token)}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/**
 * Adds the objects of one list to `records`: of protobuf while they arrive, of JSON as a whole. A JSON body longer
 * than `jsonLimit` bytes is given up with BodyTooLong.
 */
export async function readList(
  response: ApiResponse,
  type: ResourceType,
  strings: StringPool,
  records: ObjectRecord[],
  jsonLimit?: number,
): Promise<Omit<AnsweredList, 'items'>> {
  if (!isJson(response)) {
    const { 'content-type': contentType = '' } = response.headers;
    // What stands in front of the API server, such as a page to log in.
    if (contentType.startsWith('text/')) throw new UnreadableJson(`the answer is ${contentType}`);
    const decoder = new ListDecoder(type, strings, records);
    let bytes = 0;
    await forEachChunk(response, (chunk) => {
      bytes += chunk.length;
      decoder.push(chunk);
      if (bytes > longestList || records.length > mostObjects) {
        throw new UnreadableJson('the list does not end');
      }
    });
    return decoder.finish();
  }
  const { items, ...list } = answeredList(await readBody(response, jsonLimit), type);
  for (const item of items) {
    const record = recordOf(withoutManagedFields(item), type);
    shareEqualParts(record, records.at(-1));
    records.push(record);
  }
  return list;
}

/**
 * Lists Secrets with their facts, and without their data: the server says which are of the two types
 * that matter. Only bootstrap tokens are read whole, as their end stands nowhere else.
 */
export async function listSecrets(
  client: ClusterClient,
  type: ResourceType,
  namespace: string | undefined,
  options: ListOptions,
): Promise<ListedObjects> {
  const listed = await listObjects(client, type, namespace, { ...options, facts: false });
  if (listed.records.length === 0) return listed;
  const facts = new Map<string, ObjectFacts>();
  const ofType = async (secretType: string) => {
    const { records } = await listObjects(client, type, namespace, {
      ...options,
      fieldSelector: [options.fieldSelector ?? [], `type=${secretType}`].flat().join(','),
      facts: false,
      ...(secretType === bootstrapTokenType && { accept: fullJson }),
    });
    for (const record of records) facts.set(record.uid, record.facts ?? { secretType });
  };
  await Promise.all([serviceAccountTokenType, bootstrapTokenType].map(ofType));
  if (facts.size === 0) return listed;
  const records = listed.records.map((record) => {
    const own = facts.get(record.uid);
    return own ? { ...record, facts: own } : record;
  });
  return { ...listed, records };
}
