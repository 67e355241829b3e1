import type { SuggestedCommand } from '../../errors.ts';
import type { Link } from '../chain.ts';
import type { Evidence } from '../inquiry.ts';

export const checkIds = [
  'leader',
  'discovery',
  'api-services',
  'kinds',
  'conversion-webhooks',
  'permissions',
  'admission',
  'events',
] as const;

/** One question about the garbage collector's own health. */
export interface HealthCheck {
  readonly id: (typeof checkIds)[number];
  /** `failing`: objects are not collected because of it. `warning`: worth knowing. */
  readonly state: 'ok' | 'failing' | 'warning' | 'unknown';
  readonly because: string;
  readonly rule: string;
  readonly evidence: readonly Evidence[];
  readonly next: string;
  /** The command that does or shows it, and what it is for; documents have both at the end of `next`. */
  readonly command?: SuggestedCommand;
  /** What exactly is broken, each with its own chain. */
  readonly links: readonly Link[];
}

export function healthCheck(
  id: HealthCheck['id'],
  state: HealthCheck['state'],
  because: string,
  details: Partial<Pick<HealthCheck, 'rule' | 'evidence' | 'next' | 'command' | 'links'>> = {},
): HealthCheck {
  return { id, state, because, rule: '', evidence: [], next: '', links: [], ...details };
}
