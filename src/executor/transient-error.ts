import { isGcError } from '../errors.ts';

/** Failures of the way to the server that pass: it restarts, a connection breaks, a network is away. */
const transient = new Set([
  'connection-dropped',
  'connection-refused',
  'connect-timeout',
  'request-timeout',
  'request-failed',
  'unreachable',
  'unknown-host',
  'invalid-compression',
]);

export function isTransient(error: unknown): boolean {
  return isGcError(error) && transient.has(error.code);
}
