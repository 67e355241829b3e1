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

/**
 * The same for a server: V8 would let garbage grow to a multiple of what stays before it collects it, which is most of the
 * memory of a program that answers now and then. Half as much costs a little more time.
 */
export async function inSteadyHeap<T>(work: () => Promise<T>): Promise<T> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--heap-growing-percent=50');
  try {
    return await inSmallHeap(work);
  } finally {
    setFlagsFromString('--heap-growing-percent=0');
  }
}
