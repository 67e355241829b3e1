import { usageError } from '../errors.ts';
import { apiVersionOf } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { Target } from '../kube/type-argument.ts';
import { openFiles } from './input.ts';
import { parseArguments } from './parse-arguments.ts';
import { writeErr } from './streams.ts';

/** An object or kind to look at; manifests also say in which namespace. */
export interface NamedTarget extends Target {
  readonly namespace?: string;
}

/** Refuses a command line that names nothing, or names it twice; before anything is read. */
export function refuseNoTargets(args: readonly string[], filenames: readonly string[] = []): void {
  if (filenames.length > 0 && args.length > 0) {
    throw usageError(
      'files-and-arguments',
      'when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well',
    );
  }
  if (filenames.length > 0 || args.length > 0) return;
  throw usageError(
    'no-target',
    'You must provide one or more objects by argument or filename: TYPE/NAME or TYPE NAME.',
    'For example: kubectl gc tree deployment/web',
  );
}

/** The objects named on the command line or in manifests (`-f`); remarks go to stderr. */
export async function targetsOf(
  args: readonly string[],
  types: ResourceTypes,
  filenames: readonly string[] = [],
): Promise<readonly NamedTarget[]> {
  return filenames.length > 0 ? inManifests(filenames, types) : named(args, types);
}

function named(args: readonly string[], types: ResourceTypes): readonly Target[] {
  const { targets, notes } = parseArguments(args, types);
  for (const note of notes) writeErr(`Note: ${note}`);
  return targets;
}

async function inManifests(
  filenames: readonly string[],
  types: ResourceTypes,
): Promise<readonly NamedTarget[]> {
  const { records } = await openFiles({}, filenames);
  return records.map(({ type, name, namespace, place }) => {
    const served = types.find(apiVersionOf(type), type.kind);
    if (!served) {
      throw usageError(
        'unknown-type',
        `no matches for kind "${type.kind}" in version "${apiVersionOf(type)}" (${place?.path}:${place?.line})`,
      );
    }
    return { type: served, name, ...(namespace !== '' && { namespace }) };
  });
}
