import { fieldsOf, type Json, jsonOf, numberOf, textOrEmpty } from '../kube/json-value.ts';
import { selectorOfName } from '../kube/names.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { recordOf } from '../kube/record-codec.ts';
import { groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import { NEWLINE } from '../syntax/ascii.ts';
import { ApiFailure, failureOf } from './api-failure.ts';
import { pathWithin } from './api-path.ts';
import type { ApiResponse, ClusterClient } from './connection/cluster-client.ts';
import { fullJson, metadataList, metadataOrJson } from './get.ts';
import { checkedItem, withoutManagedFields } from './list/answered-list.ts';
import { readList } from './list/list-objects.ts';
import { StringPool } from './protobuf/string-pool.ts';
import { BodyTooLong, UnreadableJson } from './read-body.ts';

/** One change of an object, or how far the server has got (`bookmark`). */
export type WatchEvent =
  | { readonly type: 'seen' | 'deleted'; readonly record: ObjectRecord; readonly version: string }
  | { readonly type: 'bookmark'; readonly version: string };

interface WatchOptions {
  readonly signal?: AbortSignal | undefined;
  /** Objects with spec and status, of which records keep the facts; undefined: metadata alone. */
  readonly whole?: boolean | undefined;
  /** Milliseconds without a byte after which the connection is taken for dead; servers send a bookmark every minute. */
  readonly silence?: number | undefined;
}

/** etcd takes 1.5 MiB, and JSON spells some characters with six. */
const longestEvent = 16 * 1024 * 1024;
const longestSilence = 100_000;
/** The server ends the watch after this many seconds, so that none is forgotten. */
const serverTimeout = 600;

/**
 * Watches objects from a resourceVersion on. Resolves once the server has accepted; the events end
 * when the server ends the watch or falls silent, and the caller opens another. Both throw ApiFailure
 * for a refusal (410: list again) and GcError for a connection that broke.
 */
export async function openWatch(
  client: ClusterClient,
  target: WatchTarget,
  resourceVersion: string,
  options: WatchOptions = {},
): Promise<AsyncGenerator<WatchEvent, void>> {
  const silent = new AbortController();
  const { signal = silent.signal, silence = longestSilence, whole } = options;
  const timer = setTimeout(() => silent.abort(), silence);
  const path = watchPath(target, [
    'watch=true',
    'allowWatchBookmarks=true',
    `resourceVersion=${encodeURIComponent(resourceVersion)}`,
    `timeoutSeconds=${serverTimeout}`,
  ]);
  try {
    const response = await client.request({
      path,
      headers: { accept: whole ? fullJson : metadataOrJson, 'accept-encoding': 'identity' },
      signal: AbortSignal.any([signal, silent.signal]),
    });
    if (response.status !== 200) throw await failureOf(response);
    return eventsOf(response, target.type, timer, silent.signal);
  } catch (error) {
    clearTimeout(timer);
    throw error;
  }
}

async function* eventsOf(
  { body }: ApiResponse,
  type: ResourceType,
  timer: NodeJS.Timeout,
  silent: AbortSignal,
): AsyncGenerator<WatchEvent, void> {
  try {
    for await (const line of linesOf(body, longestEvent)) {
      timer.refresh();
      const event = eventOf(line, type);
      if (event) yield event;
    }
  } catch (error) {
    if (!silent.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
}

function eventOf(line: string, type: ResourceType): WatchEvent | undefined {
  const event = parse(line);
  const { type: word } = event;
  const fields = jsonOf(event.object);
  if (!fields) throw new UnreadableJson('a watch event has no object');
  if (word === 'ERROR') {
    const status = numberOf(fields.code) ?? 500;
    const message = textOrEmpty(fields.message) || `the server ended it with status ${status}`;
    throw new ApiFailure(status, message);
  }
  const isBookmark = word === 'BOOKMARK';
  // What is no object would be shown as one, and what it refers to would be missing.
  const object = isBookmark ? fields : checkedItem(fields, 'the object of a watch event');
  const record = recordOf(withoutManagedFields(object), type);
  const version = record.resourceVersion ?? '';
  if (isBookmark) return { type: 'bookmark', version };
  if (word === 'DELETED') return { type: 'deleted', record, version };
  return word === 'ADDED' || word === 'MODIFIED' ? { type: 'seen', record, version } : undefined;
}

function parse(line: string): Json {
  try {
    return fieldsOf(JSON.parse(line));
  } catch (error) {
    throw new UnreadableJson('a watch event is not JSON', { cause: error });
  }
}

/**
 * The lines of a body as they arrive, split anywhere; keeps at most one line and throws BodyTooLong
 * if one is longer than `longest` bytes. Text after the last newline is not complete.
 * @internal
 */
export async function* linesOf(
  body: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, at));
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      length = 0;
      from = at + 1;
      if (line !== '') yield line;
    }
    if (from === chunk.length) continue;
    // A copy, so that a small rest does not keep a large chunk.
    parts.push(chunk.slice(from));
    length += chunk.length - from;
    if (length > longest) throw new BodyTooLong(`a line is longer than ${longest} bytes`);
  }
}

interface ListForWatch {
  readonly records: readonly ObjectRecord[];
  readonly resourceVersion: string;
}

/**
 * Lists the newest metadata of a target in one piece. It is sent once: throws ApiFailure when the server
 * refuses, GcError when the connection breaks.
 */
export async function listForWatch(
  client: ClusterClient,
  target: WatchTarget,
  signal?: AbortSignal,
): Promise<ListForWatch> {
  const response = await client.request({
    // With pages, deletions during the reads would be missed: each page shows the time of the first page.
    path: watchPath(target, []),
    headers: { accept: metadataList },
    ...(signal && { signal }),
  });
  if (response.status !== 200) throw await failureOf(response);
  const records: ObjectRecord[] = [];
  const list = await readList(response, target.type, new StringPool(), records);
  // What stands on further pages would count as gone.
  if (list.continue !== '')
    throw new UnreadableJson('the list goes on, although it was asked for whole');
  return { records, resourceVersion: list.resourceVersion };
}

/** What is listed and watched together: one kind in one namespace, everywhere, or one object of it. */
export interface WatchTarget {
  readonly type: ResourceType;
  /** Undefined: cluster-scoped, or all namespaces. */
  readonly namespace: string | undefined;
  /** Undefined: all objects. */
  readonly name?: string | undefined;
}

/** Path and query, with the parameters given. */
function watchPath({ type, namespace, name }: WatchTarget, parameters: readonly string[]): string {
  const all =
    name === undefined
      ? parameters
      : [`fieldSelector=${encodeURIComponent(selectorOfName(name))}`, ...parameters];
  return pathWithin(type, namespace) + (all.length > 0 ? `?${all.join('&')}` : '');
}

/** `pods in shop`, `pods`, `namespaces/shop`: for messages. */
export function watchedName({ type, namespace, name }: WatchTarget): string {
  const resource = groupResourceOf(type) + (name === undefined ? '' : `/${name}`);
  return namespace ? `${resource} in ${namespace}` : resource;
}
