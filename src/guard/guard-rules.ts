import { usageError } from '../errors.ts';
import { matchesPattern } from '../kube/names.ts';
import {
  count,
  type Declared,
  InvalidDocument,
  list,
  nonEmptyText,
  oneOf,
  onlyFields,
  orUnset,
} from '../syntax/document-part.ts';
import type { Judgement } from './judgement.ts';

/** What a rule is about. */
const subjects = [
  'many-objects',
  'namespace',
  'definition-with-instances',
  'volume-data',
  'protected',
  'program-before-objects',
] as const;
type Subject = (typeof subjects)[number];

const rule = onlyFields({
  /** Used in refusals, audit logs and metrics. */
  name: nonEmptyText,
  /** Which deletions it is about. */
  when: oneOf(...subjects),
  /** Of `many-objects`: how many objects may be deleted, the one that is asked for included. */
  moreThan: orUnset(count),
  /** `warn`: say so. `deny`: refuse the deletion, unless it is approved. */
  action: oneOf('warn', 'deny'),
  /** Namespaces of the object, or its own name where it is one; `*` stands for any text. Undefined: all, and objects in none. */
  namespaces: orUnset(list(nonEmptyText)),
  /** Names of users; `*` stands for any text. Undefined: all. */
  users: orUnset(list(nonEmptyText)),
  /** Users whom it is not about. */
  exceptUsers: orUnset(list(nonEmptyText)),
});

const rules = onlyFields({
  apiVersion: oneOf('kubectl-gc/v1'),
  kind: oneOf('GuardRules'),
  rules: list(rule),
});

/** The rules of a guard. */
export interface GuardRules extends Declared<typeof rules> {}

export type GuardRule = GuardRules['rules'][number];

export const noRules: GuardRules = { apiVersion: 'kubectl-gc/v1', kind: 'GuardRules', rules: [] };

/** Reads rules; what is not known is a usage error, since ignoring it would let deletions pass. `where` names the file. */
export function parseGuardRules(value: unknown, where: string): GuardRules {
  try {
    const read = rules(value);
    for (const [at, { when, moreThan }] of read.rules.entries()) {
      if ((when === 'many-objects') === (moreThan !== undefined)) continue;
      const misfit = new InvalidDocument(
        when === 'many-objects' ? 'is missing' : 'is for many-objects alone',
      );
      misfit.place = `.rules[${at}].moreThan`;
      throw misfit;
    }
    return read;
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error;
    throw usageError(`the rules of ${where} are wrong: ${error.messageAt()}`, [
      ...error.hints,
      'docs/guard.md shows valid ones.',
    ]);
  }
}

/** Who deletes what, as rules select it. */
export interface Deleter {
  readonly user: string;
  /** The namespace of the object, or its name where it is a Namespace; empty: none. */
  readonly namespace: string;
}

/** The rules that a deletion breaks. */
export function brokenRules(
  { rules: all }: GuardRules,
  by: Deleter,
  judgement: Judgement,
): GuardRule[] {
  return all.filter((one) => isAbout(one, by) && breaks[one.when](judgement, one));
}

function isAbout({ namespaces, users, exceptUsers }: GuardRule, by: Deleter): boolean {
  return (
    (namespaces === undefined || matchesAny(namespaces, by.namespace)) &&
    (users === undefined || matchesAny(users, by.user)) &&
    !matchesAny(exceptUsers ?? [], by.user)
  );
}

const breaks: Readonly<Record<Subject, (judgement: Judgement, rule: GuardRule) => boolean>> = {
  'many-objects': ({ objects }, { moreThan = 0 }) => objects > moreThan,
  namespace: ({ isNamespace }) => isNamespace,
  'definition-with-instances': ({ instances }) => instances > 0,
  'volume-data': ({ losesVolumes }) => losesVolumes,
  protected: ({ protectedObject }) => protectedObject !== undefined,
  'program-before-objects': ({ leavesWithoutProgram }) => leavesWithoutProgram,
};

/** Why a deletion breaks a rule, in words that follow `refused: `. */
export function reasonOf({ when, moreThan }: GuardRule, judgement: Judgement): string {
  switch (when) {
    case 'many-objects':
      return `${judgement.objects} objects would be deleted, and ${moreThan} are allowed`;
    case 'namespace':
      return 'it is a Namespace';
    case 'definition-with-instances':
      return `${judgement.instances} instances would be deleted with their CustomResourceDefinition`;
    case 'volume-data':
      return 'the data of volumes would be lost';
    case 'protected':
      return `${judgement.protectedObject} is protected`;
    case 'program-before-objects':
      return 'it removes the finalizers of objects that remain';
  }
}

function matchesAny(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matchesPattern(pattern, text));
}
