import type { ApiResponse } from './connection/cluster-client.ts';

/** JSON that could not be parsed or is not what was asked for; protobuf has WireError. */
export class UnreadableJson extends Error {}

/** Thrown when a body is longer than its reader wants to hold. */
export class BodyTooLong extends UnreadableJson {}

/** More than an object may have (etcd takes 1.5 MiB), a page of a list, or what a server says of itself. */
const longestAnswer = 64 * 1024 * 1024;

/** Hands each chunk of the body to `take`, as it arrives. */
export async function forEachChunk(
  { body }: ApiResponse,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  if (body.forEach) await body.forEach(take);
  else for await (const chunk of body) take(chunk);
}

/** The whole body; throws BodyTooLong beyond `limit` bytes. */
export async function readBody(response: ApiResponse, limit = longestAnswer): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  await forEachChunk(response, (chunk) => {
    length += chunk.length;
    if (length > limit) throw new BodyTooLong(`the answer is longer than ${limit} bytes`);
    chunks.push(chunk);
  });
  return Buffer.concat(chunks, length);
}

/** Reads an answer that does not matter to its end, so that its connection can be used again; a long one is given up. */
export async function drain(response: ApiResponse): Promise<void> {
  await readBody(response, 64 * 1024).catch(() => undefined);
}

export function isJson(response: ApiResponse): boolean {
  return response.headers['content-type']?.includes('json') ?? false;
}

export function parseJsonBody(body: Buffer): object {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (error) {
    throw new UnreadableJson('the answer is not JSON', { cause: error });
  }
  if (typeof value !== 'object' || value === null)
    throw new UnreadableJson('the answer is not an object');
  return value;
}
