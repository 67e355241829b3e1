import { waiverAnnotations } from '../kube/object-record.ts';
import type { AuditFinding } from './audit-finding.ts';
import { type AuditException, isAbout, isDay, isOver } from './exceptions.ts';

/** Why a finding does not count. */
export interface Waiver {
  readonly by: 'annotation' | 'configuration';
  readonly reason: string;
  /** The last day on which it holds; unset: for ever. */
  readonly expires?: string;
}

/** A waiver that has ended, or that nobody can read: the finding counts, and this says why it was not waived. */
export interface LapsedWaiver extends Waiver {
  readonly because: string;
}

export interface Waived {
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
