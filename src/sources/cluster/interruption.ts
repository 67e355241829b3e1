import { isGcError } from '../../errors.ts';
import { CutShort } from './list-decoder.ts';

// Compressed bytes that break off are reported as bytes that cannot be decompressed.
const brokenOff = new Set(['connection-dropped', 'invalid-compression']);

/** Did an answer break off, so that asking again may help? */
export function isInterruption(error: unknown): boolean {
  return error instanceof CutShort || (isGcError(error) && brokenOff.has(error.code));
}
