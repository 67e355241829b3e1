import { usageError } from '../errors.ts';
import { didYouMean } from '../kube/names.ts';
import {
  boolean,
  type Declared,
  defaultTo,
  InvalidDocument,
  list,
  map,
  matching,
  nonEmptyText,
  oneOf,
  onlyFields,
  optional,
  orUnset,
  type Schema,
} from '../syntax/document-part.ts';
import { type Severity, severities } from './rule.ts';

export const failLevels = ['error', 'warning', 'never'] as const;
export type FailOn = (typeof failLevels)[number];

/** The configuration that an audit ran with, as its document names it. */
export interface UsedConfiguration {
  readonly path: string;
  /** Rules for such an audit that did not run. */
  readonly skippedRules: readonly string[];
}

const day = matching(
  'a day, as in 2026-12-31',
  (value): value is string => typeof value === 'string' && isDay(value),
);

/** Findings that are accepted until a given day. `*` in a pattern stands for any text. */
export interface AuditException extends Declared<ReturnType<typeof exceptionOf>> {}

function ruleAmong(ruleIds: readonly string[]): Schema<string> {
  return matching(
    'a rule',
    (value): value is string => ruleIds.includes(value as string),
    (value) => (typeof value === 'string' ? didYouMean(value, ruleIds) : []),
  );
}

function exceptionOf(ruleIds: readonly string[]) {
  const exception = onlyFields({
    /** A rule's id; undefined: all rules. */
    rule: orUnset(ruleAmong(ruleIds)),
    kind: orUnset(nonEmptyText),
    namespace: orUnset(nonEmptyText),
    name: orUnset(nonEmptyText),
    reason: nonEmptyText,
    /** The last day on which it applies. */
    expires: day,
  });
  return (value: unknown) => {
    const given = exception(value);
    const { reason: _, expires: __, ...about } = given;
    if (Object.values(about).some((pattern) => pattern !== undefined)) return given;
    throw new InvalidDocument('would except everything: name a rule, kind, namespace or name');
  };
}

const defaults = {
  skipRules: [],
  skipNamespaces: [],
  severities: {},
  allowIncomplete: false,
  exceptions: [],
};

/** What is accepted, by an exception or as a whole namespace; without a last day, it is accepted for good. */
export interface AcceptedFindings extends Omit<AuditException, 'expires'> {
  readonly expires?: string;
}

export function acceptedBy({ exceptions, skipNamespaces }: AuditConfig): AcceptedFindings[] {
  const all = { rule: undefined, kind: undefined, name: undefined };
  const reason = 'skipNamespaces names its namespace';
  return [...exceptions, ...skipNamespaces.map((namespace) => ({ ...all, namespace, reason }))];
}

/** The `audit` part of a `.kubectl-gc.yaml`. */
export interface AuditConfig extends Declared<ReturnType<typeof auditOf>> {}

function auditOf(ruleIds: readonly string[]) {
  const rule = ruleAmong(ruleIds);
  const severity: Schema<Severity> = oneOf(...severities);
  return onlyFields({
    /** Only these rules; undefined: all. */
    onlyRules: orUnset(list(rule)),
    skipRules: defaultTo(defaults.skipRules, list(rule)),
    /** Findings about objects in these namespaces are accepted; `*` stands for any text. */
    skipNamespaces: defaultTo<readonly string[]>(defaults.skipNamespaces, list(nonEmptyText)),
    /** Severities that differ from the rules' own. */
    severities: defaultTo(defaults.severities, map(severity, rule)),
    severity: orUnset(severity),
    failOn: orUnset<FailOn>(oneOf(...failLevels)),
    baseline: orUnset(nonEmptyText),
    allowIncomplete: defaultTo(defaults.allowIncomplete, boolean),
    exceptions: defaultTo(defaults.exceptions, list(exceptionOf(ruleIds))),
  });
}

/** The values without a configuration. */
export const emptyConfig: AuditConfig = {
  ...defaults,
  onlyRules: undefined,
  severity: undefined,
  failOn: undefined,
  baseline: undefined,
};

/**
 * Reads a configuration; an unknown key or value is a usage error, since ignoring it would hide
 * findings silently.
 */
export function parseConfig(value: unknown, ruleIds: readonly string[]): AuditConfig {
  const whole = onlyFields({
    apiVersion: orUnset(oneOf('kubectl-gc/v1')),
    kind: optional((kind: unknown) => kind),
    audit: (audit) => auditOf(ruleIds)(audit ?? {}),
  });
  try {
    return whole(value ?? {}).audit;
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error;
    throw usageError(`the configuration is wrong: ${error.messageAt()}`, [
      ...error.hints,
      'docs/commands/audit.md shows a valid one.',
    ]);
  }
}

/** The id, when there is such a rule; a usage error that names `where` otherwise. */
export function knownRule(id: string, ruleIds: readonly string[], where: string): string {
  if (ruleIds.includes(id)) return id;
  throw usageError(`${where}: unknown rule "${id}"`, [
    ...didYouMean(id, ruleIds),
    '--list-rules shows them all.',
  ]);
}

export function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) &&
    !Number.isNaN(time) &&
    new Date(time).toISOString().startsWith(text)
  );
}
