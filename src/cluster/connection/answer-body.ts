import type { IncomingHttpHeaders } from 'node:http';
import { finished, pipeline, type Readable } from 'node:stream';
import { GcError } from '../../errors.ts';
import { brief } from '../../files/object-fault.ts';
import type { ApiBody, ApiResponse } from './cluster-client.ts';

/** Each piece is a turn to another thread and back. */
const unpackedChunkBytes = 64 * 1024;

/** Undefined of a stream that ended well. */
type FailureOf = (error: unknown) => Error | undefined;

/**
 * The body of an answer, read once; `failureOf` puts failures into words, and says whether a stream that ended without
 * one was whole.
 */
export class Body implements ApiBody {
  readonly #stream: Readable;
  /** Settled when all of it was read, or with what broke it. */
  readonly #whole: Promise<void>;
  #received = 0;

  constructor(stream: Readable, failureOf: FailureOf) {
    this.#stream = stream;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Called from the start, when Node can still distinguish a complete HTTP/2 stream from a truncated one.
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

  /** A reader that stops early needs no more: the connection is closed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of this.#stream as AsyncIterable<Uint8Array>) {
        this.#received += chunk.length;
        yield chunk;
      }
    } catch {
      // Node takes a stream of HTTP/2 that came whole before its first reader for one cut short; #whole knows better.
    }
    await this.#whole;
  }

  /** The same without promises: of a large list, several for each 16 KiB take as long as decoding it. */
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
}

/** The answer whose body comes over a stream. */
export async function streamedAnswer(
  status: number,
  headers: IncomingHttpHeaders,
  stream: Readable,
  failureOf: FailureOf,
): Promise<ApiResponse & { readonly body: Body }> {
  const body = new Body(await decompressed(stream, headers), failureOf);
  // The headers describe the body only from here on.
  return { status, body, headers: joinedHeaders(headers) };
}

/** The body as the server meant it; the headers stop claiming that it is compressed. Throws for what cannot be undone. */
async function decompressed(response: Readable, headers: IncomingHttpHeaders): Promise<Readable> {
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
  const gunzip = createGunzip({ chunkSize: unpackedChunkBytes });
  // Failures reach the reader through gunzip, which pipeline destroys with them.
  pipeline(response, gunzip, () => {});
  return gunzip;
}

/** Each header as one text. */
function joinedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}
