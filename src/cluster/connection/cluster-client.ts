import type { ClearedWrite } from '../write/clearance.ts';

/** The connection flags kubectl has, by its names and as the user gave them; undefined where not given. */
export interface ConnectionOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly as?: string | undefined;
  readonly 'as-group'?: readonly string[] | undefined;
  readonly 'as-uid'?: string | undefined;
  readonly 'as-user-extra'?: readonly string[] | undefined;
  readonly 'certificate-authority'?: string | undefined;
  readonly 'client-certificate'?: string | undefined;
  readonly 'client-key'?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly 'insecure-skip-tls-verify'?: boolean | undefined;
  readonly 'tls-server-name'?: string | undefined;
  /** kubectl's spelling: `0`, `30`, `1m30s`. */
  readonly 'request-timeout'?: string | undefined;
  readonly 'disable-compression'?: boolean | undefined;
  readonly kuberc?: string | undefined;
  /** How many connections are open at a time, at most; each watch over HTTP/1.1 occupies one. Default: 8. */
  readonly connections?: number | undefined;
  /** So much will be asked that HTTP/2, where the server speaks it, makes up for what it takes to open: all but later watches goes over it. */
  readonly prefersHttp2?: boolean | undefined;
  /** Reads, reviews and dry runs alone are sent. */
  readonly asksOnly?: boolean | undefined;
}

/** A connection is enough to read; what is not a GET was cleared. */
export type ApiRequest = ReadRequest | ClearedRequest;

interface AnyRequest {
  /** Path and query below the server's address: `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

interface ReadRequest extends AnyRequest {
  readonly method?: 'GET';
  readonly body?: undefined;
  /** The answer may be large, so that HTTP/2, where the server speaks it, makes up for what it takes to open. */
  readonly prefersHttp2?: boolean;
}

export interface ClearedRequest extends AnyRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: string;
  readonly prefersHttp2?: undefined;
  /**
   * What it was made from. The types that are published leave it out: it names those of client-node.
   * @internal
   */
  readonly cleared: ClearedWrite;
}

export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: ApiBody;
}

/** Decompressed chunks as they arrive; ends with an error when the connection drops. Read once. */
export interface ApiBody extends AsyncIterable<Uint8Array> {
  /** Passes each chunk to `take` directly, which costs less than a promise for each. An error of `take` ends it. */
  forEach?(take: (chunk: Uint8Array) => void): Promise<void>;
}

/**
 * An authenticated connection to one API server. `request` resolves with every HTTP status,
 * 4xx and 5xx included; it rejects with a `GcError` only when no answer came (unreachable,
 * TLS, timeout, credentials plugin failed). Retries are the caller's affair.
 */
export interface ClusterClient {
  /** The server's address, without credentials: `https://10.0.0.1:6443`. */
  readonly server: string;
  /** The namespace in force: `--namespace`, else the context's, else `default`. */
  readonly namespace: string;
  request(request: ApiRequest): Promise<ApiResponse>;
  close(): void;
}
