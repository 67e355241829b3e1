import { GcError, isGcError } from '../../errors.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { type ParsedTargets, parseTargets } from '../../kube/type-argument.ts';

/** Reads `TYPE/NAME` and its like. For an unknown type the error says which APIs could not be read. */
export function parseArguments(args: readonly string[], types: ResourceTypes): ParsedTargets {
  try {
    return parseTargets(args, types);
  } catch (error) {
    if (!isGcError(error) || error.code !== 'unknown-type' || types.failed.length === 0)
      throw error;
    const { message, code, exitCode, suggestions } = error;
    const unasked = types.failed.map((failure) => failure.message);
    throw new GcError(message, { code, exitCode, suggestions: [...suggestions, ...unasked] });
  }
}
