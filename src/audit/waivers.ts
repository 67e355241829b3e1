import { didYouMean, matchesPattern } from '../kube/names.ts';
import { waiverAnnotations } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { asList, asObject, asText, refuse, refuseOthers } from './config-fields.ts';
import type { AuditFinding } from './finding.ts';

/** Why a finding does not count. */
export interface Waiver {
  readonly by: 'annotation' | 'configuration';
  readonly reason: string;
  /** The last day on which it holds; unset: without end. */
  readonly expires?: string;
}

/**
 * A waiver that has expired or cannot be parsed: the finding counts, and this says why it was not
 * waived.
 */
export interface LapsedWaiver extends Waiver {
  readonly because: string;
}

interface Waived {
  readonly waiver?: Waiver;
  readonly lapsed?: LapsedWaiver;
}

/** Does the object's annotation or an exception of the configuration waive a finding now? */
export function waiverOf(
  finding: AuditFinding,
  exceptions: readonly AuditException[],
  now: number,
): Waived {
  const waivers = [
    ...annotated(finding),
    ...exceptions
      .filter((exception) => isAbout(exception, finding))
      .map(({ reason, expires }): Waiver => ({ by: 'configuration', reason, expires })),
  ];
  let lapsed: LapsedWaiver | undefined;
  for (const waiver of waivers) {
    const because = faultOf(waiver, now);
    if (because === undefined) return { waiver };
    lapsed ??= { ...waiver, because };
  }
  return lapsed ? { lapsed } : {};
}

function annotated({ rule, object }: AuditFinding): Waiver[] {
  const { [waiverAnnotations.rules]: rules } = object.annotations ?? {};
  if (rules === undefined) return [];
  const listed = rules.split(',').map((id) => id.trim());
  if (!listed.includes(rule) && !listed.includes('all')) return [];
  const expires = object.annotations?.[waiverAnnotations.until]?.trim();
  const reason = object.annotations?.[waiverAnnotations.reason] ?? 'no reason given';
  return [{ by: 'annotation', reason, ...(expires !== undefined && { expires }) }];
}

function faultOf({ expires }: Waiver, now: number): string | undefined {
  if (expires === undefined) return undefined;
  if (!isDay(expires)) return `its last day "${expires}" is not a day, as in 2026-12-31`;
  return isOver(expires, now) ? `it ended on ${expires}` : undefined;
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
export function parseExceptions(value: unknown, ruleIds: readonly string[]): AuditException[] {
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

/** Does an exception speak of a finding, whatever the day? */
function isAbout(exception: AuditException, { rule, object }: AuditFinding): boolean {
  const { kind } = exception;
  return (
    (exception.rule === undefined || exception.rule === rule) &&
    (kind === undefined ||
      matchesPattern(kind, object.type.kind) ||
      matchesPattern(kind, groupResourceOf(object.type))) &&
    (exception.namespace === undefined || matchesPattern(exception.namespace, object.namespace)) &&
    (exception.name === undefined || matchesPattern(exception.name, object.name))
  );
}

/** The day ends at midnight in UTC. */
function isOver(expires: string, now: number): boolean {
  return now >= Date.parse(`${expires}T00:00:00Z`) + 86_400_000;
}

function isDay(text: string): boolean {
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
