import { exitCodes, GcError, isGcError, usageError } from '../../../errors.ts';
import type { ResourceType } from '../../../kube/resource-type.ts';
import type { ResourceTypes } from '../../../kube/resource-types.ts';
import { shellCommand, suggested } from '../../../kube/shell-command.ts';
import { type ParsedTargets, refuseInvalidNames } from '../../../kube/type-argument.ts';
import type { Failure } from '../../../perform/failure.ts';
import { type DeleteFlags, selects } from '../../../shell/flags/delete-options.ts';
import type { EndedSelector } from '../../../shell/input/ended-selector.ts';
import { parseArguments } from '../../../shell/input/scope.ts';
import type { LoadedManifest, ResolvedTargets } from './targets-of-files.ts';

/** What the command line names, read as far as it can be without a cluster. */
export type CommandLine =
  | { readonly by: 'files'; readonly manifests: readonly LoadedManifest[] }
  /** A Helm release. */
  | { readonly by: 'release'; readonly release: string }
  /** Everything of these types that the selectors match. */
  | { readonly by: 'selector'; readonly types: string }
  /** `TYPE/NAME…`, `TYPE NAME…`, or types alone, which is wrong once it is known that they exist. */
  | { readonly by: 'arguments'; readonly args: readonly string[] };

/** The code of an error whose message is several lines as they are to be printed. */
export const severalFaults = 'several-faults';

/** Is a plan named, and nothing else to delete? */
export function isSavedPlan(
  args: readonly string[],
  flags: DeleteFlags,
): flags is DeleteFlags & { readonly plan: string } {
  return flags.plan !== undefined && args.length === 0 && !hasFiles(flags) && !selects(flags);
}

function hasFiles({ filename = [], kustomize = '' }: DeleteFlags): boolean {
  return filename.length > 0 || kustomize !== '';
}

/**
 * Reads the arguments as kubectl's resource builder does, with its words where they are wrong.
 * `pathFaults` are the paths that lead nowhere, which it reports first.
 */
export function namedThings(
  given: readonly string[],
  flags: DeleteFlags,
  pathFaults: readonly Failure[] = [],
): CommandLine {
  const { all, selector = '', 'field-selector': fields = '' } = flags;
  const args = spelledOut(given);
  const found = [
    ...fileFaults(flags),
    ...pathFaults.map(({ message }) => message),
    ...(all && `${selector}${fields}`.trim() !== ''
      ? ["setting 'all' parameter but found a non empty selector. "]
      : []),
    ...argumentFaults(args),
  ];
  if (found.length > 0) {
    // kubectl says "error:" only where there is one. Files that are not there are no wrong usage.
    const onlyPaths = found.length === pathFaults.length;
    throw new GcError(found.join('\n'), {
      code: found.length > 1 ? severalFaults : 'wrong-arguments',
      exitCode: onlyPaths ? exitCodes.failed : exitCodes.usage,
    });
  }
  const arePairs = args.some((arg) => arg.includes('/'));
  const [types, ...names] = args;
  if (hasFiles(flags)) {
    if (types === undefined) return { by: 'files', manifests: [] };
    throw usageError(
      arePairs
        ? 'resource/name arguments cannot be provided when a path is specified'
        : 'when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well',
    );
  }
  if (selects(flags)) {
    if (types !== undefined && names.length === 0 && !arePairs) return { by: 'selector', types };
    throw usageError(
      arePairs
        ? 'selectors and the all flag cannot be used when passing resource/name arguments'
        : types === undefined
          ? 'at least one resource must be specified to use a selector'
          : 'name cannot be provided when a selector is specified',
    );
  }
  if (types === undefined) {
    throw usageError('You must provide one or more resources by argument or filename.', [
      suggested('For example', shellCommand`kubectl gc delete deployment/web`),
      suggested('Or', shellCommand`kubectl gc delete -f web.yaml`),
    ]);
  }
  refuseInvalidNames(args);
  return { by: 'arguments', args };
}

/** `a,b x y` stands for a/x, a/y, b/x and b/y. */
function spelledOut(args: readonly string[]): readonly string[] {
  const [types = '', ...names] = args;
  const words = [...new Set(types.split(','))];
  if (names.length === 0 || words.length === 1) return args;
  return words.flatMap((word) => names.map((name) => `${word}/${name}`));
}

function argumentFaults(args: readonly string[]): string[] {
  const slashed = args.filter((arg) => arg.includes('/'));
  if (slashed.length === 0) return [];
  if (slashed.length < args.length) return [mixed];
  const wrong = args
    .map((arg) => arg.split('/'))
    .find(([type, name, ...rest]) => !type || !name || rest.length > 0 || type.includes(','));
  if (!wrong) return [];
  const rule =
    wrong.length > 2 ? 'may not have more than one slash' : 'must have a single resource and name';
  return [`arguments in resource/name form ${rule}`];
}

const mixed =
  "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'";

function fileFaults({ filename = [], kustomize = '', recursive }: DeleteFlags): string[] {
  return [
    ...(filename.length > 0 && kustomize !== '' ? ['only one of -f or -k can be specified'] : []),
    ...(kustomize !== '' && recursive ? ["the -k flag can't be used with -f or -R"] : []),
  ];
}

/** The types to list, in kubectl's order, each once; categories such as `all` are spread out. */
export function typesToSelect(
  words: string,
  types: ResourceTypes,
  ended: EndedSelector | undefined,
): ResourceType[] {
  const { targets } = parsed([words], types);
  const selected = [...new Set(targets.map(({ type }) => type))];
  for (const type of selected) ended?.check(type);
  return selected;
}

/** The objects that arguments name; whether they are there is not asked. */
export function targetsOfArguments(
  args: readonly string[],
  types: ResourceTypes,
  { namespace, all }: { readonly namespace: string; readonly all: boolean },
): ResolvedTargets {
  const [word = '', ...names] = args;
  // kubectl takes names with one type only; a category is several. A type may be said twice.
  const [first = ''] = word.split(',');
  if (names.length > 0 && types.all.some(({ categories }) => categories.includes(first))) {
    throw usageError('you must specify only one resource');
  }
  const { targets: named, notes } = parsed(args, types);
  const targets = named.map(({ type, name }, position) => {
    if (name === undefined) {
      throw usageError('resource(s) were provided, but no name was specified');
    }
    if (type.namespaced && namespace === '') {
      throw usageError(
        all
          ? 'a resource cannot be retrieved by name across all namespaces'
          : 'namespace may not be empty when retrieving a resource by name',
      );
    }
    return { type, namespace: type.namespaced ? namespace : '', name, position };
  });
  return { targets, failures: [], notes: [...new Set(notes)] };
}

/** For an unknown type kubectl names the part before the group. */
function parsed(args: readonly string[], types: ResourceTypes): ParsedTargets {
  try {
    return parseArguments(args, types);
  } catch (error) {
    if (!isGcError(error) || error.code !== 'unknown-type') throw error;
    const message = error.message.replace(/"([^."]+)\.[^"]*"/, '"$1"');
    throw usageError(message, error.advice, error.code);
  }
}
