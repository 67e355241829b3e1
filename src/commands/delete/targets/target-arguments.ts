import { shellCommand, suggested } from '../../../command-line/shell-command.ts';
import { refuseWrongArguments } from '../../../command-line/type-argument.ts';
import { usageError } from '../../../errors.ts';
import type { ResourceType } from '../../../kube/resource-type.ts';
import type { ResourceTypes } from '../../../kube/resource-types.ts';
import { type DeleteFlags, selects } from '../../../shell/flags/delete-options.ts';
import { parseArguments } from '../../../shell/input/scope.ts';
import { targetLocation } from '../../../shell/input/targets.ts';
import type { EndedSelector } from './ended-selector.ts';
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

/** What the arguments name, as kubectl's resource builder takes them. Of files it is not said yet what is in them. */
export function namedThings(args: readonly string[], flags: DeleteFlags): CommandLine {
  const [types, ...names] = args;
  if (hasFiles(flags)) {
    if (types === undefined) return { by: 'files', manifests: [] };
    throw usageError(
      'when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well',
      ['Leave out -f, or the arguments.'],
    );
  }
  if (selects(flags)) {
    // A script may select by a variable that is empty: kubectl takes --all with that.
    if (flags.all && (flags.selector || flags['field-selector'])) {
      throw usageError('--all deletes every object of a type, and a selector names some', [
        'Leave one of them out.',
      ]);
    }
    if (types === undefined) {
      throw usageError('at least one resource must be specified to use a selector', [
        'Name a kind as well, such as pods.',
      ]);
    }
    if (names.length === 0 && !types.includes('/')) return { by: 'selector', types };
    throw usageError('name cannot be provided when a selector is specified', [
      'Give names, or a selector.',
    ]);
  }
  if (types === undefined) {
    throw usageError('You must provide one or more resources by argument or filename.', [
      suggested('For example', shellCommand`kubectl gc delete deployment/web`),
      suggested('Or', shellCommand`kubectl gc delete -f web.yaml`),
    ]);
  }
  refuseWrongArguments(args);
  return { by: 'arguments', args };
}

/** The types to list, in kubectl's order, each once; categories such as `all` are spread out. */
export function typesToSelect(
  words: string,
  types: ResourceTypes,
  ended: EndedSelector | undefined,
): ResourceType[] {
  const { targets } = parseArguments([words], types);
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
  const isCategory = (one: string) => types.all.some(({ categories }) => categories.includes(one));
  // kubectl takes names with one type only; a category is several.
  if (names.length > 0 && word.split(',').some(isCategory)) {
    throw usageError('you must specify only one resource', ['Name each object as TYPE/NAME.']);
  }
  const { targets: named, notes } = parseArguments(args, types);
  const targets = named.map((target, position) => {
    if (all && target.name !== undefined && target.type.namespaced) {
      throw usageError('a resource cannot be retrieved by name across all namespaces', [
        'Name its namespace with -n, or leave out the name.',
      ]);
    }
    const advice = 'Name each as TYPE/NAME, or say which with -l or --all.';
    return { ...targetLocation(target, namespace, advice), position };
  });
  // A type may be said twice.
  return { targets, failures: [], notes: [...new Set(notes)] };
}
