import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { refuseWrongArguments, type Target } from '../../command-line/type-argument.ts';
import { GcError, type Suggestion, usageError } from '../../errors.ts';
import { counted, firstOf } from '../../kube/counts-by-kind.ts';
import { distance } from '../../kube/names.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { showsAllNamespaces } from '../../kube/well-known-kinds.ts';
import { type ProblemReason, placesRead } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags, filenameFlag, ValuesOf } from '../flags/flags.ts';
import { writeErr } from '../terminal/streams.ts';
import { openFiles } from './read-files.ts';
import {
  hasSelector,
  isInNamespace,
  parseArguments,
  type Selectors,
  selectorsOf,
} from './scope.ts';

/** An object or kind to look at; manifests also say in which namespace. */
export interface NamedTarget extends Target {
  readonly namespace?: string;
}

export interface NamedTargets {
  readonly targets: readonly NamedTarget[];
  readonly notes: readonly string[];
}

export type FilenameFlag = ValuesOf<{ readonly filename: typeof filenameFlag }>;

/**
 * The objects named on the command line or in manifests (`-f`), once it is known which kinds there
 * are. Manifests are read here and now, and only once; a command line that names nothing, or names
 * it twice, is refused before that.
 */
export async function targetsOf(
  args: readonly string[],
  { filename = [], namespace }: Pick<CommonFlags, 'namespace'> & FilenameFlag,
): Promise<(types: ResourceTypes) => NamedTargets> {
  refuseNoTargets(args, filename);
  refuseWrongArguments(args);
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

/** Prints the notes, and returns the targets. */
export function noted({ targets, notes }: NamedTargets): readonly NamedTarget[] {
  for (const note of notes) writeErr(`Note: ${note}`);
  return targets;
}

/** Where the one object is that a target names; `defaultNamespace` is for those that say no namespace. */
export function targetLocation(
  { type, name, namespace }: NamedTarget,
  defaultNamespace: string,
  advice: string,
): ObjectLocation {
  if (name !== undefined) {
    return { type, name, namespace: type.namespaced ? (namespace ?? defaultNamespace) : '' };
  }
  throw usageError('resource(s) were provided, but no name was specified', [advice]);
}

/** These say that an object may be missing; that one has no uid is as it should be in a manifest. */
const lostObjects = new Set<ProblemReason>(['unreadable', 'not-an-object', 'truncated']);

/** The code of the error that no object was named; the command adds its own example. */
export const noTarget = 'no-target';

function refuseNoTargets(args: readonly string[], filenames: readonly string[]): void {
  if (filenames.length > 0 && args.length > 0) {
    throw usageError(
      'when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well',
      ['Leave out -f, or the arguments.'],
    );
  }
  if (filenames.length > 0 || args.length > 0) return;
  throw usageError(
    'You must provide one or more objects by argument or filename: TYPE/NAME or TYPE NAME.',
    [],
    noTarget,
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
      `no matches for kind "${type.kind}" in version "${apiVersionOf(type)}" (${place?.path}:${place?.line})`,
      [],
      'unknown-type',
    );
  }
  if (!served.namespaced || namespace === '') return { type: served, name };
  if (wanted !== undefined && wanted !== namespace) {
    throw usageError(
      `the namespace from the provided object "${namespace}" does not match the namespace "${wanted}"`,
      [`You must pass '--namespace=${namespace}' to perform this operation.`],
    );
  }
  return { type: served, name, namespace };
}

/**
 * The objects that the arguments name, in argument order, each once; undefined looks in every namespace.
 * A name that is nowhere, or in several namespaces while none was given, is an error.
 */
export function selectObjects(
  snapshot: Snapshot,
  targets: readonly NamedTarget[],
  namespace: string | undefined,
  selectors: Selectors = {},
): ObjectRecord[] {
  refuseNameAndSelector(targets, selectors);
  const matches = selectorsOf(selectors);
  const found = targets.flatMap(({ type, name, namespace: own = namespace }) =>
    name === undefined
      ? ofType(snapshot, type, own).filter(matches)
      : findNamed(snapshot, type, name, own),
  );
  return [...new Set(found)];
}

/** kubectl takes either names or a selector. */
export function refuseNameAndSelector(targets: readonly NamedTarget[], selectors: Selectors): void {
  if (hasSelector(selectors) && targets.some((target) => target.name !== undefined)) {
    throw usageError('name cannot be provided when a selector is specified', [
      'Give names, or a selector.',
    ]);
  }
}

function findNamed(
  snapshot: Snapshot,
  type: ResourceType,
  name: string,
  namespace: string | undefined,
): ObjectRecord {
  const candidates = ofType(snapshot, type, namespace);
  const found = candidates.filter((record) => record.name === name);
  const [first, second] = found;
  if (first && !second) return first;
  if (second) throw severalNamed(`${groupResourceOf(type)} "${name}"`, found);
  throw notFound(snapshot, type, name, candidates, namespace);
}

/** A manifest without a namespace may be of any, so that `-n` does not set it apart. */
function severalNamed(what: string, found: readonly ObjectRecord[]): GcError {
  const names = found.flatMap(({ namespace }) => namespace || []);
  const open = found.find(({ namespace }) => namespace === '');
  if (!open) {
    return usageError(`${what} is in ${names.length} namespaces: ${names.join(', ')}`, [
      'Say which one with -n in place of -A.',
    ]);
  }
  const at = open.place ? `${open.place.path}:${open.place.line}` : 'the input';
  const where = `${names.length === 1 ? 'namespace' : 'namespaces'} ${names.join(', ')}`;
  return usageError(`${what} is in ${where}, and without a namespace in ${at}`, [
    'Write the namespace into that manifest, or leave it out of the input.',
  ]);
}

function notFound(
  snapshot: Snapshot,
  type: ResourceType,
  name: string,
  candidates: readonly ObjectRecord[],
  namespace: string | undefined,
): GcError {
  const resource = groupResourceOf(type);
  const where = namespace !== undefined && type.namespaced ? ` in namespace ${namespace}` : '';
  const elsewhere = ofType(snapshot, type, undefined)
    .filter((record) => record.name === name)
    .map((record) => record.namespace);
  const hints: Suggestion[] = [
    ...(elsewhere.length > 0 ? [`It is in namespace ${elsewhere.join(', ')}: use -n.`] : []),
    ...(groupResourceOf(type) === 'namespaces' ? remainingIn(snapshot, name) : []),
  ];
  refuseUnread(snapshot, type, name, namespace, hints);
  const near = nearNames(name, candidates);
  return new GcError(`${resource} "${name}" not found${where}`, {
    code: 'not-found',
    suggestions: [...hints, ...(near.length > 0 ? [`Did you mean ${near.join(' or ')}?`] : [])],
  });
}

/** Objects remain where a namespace was removed by force, through the finalize subresource, before it was empty. */
function remainingIn({ records }: Snapshot, name: string): Suggestion[] {
  const remaining = records.filter(({ namespace }) => namespace === name);
  if (remaining.length === 0 || !showsAllNamespaces(records)) return [];
  const names = firstOf(
    remaining.map(({ type, name: one }) => `${type.kind}/${one}`),
    3,
  );
  return [
    `It was removed before it was empty: it contains ${counted(remaining.length, 'object')} (${names}), which cannot be changed until it exists again.`,
    suggested('To create it again first', shellCommand`kubectl create namespace ${name}`),
    suggested('Then', shellCommand`kubectl gc why -n ${name}`),
  ];
}

/** That an object was not found says nothing where its kind was not read. */
export function refuseUnread(
  snapshot: Snapshot,
  type: ResourceType,
  name: string,
  namespace: string | undefined,
  hints: readonly Suggestion[] = [],
): void {
  const unread = unreadPart(snapshot, type, namespace);
  if (unread === undefined) return;
  const where = namespace !== undefined && type.namespaced ? ` in namespace ${namespace}` : '';
  throw new GcError(
    `it is unknown whether ${groupResourceOf(type)} "${name}" is${where || ' there'}`,
    { code: 'not-read', suggestions: [...hints, unread] },
  );
}

/** What was not read of that kind there, in words; undefined if it was read completely. */
function unreadPart(
  { coverage }: Snapshot,
  type: ResourceType,
  namespace: string | undefined,
): string | undefined {
  const resource = groupResourceOf(type);
  // A document that cannot be read may contain objects of any kind.
  const problem = coverage.problems.find((one) =>
    one.resource === undefined ? lostObjects.has(one.reason) : one.resource === resource,
  );
  if (problem) return problem.message;
  const read = placesRead(coverage.read).get(resource) ?? 'everywhere';
  if (read === 'everywhere' || (namespace !== undefined && read.has(namespace))) return undefined;
  return `${resource} were read only in namespace ${[...read].join(', ')}`;
}

export function nearNames(name: string, candidates: readonly ObjectRecord[]): string[] {
  const most = Math.max(1, Math.floor(name.length / 3));
  return candidates
    .filter((record) => Math.abs(name.length - record.name.length) <= most)
    .map((record) => ({ record, off: distance(name, record.name) }))
    .filter(({ off }) => off <= most)
    .sort((a, b) => a.off - b.off)
    .slice(0, 3)
    .map(({ record }) => record.name);
}

function ofType(
  snapshot: Snapshot,
  type: ResourceType,
  namespace: string | undefined,
): ObjectRecord[] {
  const resource = groupResourceOf(type);
  return snapshot.records.filter(
    (record) =>
      groupResourceOf(record.type) === resource &&
      (namespace === undefined || !type.namespaced || isInNamespace(record, namespace)),
  );
}
