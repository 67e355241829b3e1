import { setImmediate } from 'node:timers/promises';

/**
 * Loads a part of the program while a server has something to answer: the request is sent before, because loading
 * blocks everything else.
 */
export async function whileAsking<T>(load: () => Promise<T>): Promise<T> {
  await setImmediate();
  return load();
}
