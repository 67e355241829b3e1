import { usageError } from '../errors.ts';
import { distance, refuseInvalid } from '../kube/names.ts';
import { groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import { shellCommand, suggested } from './shell-command.ts';

/** One object or, without a name, one kind that a user asked for. */
export interface Target {
  readonly type: ResourceType;
  readonly name: string | undefined;
}

export interface ParsedTargets {
  readonly targets: readonly Target[];
  /** Remarks for stderr, such as a short name that several kinds share. */
  readonly notes: readonly string[];
}

/**
 * Reads `TYPE/NAME…`, `TYPE NAME…`, `a,b x y` as kubectl's resource builder does: the product of
 * types and names in argument order, or one pair per `TYPE/NAME`.
 */
export function parseTargets(args: readonly string[], types: ResourceTypes): ParsedTargets {
  refuseWrongArguments(args);
  const notes: string[] = [];
  const resolve = (word: string) => resolveType(word, types, notes);
  if (args.some(isPair)) {
    const targets = args.map((arg) => {
      const [word = '', name] = arg.split('/');
      return { type: resolve(word), name };
    });
    return { notes, targets };
  }
  const [first, ...names] = args;
  if (first === undefined) return { targets: [], notes };
  const words = [...new Set(first.split(','))];
  const wanted = words.flatMap((word) => expandCategory(word, types) ?? [resolve(word)]);
  const targets =
    names.length === 0
      ? wanted.map((type) => ({ type, name: undefined }))
      : wanted.flatMap((type) => names.map((name) => ({ type, name })));
  return { targets, notes };
}

/**
 * Throws for arguments that name nothing on any server, such as a name that no path can hold. It needs no types, so that
 * they are reported before any request.
 */
export function refuseWrongArguments(args: readonly string[]): void {
  const [, ...names] = args;
  if (!args.some(isPair)) {
    for (const name of names) refuseInvalid('resource name', name);
    return;
  }
  const odd = args.find((arg) => !isPair(arg));
  if (odd !== undefined) {
    throw usageError(
      `there is no need to specify a resource type as a separate argument when passing arguments in resource/name form: ${odd}`,
      ['Write every object as TYPE/NAME, or one TYPE followed by names.'],
    );
  }
  for (const arg of args) refuseWrongPair(arg);
}

function isPair(arg: string): boolean {
  return arg.includes('/');
}

function refuseWrongPair(pair: string): void {
  const [word = '', name = '', ...rest] = pair.split('/');
  if (word === '' || name === '' || word.includes(',') || rest.length > 0) {
    throw usageError(
      rest.length > 0
        ? `arguments in resource/name form may not have more than one slash: ${pair}`
        : `arguments in resource/name form must have a single resource and name: ${pair}`,
      ['Write TYPE/NAME, for example deployment/web.'],
    );
  }
  refuseInvalid('resource name', name);
}

/** `all` and other categories that discovery names; they come before types of the same name. */
function expandCategory(word: string, types: ResourceTypes): ResourceType[] | undefined {
  const members = types.preferred().filter((type) => type.categories.includes(word));
  return members.length > 0 ? members : undefined;
}

function resolveType(word: string, types: ResourceTypes, notes: string[]): ResourceType {
  const found = matches(word, types);
  const [first] = found;
  if (!first) {
    const near = nearest(word, types);
    const list = types.exhaustive
      ? suggested('See', shellCommand`kubectl api-resources`)
      : suggested('List the content of the input', shellCommand`kubectl gc snapshot info FILE`);
    throw usageError(
      `${types.exhaustive ? 'the server' : 'the input'} doesn't have a resource type "${word}"`,
      [near.length > 0 ? `Did you mean ${near.join(' or ')}?` : list],
      'unknown-type',
    );
  }
  const others = [...new Set(found.slice(1).map(groupResourceOf))].filter(
    (name) => name !== groupResourceOf(first),
  );
  if (others.length > 0) {
    notes.push(
      `"${word}" names ${others.length + 1} kinds; ${groupResourceOf(first)} was taken, as kubectl would. The others: ${others.join(', ')}`,
    );
  }
  return first;
}

/** Types that a word names, best first: `deploy`, `Deployment`, `deployments.apps`, `deployment.v1.apps`. */
function matches(word: string, types: ResourceTypes): ResourceType[] {
  const [name = '', ...suffix] = word.toLowerCase().split('.');
  const named = types.all.filter((type) => namesType(type, name));
  if (suffix.length > 0) {
    const [version, ...rest] = suffix;
    // kubectl forgets the version of a short name.
    const exact = named.filter(
      (type) =>
        rest.length > 0 &&
        type.group === rest.join('.') &&
        (type.version === version || type.shortNames.includes(name)),
    );
    if (exact.length > 0) return exact;
    const wanted = suffix.join('.');
    const inGroup = named.filter((type) => type.group === wanted);
    // `ingress.networking` is enough for networking.k8s.io.
    return inGroup.length > 0 ? inGroup : named.filter((type) => type.group.startsWith(wanted));
  }
  const full = named.filter((type) => !type.shortNames.includes(name));
  return full.length > 0 ? full : named;
}

function namesType(type: ResourceType, name: string): boolean {
  return (
    type.resource === name ||
    type.singular === name ||
    type.kind.toLowerCase() === name ||
    type.shortNames.includes(name)
  );
}

function nearest(word: string, types: ResourceTypes): string[] {
  const name = word.toLowerCase().split('.')[0] ?? '';
  const close = types
    .preferred()
    .map((type) => ({
      type,
      off: Math.min(distance(name, type.resource), distance(name, type.kind.toLowerCase())),
    }))
    .filter(({ off }) => off <= Math.max(1, Math.floor(name.length / 4)));
  return close
    .sort((a, b) => a.off - b.off)
    .slice(0, 2)
    .map(({ type }) => groupResourceOf(type));
}
