import type { Evidence } from './evidence.ts';
import type { Link } from './link.ts';

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

/** One question about the collector's own health. */
export interface CollectorCheck {
  readonly id: (typeof checkIds)[number];
  /** `failing`: objects are not collected because of it. `warning`: worth knowing. */
  readonly state: 'ok' | 'failing' | 'warning' | 'unknown';
  readonly because: string;
  readonly rule: string;
  readonly evidence: readonly Evidence[];
  readonly next: string;
  /** What exactly is broken, each with its own chain. */
  readonly links: readonly Link[];
}

export function check(
  id: CollectorCheck['id'],
  state: CollectorCheck['state'],
  because: string,
  details: Partial<Pick<CollectorCheck, 'rule' | 'evidence' | 'next' | 'links'>> = {},
): CollectorCheck {
  return { id, state, because, rule: '', evidence: [], next: '', links: [], ...details };
}
