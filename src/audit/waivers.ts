import { waiverAnnotations } from '../kube/facts/kept-annotations.ts';
import { matchesPattern } from '../kube/names.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { type AcceptedFindings, isDay } from './audit-config.ts';
import type { AuditFinding } from './rule.ts';

/** Why a finding does not count. */
export interface Waiver {
  readonly by: 'annotation' | 'configuration';
  readonly reason: string;
  /** The last day on which it applies; unset: without end. */
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
  exceptions: readonly AcceptedFindings[],
  now: number,
): Waived {
  const waivers = [
    ...annotated(finding),
    ...exceptions
      .filter((exception) => isCovered(exception, finding))
      .map(
        ({ reason, expires }): Waiver => ({
          by: 'configuration',
          reason,
          ...(expires !== undefined && { expires }),
        }),
      ),
  ];
  let lapsed: LapsedWaiver | undefined;
  for (const waiver of waivers) {
    const because = expiryFault(waiver, now);
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

function expiryFault({ expires }: Waiver, now: number): string | undefined {
  if (expires === undefined) return undefined;
  if (!isDay(expires)) return `its last day "${expires}" is not a day, as in 2026-12-31`;
  return isOver(expires, now) ? `it ended on ${expires}` : undefined;
}

/** Does an exception speak of a finding, whatever the day? */
function isCovered(exception: AcceptedFindings, { rule, object }: AuditFinding): boolean {
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
