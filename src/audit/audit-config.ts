import { usageError } from '../errors.ts';
import { jsonOf } from '../kube/json-value.ts';
import { didYouMean, nearestName } from '../kube/names.ts';
import { type Severity, severities } from './rule.ts';

export const failLevels = ['error', 'warning', 'never'] as const;
export type FailOn = (typeof failLevels)[number];

/** The `audit` part of a `.kubectl-gc.yaml`. */
export interface AuditConfig {
  /** Only these rules; undefined: all. */
  readonly onlyRules: readonly string[] | undefined;
  readonly skipRules: readonly string[];
  /** Severities that differ from the rules' own. */
  readonly severities: Readonly<Record<string, Severity>>;
  readonly severity: Severity | undefined;
  readonly failOn: FailOn | undefined;
  readonly baseline: string | undefined;
  readonly allowIncomplete: boolean;
  readonly exceptions: readonly AuditException[];
}

/** The configuration that an audit ran with, as its document names it. */
export interface UsedConfiguration {
  readonly path: string;
  /** Rules for such an audit that did not run. */
  readonly skippedRules: readonly string[];
}

export const emptyConfig: AuditConfig = {
  onlyRules: undefined,
  skipRules: [],
  severities: {},
  severity: undefined,
  failOn: undefined,
  baseline: undefined,
  allowIncomplete: false,
  exceptions: [],
};

const keys = [
  'onlyRules',
  'skipRules',
  'severities',
  'severity',
  'failOn',
  'baseline',
  'allowIncomplete',
  'exceptions',
];

/**
 * Reads a configuration; an unknown key or value is a usage error, since ignoring it would hide
 * findings silently.
 */
export function parseConfig(value: unknown, ruleIds: readonly string[]): AuditConfig {
  if (value === null || value === undefined) return emptyConfig;
  const whole = asObject(value, 'the configuration');
  refuseOthers(whole, ['apiVersion', 'kind', 'audit'], '');
  if (whole.apiVersion !== undefined && whole.apiVersion !== 'kubectl-gc/v1') {
    refuse(`apiVersion is ${JSON.stringify(whole.apiVersion)}, not kubectl-gc/v1`);
  }
  if (whole.audit === undefined || whole.audit === null) return emptyConfig;
  const audit = asObject(whole.audit, 'audit');
  refuseOthers(audit, keys, 'audit.');
  const rules = (at: string): string[] | undefined =>
    audit[at] === undefined
      ? undefined
      : asList(audit[at], `audit.${at}`).map((id) =>
          knownRule(asText(id, `audit.${at}`), ruleIds, `audit.${at}`),
        );
  const { allowIncomplete = false } = audit;
  if (typeof allowIncomplete !== 'boolean') refuse('audit.allowIncomplete is not true or false');
  return {
    onlyRules: rules('onlyRules'),
    skipRules: rules('skipRules') ?? [],
    severities: severitiesOf(audit.severities, ruleIds),
    severity: audit.severity === undefined ? undefined : oneOf(audit, 'severity', severities),
    failOn: audit.failOn === undefined ? undefined : oneOf(audit, 'failOn', failLevels),
    baseline: audit.baseline === undefined ? undefined : asText(audit.baseline, 'audit.baseline'),
    allowIncomplete: allowIncomplete === true,
    exceptions: parseExceptions(audit.exceptions ?? [], ruleIds),
  };
}

/** The id, when there is such a rule; a usage error that names `where` otherwise. */
export function knownRule(id: string, ruleIds: readonly string[], where: string): string {
  if (ruleIds.includes(id)) return id;
  const near = nearestRule(id, ruleIds);
  throw usageError(`${where}: there is no rule "${id}"`, [
    near === undefined
      ? '--list-rules shows them all.'
      : `Did you mean ${near}? --list-rules shows them all.`,
  ]);
}

/** The rule that was probably meant: one that is spelt alike, or the first one with a word of it. */
function nearestRule(id: string, ruleIds: readonly string[]): string | undefined {
  const alike = nearestName(id, ruleIds);
  return alike ?? ruleIds.find((rule) => id.length > 2 && rule.includes(id));
}

function severitiesOf(value: unknown, ruleIds: readonly string[]): Record<string, Severity> {
  if (value === undefined) return {};
  const given = asObject(value, 'audit.severities');
  const entries = Object.keys(given).map((id): [string, Severity] => [
    knownRule(id, ruleIds, 'audit.severities'),
    oneOf(given, id, severities),
  ]);
  return Object.fromEntries(entries);
}

function oneOf<T extends string>(
  from: Readonly<Record<string, unknown>>,
  key: string,
  allowed: readonly T[],
): T {
  const found = allowed.find((known) => known === from[key]);
  return (
    found ?? refuse(`${key} is ${JSON.stringify(from[key])}, not one of ${allowed.join(', ')}`)
  );
}

/** Findings that are accepted until a given day. `*` in a pattern stands for any text. */
export interface AuditException {
  /** A rule's id; undefined: all rules. */
  readonly rule: string | undefined;
  readonly kind: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly reason: string;
  /** The last day on which it holds, `2026-12-31`. */
  readonly expires: string;
}

const patterns = ['kind', 'namespace', 'name'] as const;

/** Reads `audit.exceptions`: each names something, a reason and a last day. */
function parseExceptions(value: unknown, ruleIds: readonly string[]): AuditException[] {
  return asList(value, 'audit.exceptions').map((entry, index) => {
    const where = `audit.exceptions[${index}]`;
    const given = asObject(entry, where);
    refuseOthers(given, ['rule', ...patterns, 'reason', 'expires'], `${where}.`);
    const text = (key: string) =>
      given[key] === undefined ? undefined : asText(given[key], `${where}.${key}`);
    const rule = text('rule');
    if (rule !== undefined && !ruleIds.includes(rule)) {
      refuse(`${where}.rule: there is no rule "${rule}"`, didYouMean(rule, ruleIds));
    }
    if (rule === undefined && patterns.every((key) => given[key] === undefined)) {
      refuse(`${where} would except everything: name a rule, kind, namespace or name`);
    }
    return {
      rule,
      kind: text('kind'),
      namespace: text('namespace'),
      name: text('name'),
      reason: asText(given.reason, `${where}.reason`),
      expires: dayOf(asText(given.expires, `${where}.expires`), `${where}.expires`),
    };
  });
}

export function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) &&
    !Number.isNaN(time) &&
    new Date(time).toISOString().startsWith(text)
  );
}

function dayOf(text: string, where: string): string {
  return isDay(text) ? text : refuse(`${where} "${text}" is not a day, as in 2026-12-31`);
}

function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  return jsonOf(value) ?? refuse(`${what} is not a map of keys and values`);
}

function asList(value: unknown, what: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(`${what} is not a list`);
}

function asText(value: unknown, what: string): string {
  return typeof value === 'string' && value.trim() !== ''
    ? value
    : refuse(`${what} is not a string`);
}

/** A misspelt key would be ignored silently, and with it what it should have done. */
function refuseOthers(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  prefix: string,
): void {
  const other = Object.keys(value).find((key) => !known.includes(key));
  if (other !== undefined) {
    const why = `there is no key ${prefix}${other}; known are ${known.join(', ')}`;
    refuse(why, didYouMean(other, known));
  }
}

function refuse(why: string, hints: readonly string[] = []): never {
  throw usageError(`the configuration is wrong: ${why}`, [
    ...hints,
    'docs/commands/audit.md shows a valid one.',
  ]);
}
