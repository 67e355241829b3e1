import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';

/** Polls until `probe` resolves with something else than undefined or false; rejects after `seconds`. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  seconds = 90,
): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${seconds} s`);
    await sleep(50);
  }
}

/** Until the server knows nothing by this path any more. */
export function untilGone(cluster: Cluster, path: string): Promise<true> {
  return eventually(`the end of ${path}`, async () => {
    const { status } = await cluster.request(path);
    return status === 404;
  });
}
