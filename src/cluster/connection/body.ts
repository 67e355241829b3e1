import type { IncomingMessage } from 'node:http';
import { finished, pipeline, type Readable } from 'node:stream';

/** So many chunks may wait for a slow reader: 1 MiB of what TLS brings. */
const mostWaiting = 64;

/**
 * The body of an answer, read once, chunk by chunk; failures are told by `explain`. Streams and
 * async generators can be iterated as well, but at several promises for each 16 KiB, which for a
 * large list takes as long as decoding it.
 */
export class Body implements AsyncIterableIterator<Uint8Array> {
  readonly #stream: Readable;
  readonly #explain: (error: unknown) => Error;
  readonly #chunks: Uint8Array[] = [];
  #reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined;
  #started = false;
  #ended = false;
  #error: unknown;

  constructor(stream: Readable, explain: (error: unknown) => Error) {
    this.#stream = stream;
    this.#explain = explain;
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
      if (this.#ended) this.#end(this.#error);
      return promise;
    }
    if (this.#chunks.length === 0 && this.#stream.isPaused()) this.#stream.resume();
    return Promise.resolve({ done: false, value });
  }

  /** Whoever stops early wants no more of it. */
  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#stream.destroy();
    return { done: true, value: undefined };
  }

  #start(): void {
    this.#started = true;
    finished(this.#stream, { writable: false }, (error) => this.#end(error));
    this.#stream.on('data', (chunk: Uint8Array) => this.#take(chunk));
  }

  #take(value: Uint8Array): void {
    if (this.#reader) {
      this.#reader.resolve({ done: false, value });
      this.#reader = undefined;
    } else if (this.#chunks.push(value) >= mostWaiting) this.#stream.pause();
  }

  #end(error: unknown): void {
    this.#ended = true;
    this.#error = error;
    if (error) this.#reader?.reject(this.#explain(error));
    else this.#reader?.resolve({ done: true, value: undefined });
    this.#reader = undefined;
  }
}

/** The body as the server meant it; the headers stop claiming that it is compressed. */
export async function decompressed(response: IncomingMessage): Promise<Readable> {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  delete response.headers['content-encoding'];
  delete response.headers['content-length'];
  // Servers compress only long answers; loading zlib takes 3 ms that the others need not wait.
  const { createGunzip } = await import('node:zlib');
  const gunzip = createGunzip();
  // Failures reach the reader through gunzip, which pipeline destroys with them.
  pipeline(response, gunzip, () => {});
  return gunzip;
}

/** Reads a body as UTF-8, at most `limit` bytes of it; what comes after is given up with the connection. */
export async function readLimitedText(
  body: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, limit - size));
    size += chunk.length;
    if (size >= limit) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
