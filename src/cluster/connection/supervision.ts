import type { OutgoingHttpHeaders } from 'node:http';
import type { GcError } from '../../errors.ts';
import { cancelled, type NetworkPeer, networkError, timedOut } from '../network-error.ts';
import type { AwaitedAnswer } from './patience.ts';

/** What an exchange may take, and whose it is. */
export interface Supervised {
  readonly signal?: AbortSignal | undefined;
  /** How long it may take, body included; undefined for no limit. */
  readonly awaited: AwaitedAnswer | undefined;
  readonly peer: NetworkPeer;
}

/** One request, as it is sent. */
export interface Exchange extends Supervised {
  readonly url: string;
  readonly method?: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string | undefined;
}

/** The error for an exchange that cannot begin: it was given up before, or could not be sent. */
export function notBegun({ awaited, signal, peer }: Supervised, cause?: unknown): GcError {
  awaited?.end('ended');
  return signal?.aborted ? cancelled(signal) : networkError(cause, peer);
}

/** Closed before the answer was there, as Node says it of HTTP/1.1. */
export class ConnectionReset extends Error {
  readonly code = 'ECONNRESET';
}

/** Timers hold no more milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Ends an exchange that its caller gives up or that takes too long, and puts its failures into words. */
export class RequestWatchdog {
  readonly #supervised: Supervised;
  readonly #stream: { destroy(error: Error): unknown };
  readonly #bytes: () => number;
  /** How many had come when the time was checked before. */
  #counted = -1;
  /** Why the exchange was ended here: streams only report that it was. */
  #ended: GcError | undefined;
  #deadline: NodeJS.Timeout | undefined;

  /** `bytes`: how many have come so far. */
  constructor(
    supervised: Supervised,
    stream: { destroy(error: Error): unknown },
    bytes: () => number,
  ) {
    this.#supervised = supervised;
    this.#stream = stream;
    this.#bytes = bytes;
    supervised.signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#checkTime();
  }

  stop(error: GcError): void {
    this.#ended ??= error;
    this.end();
    this.#stream.destroy(error);
  }

  readonly errorFor = (error: unknown): GcError =>
    this.#ended ?? networkError(error, this.#supervised.peer);

  /** The answer is there in full. */
  answered(status: number): void {
    // A gateway timed out: the server behind it does not answer.
    this.#supervised.awaited?.end(status === 504 ? 'hung' : 'answered');
  }

  /** Nothing more comes. */
  end(): void {
    const { signal, awaited } = this.#supervised;
    clearTimeout(this.#deadline);
    awaited?.end('ended');
    signal?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = () => this.stop(cancelled(this.#supervised.signal));

  #checkTime(): void {
    const { awaited, peer } = this.#supervised;
    if (!awaited) return;
    const bytes = this.#bytes();
    const { longestSilence } = awaited;
    const allowed = awaited.allowed(bytes);
    const left = allowed - (performance.now() - awaited.since);
    const isSilent = bytes === this.#counted && longestSilence < Infinity;
    this.#counted = bytes;
    if (left > 0 && !isSilent) {
      const wait = Math.ceil(Math.min(left, longestSilence, longestTimer));
      this.#deadline = setTimeout(() => this.#checkTime(), wait);
    } else {
      awaited.end('hung');
      this.stop(timedOut(peer, left > 0 ? longestSilence : allowed));
    }
  }
}
