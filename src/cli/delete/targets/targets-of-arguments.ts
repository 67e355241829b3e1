import { isGcError, usageError } from '../../../errors.ts';
import type { ResourceType } from '../../../kube/resource-type.ts';
import type { ResourceTypes } from '../../../kube/resource-types.ts';
import type { ParsedTargets } from '../../../kube/type-argument.ts';
import { parseArguments } from '../../argv/parse-arguments.ts';
import type { ResolvedTargets } from './deletion-target.ts';
import type { NamedThings } from './target-arguments.ts';

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
    throw usageError('no-name', 'resource(s) were provided, but no name was specified');
  }
  const notes: string[] = [];
  const typeOf = (word: string): ResourceType => {
    const { targets, notes: told } = parsed(`${word}/x`, types);
    for (const note of told) if (!notes.includes(note)) notes.push(note);
    const [target] = targets;
    if (target) return target.type;
    throw usageError('unknown-type', `the server doesn't have a resource type "${word}"`);
  };
  const pairs =
    named.by === 'pairs'
      ? named.pairs
      : named.names.map((name) => ({ type: onlyType(named.types, types), name }));
  const targets = pairs.map(({ type: word, name }) => {
    const type = typeOf(word);
    if (type.namespaced && namespace === '') {
      throw usageError(
        'name-in-all-namespaces',
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
  if (isCategory) throw usageError('several-types', 'you must specify only one resource');
  return word;
}

/** For an unknown type kubectl names the part before the group. */
function parsed(argument: string, types: ResourceTypes): ParsedTargets {
  try {
    return parseArguments([argument], types);
  } catch (error) {
    if (!isGcError(error) || error.code !== 'unknown-type') throw error;
    const message = error.message.replace(/"([^."]+)\.[^"]*"/, '"$1"');
    throw usageError(error.code, message, ...error.suggestions);
  }
}
