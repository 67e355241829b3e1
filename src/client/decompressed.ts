import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** The body as the server meant it; the headers stop claiming that it is compressed. */
export function decompressed(response: IncomingMessage): Readable {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  delete response.headers['content-encoding'];
  delete response.headers['content-length'];
  const gunzip = createGunzip();
  // Failures reach the reader through gunzip, which pipeline destroys with them.
  pipeline(response, gunzip, () => {});
  return gunzip;
}
