import { setImmediate } from 'node:timers/promises';

/**
 * Loads a part of the program while a server has something to answer: what is to be sent goes out before, as loading holds
 * all else up.
 */
export async function whileAsking<T>(load: () => Promise<T>): Promise<T> {
  await setImmediate();
  return load();
}
