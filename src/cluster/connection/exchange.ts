import type { Dispatcher } from 'undici';
import type { GcError } from '../../errors.ts';
import { Body, decompressed, joined } from './answer-body.ts';
import type { ApiResponse } from './cluster-client.ts';
import { cancelled, type NetworkPeer, networkError, timedOut } from './network-error.ts';
import type { AwaitedAnswer } from './patience.ts';

/** A request, and what its answer may take. */
interface ExchangeOptions {
  readonly url: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string | undefined;
  readonly through: Dispatcher;
  readonly signal?: AbortSignal | undefined;
  /** How long it may take, body included; undefined for no limit. */
  readonly awaited: AwaitedAnswer | undefined;
  readonly peer: NetworkPeer;
}

/** One request and its answer. Rejects with a GcError when no answer comes; so does a body cut short. */
export async function exchange(options: ExchangeOptions): Promise<ApiResponse> {
  const { url, method, headers, body: sent, through, signal, awaited } = options;
  const supervision = new Supervision(options);
  try {
    if (signal?.aborted) throw cancelled(signal);
    const { origin, pathname, search } = new URL(url);
    const request = through.request({
      origin,
      path: pathname + search,
      method,
      headers,
      body: sent ?? null,
      signal: supervision.signal,
      // Otherwise the connection is closed after each DELETE with a body.
      reset: false,
    });
    // A request that waits for a connection would only be told once there is one.
    const response = await Promise.race([request, supervision.stopped]);
    const { statusCode: status, body } = response;
    body.once('end', () => {
      // A gateway that ran out of time: the server behind it hangs.
      awaited?.end(status === 504 ? 'hung' : 'answered');
    });
    body.once('close', () => supervision.end());
    // What nothing reads may break.
    body.on('error', () => undefined);
    const whole = new Body(await decompressed(body, response.headers), supervision.errorFor);
    supervision.bytes = () => whole.received;
    // Only afterwards do the headers tell the truth about the body.
    return { status, body: whole, headers: joined(response.headers) };
  } catch (error) {
    supervision.end();
    throw supervision.errorFor(error);
  }
}

/** Timers hold no more milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Ends an exchange that its caller gives up or that takes too long, and puts its failures into words. */
class Supervision {
  /** How many bytes have come so far. */
  bytes = () => 0;
  readonly #options: ExchangeOptions;
  readonly #controller = new AbortController();
  readonly #stopped = Promise.withResolvers<never>();
  /** How many bytes had come when the time was checked before. */
  #counted = -1;
  /** Why the exchange was ended here: streams only report that it was. */
  #ended: GcError | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    // What nothing waits for may be stopped.
    this.#stopped.promise.catch(() => undefined);
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#checkTime();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Rejects when the exchange is ended here. */
  get stopped(): Promise<never> {
    return this.#stopped.promise;
  }

  readonly errorFor = (error: unknown): GcError =>
    this.#ended ?? networkError(error, this.#options.peer);

  /** Nothing more comes. */
  end(): void {
    const { signal, awaited } = this.#options;
    clearTimeout(this.#deadline);
    awaited?.end('ended');
    signal?.removeEventListener('abort', this.#onAbort);
  }

  #stop(error: GcError): void {
    this.#ended ??= error;
    this.end();
    this.#controller.abort(error);
    this.#stopped.reject(error);
  }

  readonly #onAbort = () => this.#stop(cancelled(this.#options.signal));

  #checkTime(): void {
    const { awaited, peer } = this.#options;
    if (!awaited) return;
    const bytes = this.bytes();
    const { longestSilence } = awaited;
    const allowed = awaited.allowed(bytes);
    const left = allowed - (performance.now() - awaited.since);
    const isSilent = bytes === this.#counted && longestSilence < Infinity;
    this.#counted = bytes;
    if (left > 0 && !isSilent) {
      const wait = Math.ceil(Math.min(left, longestSilence, longestTimer));
      // What is under way keeps the process, and what nothing reads does not.
      this.#deadline = setTimeout(() => this.#checkTime(), wait).unref();
    } else {
      awaited.end('hung');
      this.#stop(timedOut(peer, left > 0 ? longestSilence : allowed));
    }
  }
}
