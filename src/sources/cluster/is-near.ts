import type { ClusterClient } from '../../client/cluster-client.ts';
import { type GetOptions, get } from './get.ts';
import { readBody } from './read-body.ts';

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;
/** Milliseconds; a tunnel to a cluster elsewhere takes longer. */
const nearby = 10;

/**
 * Is the server on this machine, not just a tunnel's end? Then compressing lists costs its CPU
 * more time than the bytes cost the network.
 */
export async function isNear(client: ClusterClient, options: GetOptions): Promise<boolean> {
  if (!loopback.test(new URL(client.server).hostname)) return false;
  const start = performance.now();
  await readBody(await get(client, '/version', 'application/json', options));
  return performance.now() - start < nearby;
}
