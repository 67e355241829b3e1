import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';

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
