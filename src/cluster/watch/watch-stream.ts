import type { ObjectRecord } from '../../kube/object-record.ts';
import { recordOf } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { ApiFailure, failureOf } from '../api-failure.ts';
import type { ApiResponse, ClusterClient } from '../connection/cluster-client.ts';
import { BodyTooLong, UnreadableJson } from '../read-body.ts';
import { type WatchTarget, watchPath } from './watch-target.ts';

/** One change of an object, or how far the server has got (`bookmark`). */
export type WatchEvent =
  | { readonly type: 'seen' | 'deleted'; readonly record: ObjectRecord; readonly version: string }
  | { readonly type: 'bookmark'; readonly version: string };

interface WatchOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without a byte after which the connection is taken for dead; servers send a bookmark every minute. */
  readonly silence?: number | undefined;
}

/** etcd takes 1.5 MiB, and JSON spells some characters with six. */
const longestLine = 16 * 1024 * 1024;
const longestSilence = 100_000;
/** The server ends the watch after this many seconds, so that none is forgotten. */
const serverTimeout = 600;
const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

/**
 * Watches metadata from a resourceVersion on. Resolves once the server has accepted; the events end
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
  const { signal = silent.signal, silence = longestSilence } = options;
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
      headers: { accept, 'accept-encoding': 'identity' },
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
    for await (const line of linesOf(body, longestLine)) {
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

interface WireEvent {
  readonly type?: unknown;
  readonly object?: {
    readonly code?: unknown;
    readonly message?: unknown;
    readonly metadata?: { managedFields?: unknown };
  };
}

function eventOf(line: string, type: ResourceType): WatchEvent | undefined {
  const { type: word, object } = parse(line);
  if (!object) return undefined;
  if (word === 'ERROR') {
    const { code, message } = object;
    throw new ApiFailure(typeof code === 'number' ? code : 500, String(message ?? ''));
  }
  if (object.metadata) delete object.metadata.managedFields;
  const record = recordOf(object, type);
  const version = record.resourceVersion ?? '';
  if (word === 'BOOKMARK') return { type: 'bookmark', version };
  if (word === 'DELETED') return { type: 'deleted', record, version };
  return word === 'ADDED' || word === 'MODIFIED' ? { type: 'seen', record, version } : undefined;
}

function parse(line: string): WireEvent {
  try {
    return Object(JSON.parse(line)) as WireEvent;
  } catch (error) {
    throw new UnreadableJson('a watch event is no JSON', { cause: error });
  }
}

const newline = 0x0a;

/**
 * The lines of a body as they arrive, cut anywhere; holds one line at most and throws BodyTooLong
 * when one is longer than `longest` bytes. What stands behind the last newline is not complete.
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
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
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
