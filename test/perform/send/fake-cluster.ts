import { PassThrough } from 'node:stream';
import { objectPath } from '../../../src/cluster/api-path.ts';
import type {
  ApiRequest,
  ApiResponse,
  ClusterClient,
} from '../../../src/cluster/connection/cluster-client.ts';
import { GcError } from '../../../src/errors.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { type KubeObject, objectOf } from '../../../src/kube/record-codec.ts';
import { responseOf } from '../../cluster/fake-client.ts';

/** What a test answers in the cluster's place. */
export interface Answer {
  readonly status: number;
  readonly body?: object | string;
  readonly headers?: Record<string, string>;
}

export interface FakeRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: DeleteBody | undefined;
}

export interface DeleteBody {
  readonly propagationPolicy?: string;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
}

interface Change {
  readonly version: number;
  readonly path: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

interface Watcher {
  readonly send: (line: string) => void;
  readonly end: (error?: Error) => void;
  readonly isOf: (path: string) => boolean;
}

/** An API server in memory: lists, watches with history, gets, and deletes with preconditions. */
export class FakeCluster {
  readonly requests: FakeRequest[] = [];
  readonly #objects = new Map<string, KubeObject>();
  readonly #history: Change[] = [];
  readonly #watchers = new Set<Watcher>();
  #version = 100;
  /** Watches from before this version are answered with 410. */
  oldest = 0;
  /** Called before the cluster answers; may answer itself, or throw for a broken connection. */
  before: (request: FakeRequest) => Answer | undefined | Promise<Answer | undefined> = () =>
    undefined;
  /** What a DELETE does to an object; it is removed at once by default. */
  onDelete: (record: ObjectRecord, body: DeleteBody) => void = (record) => this.remove(record);

  constructor(records: readonly ObjectRecord[]) {
    for (const record of records) this.put(record);
  }

  get deletes(): string[] {
    return this.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
  }

  /** The resourceVersion of what was written last. */
  get version(): number {
    return this.#version;
  }

  get watching(): number {
    return this.#watchers.size;
  }

  /** Creates or changes an object and tells the watchers. */
  put(record: ObjectRecord): void {
    const path = pathOf(record);
    const version = ++this.#version;
    const object = objectOf({ ...record, resourceVersion: `${version}` });
    const type = this.#objects.has(path) ? 'MODIFIED' : 'ADDED';
    this.#objects.set(path, object);
    this.#records.set(object, record);
    this.#tell({ version, path, type, object });
  }

  remove(record: ObjectRecord): void {
    const path = pathOf(record);
    const object = this.#objects.get(path);
    if (!object) return;
    this.#objects.delete(path);
    this.#tell({ version: ++this.#version, path, type: 'DELETED', object });
  }

  has(record: ObjectRecord): boolean {
    return this.#objects.get(pathOf(record))?.metadata.uid === record.uid;
  }

  /** Ends all watches: as the server does, or with an error. */
  cutWatches(error?: Error): void {
    for (const watcher of [...this.#watchers]) watcher.end(error);
  }

  readonly client: ClusterClient = {
    server: 'https://shop.example.com',
    namespace: 'default',
    request: (request) => this.#request(request),
    close: () => undefined,
  };

  readonly #records = new Map<KubeObject, ObjectRecord>();

  async #request(request: ApiRequest): Promise<ApiResponse> {
    const url = new URL(request.path, 'https://shop.example.com');
    const noted: FakeRequest = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      body: request.body === undefined ? undefined : JSON.parse(request.body),
    };
    this.requests.push(noted);
    if (request.signal?.aborted) throw cancelled();
    const own = await beforeAbort(this.before(noted), request.signal);
    if (own) return responseOf({ ...own, body: own.body ?? { kind: 'Status' } });
    if (noted.method === 'DELETE') return this.#delete(noted);
    if (noted.query.get('watch')) return this.#watch(noted, request.signal);
    const object = this.#objects.get(noted.path);
    if (object) return responseOf({ body: object });
    if (noted.path.split('/').at(-1) && this.#isObjectPath(noted.path)) return notFound(noted.path);
    const isOf = selector(noted);
    const items = [...this.#objects].filter(([path]) => isOf(path)).map(([, item]) => item);
    const metadata = { resourceVersion: `${this.#version}` };
    return responseOf({ body: { kind: 'List', metadata, items } });
  }

  #isObjectPath(path: string): boolean {
    const [, , ...rest] = path.split('/');
    const parts = path.startsWith('/api/') ? rest.slice(1) : rest.slice(2);
    return parts[0] === 'namespaces' ? [2, 4].includes(parts.length) : parts.length === 2;
  }

  #delete({ path, body = {} }: FakeRequest): ApiResponse {
    const object = this.#objects.get(path);
    if (!object) return notFound(path);
    const { uid, resourceVersion } = object.metadata;
    const { preconditions } = body;
    if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
      return conflict(`the UID in the precondition (${preconditions.uid}) does not match`);
    }
    if (preconditions?.resourceVersion && preconditions.resourceVersion !== resourceVersion) {
      return conflict(`the ResourceVersion in the precondition does not match`);
    }
    const record = this.#records.get(object);
    if (record && !body.dryRun) this.onDelete(record, body);
    return responseOf({ body: { kind: 'Status', status: 'Success', details: { uid } } });
  }

  #watch(request: FakeRequest, signal: AbortSignal | undefined): ApiResponse {
    const from = Number(request.query.get('resourceVersion'));
    if (from < this.oldest) return responseOf(failure(410, 'Expired', 'too old resource version'));
    const isOf = selector(request);
    const body = new PassThrough();
    body.on('error', () => undefined);
    const watcher: Watcher = {
      isOf,
      send: (line) => {
        if (!body.writable) return;
        // In two pieces, as a network may deliver it.
        const bytes = Buffer.from(line);
        body.write(bytes.subarray(0, 7));
        body.write(bytes.subarray(7));
      },
      end: (error) => {
        this.#watchers.delete(watcher);
        if (error) body.destroy(error);
        else body.end();
      },
    };
    for (const change of this.#history) {
      if (change.version > from && isOf(change.path)) watcher.send(lineOf(change));
    }
    this.#watchers.add(watcher);
    signal?.addEventListener('abort', () => watcher.end(cancelled()));
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }

  #tell(change: Change): void {
    this.#history.push(change);
    for (const watcher of this.#watchers) {
      // Watches may also be faster than the answer, but tests need one order.
      if (watcher.isOf(change.path)) setTimeout(() => watcher.send(lineOf(change)), 1);
    }
  }
}

/** What the server says when it refuses. */
export function failure(
  status: number,
  reason: string,
  message: string,
  details: object = {},
): Answer {
  return { status, body: { kind: 'Status', reason, message, details } };
}

/** The error of a connection that broke. */
export function dropped(): GcError {
  return new GcError('the connection was closed', {
    code: 'connection-dropped',
  });
}

function cancelled(): GcError {
  return new GcError('the request was cancelled', { code: 'cancelled' });
}

function conflict(message: string): ApiResponse {
  return responseOf(failure(409, 'Conflict', message));
}

function notFound(path: string): ApiResponse {
  const name = path.split('/').at(-1) ?? '';
  return responseOf(failure(404, 'NotFound', `"${name}" not found`, { name }));
}

function lineOf({ type, object }: Change): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** Does a list of this path, with its field selector, hold the object of that path? */
function selector({ path, query }: FakeRequest): (object: string) => boolean {
  const name = query.get('fieldSelector')?.replace('metadata.name=', '');
  const parts = path.split('/');
  const resource = parts.at(-1);
  const root = parts.slice(0, path.startsWith('/api/') ? 3 : 4).join('/');
  const inNamespace = parts.includes('namespaces') && resource !== 'namespaces';
  return (object) => {
    const at = object.split('/');
    if (!object.startsWith(`${root}/`) || at.at(-2) !== resource) return false;
    if (name !== undefined && at.at(-1) !== name) return false;
    return !inNamespace || object.startsWith(`${parts.slice(0, -1).join('/')}/`);
  };
}

function pathOf({ type, namespace, name }: ObjectRecord): string {
  return objectPath(type, namespace, name);
}

/** As a real connection: a request ends with its signal, answered or not. */
async function beforeAbort<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(cancelled());
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
