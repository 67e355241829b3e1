/**
 * Runs work that makes many objects which stay, as reading a cluster does. V8 would answer with an
 * ever larger young generation, which makes nothing faster here and takes a third of all memory.
 */
export async function inSmallHeap<T>(work: () => Promise<T>): Promise<T> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    return await work();
  } finally {
    // Code that was compiled under other flags is not taken from the cache, so they are put back.
    setFlagsFromString('--semi-space-growth-factor=2');
  }
}
