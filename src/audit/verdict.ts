import type { Severity } from '../rules/audit-rule.ts';
import type { FailOn } from './audit-config.ts';
import { isAtLeast } from './audit-finding.ts';

/** `failed`: findings that count; `incomplete`: none, but not everything was seen; `passed`: neither. */
export type Verdict = 'failed' | 'incomplete' | 'passed';

export interface ToJudge {
  /** Of the findings that are neither waived nor in the baseline. */
  readonly severities: readonly Severity[];
  readonly complete: boolean;
  readonly failOn: FailOn;
  readonly allowIncomplete: boolean;
}

export function verdictOf({ severities, complete, failOn, allowIncomplete }: ToJudge): Verdict {
  if (failOn !== 'never' && severities.some((severity) => isAtLeast(severity, failOn))) {
    return 'failed';
  }
  return complete || allowIncomplete ? 'passed' : 'incomplete';
}
