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
  'guard',
  'events',
  'garbage',
] as const;

/** One question about the garbage collector's own health. */
export interface HealthCheck {
  readonly id: (typeof checkIds)[number];
  /**
   * `failing`: no object is collected because of it. `degraded`: some objects are not, the others are. `warning`: worth
   * knowing.
   */
  readonly state: 'ok' | 'failing' | 'degraded' | 'warning' | 'unknown';
  readonly because: string;
  readonly rule: string;
  readonly evidence: readonly Evidence[];
  readonly next: string;
  /** The command that does or shows it, and what it is for; documents have both at the end of `next`. */
  readonly command?: SuggestedCommand;
  /** What exactly is broken, each with its own chain. */
  readonly links: readonly Link[];
  /** The garbage collector was seen to act: it runs, whatever its leader and its flags do not show. */
  readonly isProof?: true;
  /** kube-controller-manager has no leader. */
  readonly withoutLeader?: true;
  /** Objects that it should have deleted or changed by now. */
  readonly overdue?: number;
  /** Their kinds. */
  readonly overdueKinds?: readonly string[];
  /** Kinds (`configmaps`) or API groups (`metrics.example.com`) of which it does not collect all objects. */
  readonly except?: readonly string[];
}

type HealthDetail =
  | 'rule'
  | 'evidence'
  | 'next'
  | 'command'
  | 'links'
  | 'isProof'
  | 'withoutLeader'
  | 'overdue'
  | 'overdueKinds'
  | 'except';

export function healthCheck(
  id: HealthCheck['id'],
  state: HealthCheck['state'],
  because: string,
  details: Partial<Pick<HealthCheck, HealthDetail>> = {},
): HealthCheck {
  return { id, state, because, rule: '', evidence: [], next: '', links: [], ...details };
}
