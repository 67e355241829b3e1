import { usageError } from '../errors.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { apiVersionOf } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import { refuseInvalidNames, type Target } from '../kube/type-argument.ts';
import type { ProblemReason } from '../snapshot/coverage.ts';
import { openFiles } from './input.ts';
import { parseArguments } from './parse-arguments.ts';
import { writeErr } from './streams.ts';

/** An object or kind to look at; manifests also say in which namespace. */
export interface NamedTarget extends Target {
  readonly namespace?: string;
}

export interface NamedTargets {
  readonly targets: readonly NamedTarget[];
  /** Remarks for people. */
  readonly notes: readonly string[];
}

interface Naming {
  readonly filename?: readonly string[] | undefined;
  readonly namespace?: string | undefined;
}

/**
 * The objects named on the command line or in manifests (`-f`), once it is known which kinds there
 * are. Manifests are read here and now, and only once; a command line that names nothing, or names
 * it twice, is refused before that.
 */
export async function targetsOf(
  args: readonly string[],
  { filename = [], namespace }: Naming,
): Promise<(types: ResourceTypes) => NamedTargets> {
  refuseNoTargets(args, filename);
  refuseInvalidNames(args);
  if (filename.length === 0) return (types) => parseArguments(args, types);
  const { records, coverage } = await openFiles({}, filename);
  for (const { reason, message } of coverage.problems) {
    if (lostObjects.has(reason)) writeErr(`Warning: ${message}`);
  }
  return (types) => ({
    targets: records.map((record) => inManifest(record, types, namespace)),
    notes: [],
  });
}

/** Tells the notes, and answers the targets. */
export function noted({ targets, notes }: NamedTargets): readonly NamedTarget[] {
  for (const note of notes) writeErr(`Note: ${note}`);
  return targets;
}

/** Of a manifest these say that an object may be missing; that it has no uid is as it should be. */
const lostObjects = new Set<ProblemReason>(['unreadable', 'not-an-object', 'truncated']);

function refuseNoTargets(args: readonly string[], filenames: readonly string[]): void {
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

function inManifest(
  { type, name, namespace, place }: ObjectRecord,
  types: ResourceTypes,
  wanted: string | undefined,
): NamedTarget {
  const served = types.find(apiVersionOf(type), type.kind);
  if (!served) {
    throw usageError(
      'unknown-type',
      `no matches for kind "${type.kind}" in version "${apiVersionOf(type)}" (${place?.path}:${place?.line})`,
    );
  }
  if (!served.namespaced || namespace === '') return { type: served, name };
  if (wanted !== undefined && wanted !== namespace) {
    throw usageError(
      'other-namespace',
      `the namespace from the provided object "${namespace}" does not match the namespace "${wanted}"`,
      `You must pass '--namespace=${namespace}' to perform this operation.`,
    );
  }
  return { type: served, name, namespace };
}
