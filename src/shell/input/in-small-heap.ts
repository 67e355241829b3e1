import { setFlagsFromString } from 'node:v8';

/** Reads much that stays. V8 would answer with an ever larger young generation: a third of all memory for nothing. */
export async function inSmallHeap<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    return await work();
  } finally {
    // Code that was compiled under other flags is not taken from the cache, so they are put back.
    setFlagsFromString('--semi-space-growth-factor=2');
  }
}
