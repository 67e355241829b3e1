import { exitCodes, GcError, isGcError, usageError } from '../../../errors.ts';
import type { ObjectRecord } from '../../../kube/object-record.ts';
import type { ObjectLocation } from '../../../kube/object-reference.ts';
import { refuseInvalid } from '../../../kube/path-segment.ts';
import type { ResourceType } from '../../../kube/resource-type.ts';
import type { ResourceTypes } from '../../../kube/resource-types.ts';
import { shellCommand, suggested } from '../../../kube/shell-command.ts';
import type { ParsedTargets } from '../../../kube/type-argument.ts';
import type { Failure } from '../../../perform/failure.ts';
import { type DeleteFlags, selectsEnded } from '../../../shell/flags/delete-options.ts';
import { parseArguments } from '../../../shell/input/scope.ts';

/** One object that the command line, a file or a selector names, whether it is there or not. */
export interface DeletionTarget extends ObjectLocation {
  /** The file that names it, as kubectl calls it: `web.yaml`, `STDIN`. */
  readonly source?: string;
  /** Where a list has shown it already. */
  readonly record?: ObjectRecord;
  /** Why it may not be taken as it is named, such as one in another namespace. */
  readonly refusal?: Failure;
}

export interface ResolvedTargets {
  /** In the order in which kubectl would delete them; one that is named twice is here twice. */
  readonly targets: readonly DeletionTarget[];
  /** What could not be found out: unknown kinds, unreadable documents, lists that were refused. */
  readonly failures: readonly Failure[];
  readonly notes: readonly string[];
}

/** What the command line names, before it is known which types there are. */
export type NamedThings =
  | { readonly by: 'files' }
  /** Everything of these types that the selectors match. */
  | { readonly by: 'selector'; readonly types: string }
  /** `TYPE/NAME`, each on its own. */
  | {
      readonly by: 'pairs';
      readonly pairs: readonly { readonly type: string; readonly name: string }[];
    }
  /** One type, and names. */
  | { readonly by: 'names'; readonly types: string; readonly names: readonly string[] }
  /** Types alone, which is wrong, once it is known that they exist. */
  | { readonly by: 'types'; readonly types: string };

/** The code of an error whose message is several lines as they are to be printed. */
export const severalFaults = 'several-faults';

type Naming = Pick<
  DeleteFlags,
  | 'all'
  | 'selector'
  | 'field-selector'
  | 'evicted'
  | 'finished'
  | 'filename'
  | 'kustomize'
  | 'recursive'
  | 'plan'
>;

/**
 * Reads the arguments as kubectl's resource builder does, with its words where they are wrong.
 * `pathFaults` are the paths that lead nowhere, which it reports first.
 */
export function namedThings(
  args: readonly string[],
  flags: Naming,
  pathFaults: readonly Failure[] = [],
): NamedThings {
  const { all = false, selector = '', 'field-selector': fields = '' } = flags;
  const selects = selector.trim() !== '' || fields.trim() !== '';
  const hasFiles = (flags.filename ?? []).length > 0 || (flags.kustomize ?? '') !== '';
  const { pairs, faults } = pairsOf(args);
  const found = [
    ...fileFaults(flags),
    ...pathFaults.map(({ message }) => message),
    ...(all && selects ? ["setting 'all' parameter but found a non empty selector. "] : []),
    ...faults,
  ];
  if (found.length > 0) throw faultsError(found, found.length === pathFaults.length);
  const [types, ...names] = args;
  if (hasFiles) {
    if (pairs) {
      throw usageError('resource/name arguments cannot be provided when a path is specified');
    }
    if (types !== undefined) {
      throw usageError(
        'when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well',
      );
    }
    return { by: 'files' };
  }
  if (all || selects || selectsEnded(flags)) {
    if (pairs) {
      throw usageError(
        'selectors and the all flag cannot be used when passing resource/name arguments',
      );
    }
    if (names.length > 0) throw usageError('name cannot be provided when a selector is specified');
    if (types === undefined) {
      throw usageError('at least one resource must be specified to use a selector');
    }
    return { by: 'selector', types };
  }
  if (types === undefined) throw nothingNamed();
  for (const name of pairs?.map((pair) => pair.name) ?? names) refuseInvalid('resource name', name);
  if (pairs) return { by: 'pairs', pairs };
  return names.length > 0 ? { by: 'names', types, names } : { by: 'types', types };
}

/** `a,b x y` stands for a/x, a/y, b/x and b/y. */
function pairsOf(args: readonly string[]) {
  const [types = '', ...names] = args;
  const words = [...new Set(types.split(','))];
  const spelled =
    names.length > 0 && words.length > 1
      ? words.flatMap((word) => names.map((name) => `${word}/${name}`))
      : args;
  const slashed = spelled.filter((arg) => arg.includes('/'));
  if (slashed.length === 0) return { pairs: undefined, faults: [] };
  if (slashed.length < spelled.length) return { pairs: undefined, faults: [mixed] };
  const parts = slashed.map((arg) => arg.split('/'));
  const pairs = parts.map(([type = '', name = '']) => ({ type, name }));
  const wrong = parts.find(
    ([type = '', name = '', ...rest]) =>
      rest.length > 0 || type === '' || name === '' || type.includes(','),
  );
  if (!wrong) return { pairs, faults: [] };
  const rule =
    wrong.length > 2 ? 'may not have more than one slash' : 'must have a single resource and name';
  return { pairs, faults: [`arguments in resource/name form ${rule}`] };
}

const mixed =
  "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'";

function fileFaults({ filename = [], kustomize = '', recursive }: Naming): string[] {
  return [
    ...(filename.length > 0 && kustomize !== '' ? ['only one of -f or -k can be specified'] : []),
    ...(kustomize !== '' && recursive ? ["the -k flag can't be used with -f or -R"] : []),
  ];
}

/** kubectl says "error:" only where there is one. Files that are not there are no wrong usage. */
function faultsError(faults: readonly string[], onlyPaths: boolean): GcError {
  return new GcError(faults.join('\n'), {
    code: faults.length > 1 ? severalFaults : 'wrong-arguments',
    exitCode: onlyPaths ? exitCodes.failed : exitCodes.usage,
  });
}

function nothingNamed() {
  return usageError('You must provide one or more resources by argument or filename.', [
    suggested('For example', shellCommand`kubectl gc delete deployment/web`),
    suggested('Or', shellCommand`kubectl gc delete -f web.yaml`),
  ]);
}

/** The types to list, in kubectl's order, each once; categories such as `all` are spread out. */
export function typesToSelect(words: string, types: ResourceTypes): ResourceType[] {
  const { targets } = parsed(words, types);
  return [...new Set(targets.map(({ type }) => type))];
}

/** The objects that arguments name; whether they are there is not asked. */
export function targetsOfArguments(
  named: Extract<NamedThings, { by: 'pairs' | 'names' | 'types' }>,
  types: ResourceTypes,
  { namespace, all }: { readonly namespace: string; readonly all: boolean },
): ResolvedTargets {
  if (named.by === 'types') {
    parsed(named.types, types);
    throw usageError('resource(s) were provided, but no name was specified');
  }
  const notes: string[] = [];
  const typeOf = (word: string): ResourceType => {
    const { targets, notes: told } = parsed(`${word}/x`, types);
    for (const note of told) if (!notes.includes(note)) notes.push(note);
    const [target] = targets;
    if (target) return target.type;
    throw usageError(`the server doesn't have a resource type "${word}"`, [], 'unknown-type');
  };
  const pairs =
    named.by === 'pairs'
      ? named.pairs
      : named.names.map((name) => ({ type: onlyType(named.types, types), name }));
  const targets = pairs.map(({ type: word, name }) => {
    const type = typeOf(word);
    if (type.namespaced && namespace === '') {
      throw usageError(
        all
          ? 'a resource cannot be retrieved by name across all namespaces'
          : 'namespace may not be empty when retrieving a resource by name',
      );
    }
    return { type, namespace: type.namespaced ? namespace : '', name };
  });
  return { targets, failures: [], notes };
}

/** kubectl takes names with one type only; a category is several. */
function onlyType(words: string, types: ResourceTypes): string {
  // A type may be said twice.
  const [word = ''] = words.split(',');
  const isCategory = types.all.some((type) => type.categories.includes(word));
  if (isCategory) throw usageError('you must specify only one resource');
  return word;
}

/** For an unknown type kubectl names the part before the group. */
function parsed(argument: string, types: ResourceTypes): ParsedTargets {
  try {
    return parseArguments([argument], types);
  } catch (error) {
    if (!isGcError(error) || error.code !== 'unknown-type') throw error;
    const message = error.message.replace(/"([^."]+)\.[^"]*"/, '"$1"');
    throw usageError(message, error.advice, error.code);
  }
}
