import type { IncomingHttpHeaders } from 'node:http';
import { finished, pipeline, type Readable } from 'node:stream';
import { GcError } from '../../errors.ts';
import { brief } from '../../files/object-fault.ts';
import type { ApiBody } from './cluster-client.ts';

/** Undefined of a stream that ended well. */
type FailureOf = (error: unknown) => Error | undefined;

/** So many chunks may wait for a slow reader: 1 MiB of what TLS brings. */
const mostWaiting = 64;

/**
 * The body of an answer, read once, chunk by chunk; `failureOf` puts failures into words, and says whether a stream
 * that ended without one was whole. Streams and async generators can be iterated as well, but at several promises for
 * each 16 KiB, which for a large list takes as long as decoding it.
 */
export class Body implements ApiBody, AsyncIterableIterator<Uint8Array> {
  readonly #stream: Readable;
  /** Settled when all of it was read, or with what broke it. */
  readonly #whole: Promise<void>;
  readonly #chunks: Uint8Array[] = [];
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined;
  #started = false;
  #ended = false;
  #failure: Error | undefined;
  #received = 0;

  constructor(stream: Readable, failureOf: FailureOf) {
    this.#stream = stream;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Asked from the start: a stream of HTTP/2 that came whole before its reader would be taken for one cut short.
    finished(stream, { writable: false }, (error) => {
      const failure = failureOf(error);
      if (failure) reject(failure);
      else resolve();
    });
    // What nothing reads may break.
    promise.catch(() => undefined);
    this.#whole = promise;
  }

  /** How many bytes have come. */
  get received(): number {
    return this.#received;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    if (!this.#started) this.#start();
    const value = this.#chunks.shift();
    if (value === undefined) {
      this.#reader = Promise.withResolvers();
      const { promise } = this.#reader;
      if (this.#ended) this.#end(this.#failure);
      return promise;
    }
    if (this.#chunks.length === 0 && this.#stream.isPaused()) this.#stream.resume();
    return Promise.resolve({ done: false, value });
  }

  forEach(take: (chunk: Uint8Array) => void): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    const stream = this.#stream;
    const onData = (chunk: Uint8Array) => {
      this.#received += chunk.length;
      try {
        take(chunk);
      } catch (error) {
        reject(error);
        stream.off('data', onData);
        stream.destroy();
      }
    };
    stream.on('data', onData);
    return Promise.race([this.#whole, promise]);
  }

  /** A reader that stops early needs no more: the connection is closed. */
  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#stream.destroy();
    return { done: true, value: undefined };
  }

  #start(): void {
    this.#started = true;
    this.#whole.then(
      () => this.#end(undefined),
      (failure: Error) => this.#end(failure),
    );
    this.#stream.on('data', (chunk: Uint8Array) => this.#take(chunk));
  }

  #take(value: Uint8Array): void {
    this.#received += value.length;
    if (this.#reader) {
      this.#reader.resolve({ done: false, value });
      this.#reader = undefined;
    } else if (this.#chunks.push(value) >= mostWaiting) this.#stream.pause();
  }

  #end(failure: Error | undefined): void {
    this.#ended = true;
    this.#failure = failure;
    if (failure) this.#reader?.reject(failure);
    else this.#reader?.resolve({ done: true, value: undefined });
    this.#reader = undefined;
  }
}

/** The body as the server meant it; the headers stop claiming that it is compressed. Throws for what cannot be undone. */
export async function decompressed(
  response: Readable,
  headers: IncomingHttpHeaders,
): Promise<Readable> {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'gzip') {
    if (/^(identity)?$/i.test(encoding)) return response;
    response.destroy();
    throw new GcError(`the answer is encoded as ${brief(encoding)}, which was not asked for`, {
      code: 'unknown-encoding',
      suggestions: ['Check load balancers and proxies on the way.'],
    });
  }
  delete headers['content-encoding'];
  delete headers['content-length'];
  // Servers compress only long answers; loading zlib takes 3 ms that the others need not wait.
  const { createGunzip } = await import('node:zlib');
  const gunzip = createGunzip();
  // Failures reach the reader through gunzip, which pipeline destroys with them.
  pipeline(response, gunzip, () => {});
  return gunzip;
}

/** Each header as one text. */
export function joined(headers: IncomingHttpHeaders): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}
