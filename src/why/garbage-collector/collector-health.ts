import type { Canary } from '../ask/canary.ts';
import type { HealthCheck } from './health-check.ts';

/**
 * `works-except`: it collects, except for objects of some kinds. `unknown`: no fault was found, and not all evidence
 * that it works could be read.
 */
export type CollectorState = 'works' | 'works-except' | 'does-not-work' | 'unknown';

/** The one judgement of the garbage collector's health, from what each check has shown. */
export interface CollectorHealth {
  readonly health: CollectorState;
  readonly because: string;
  /** Kinds or API groups of which it does not collect all objects. */
  readonly except?: readonly string[];
  /** Objects that it should have deleted or changed by now. */
  readonly overdue?: number;
  /** kube-controller-manager has no leader: none of its controllers runs. */
  readonly withoutLeader?: true;
}

/** Why a controller does not do to objects of a kind what it should, as the health shows; undefined where nothing shows that. */
export function hindranceOf(
  { health, because, except = [], withoutLeader }: CollectorHealth,
  kind: string | undefined,
  isCollector: boolean,
): string | undefined {
  if (withoutLeader) return 'kube-controller-manager has no leader';
  if (!isCollector) return undefined;
  if (health === 'does-not-work') return because;
  return kind !== undefined && except.some((one) => namesKind(kind, one))
    ? `the garbage collector works, except for ${kind}`
    : undefined;
}

/** Should it have deleted or changed objects by now? While it works, it gets to those that wait for it. */
export function isOverdue(
  health: Pick<CollectorHealth, 'health' | 'overdue'> | undefined,
): boolean {
  return health?.overdue !== undefined && health.health !== 'works';
}

/** Is a kind meant by the name of a kind or of an API group? */
function namesKind(kind: string, named: string): boolean {
  return kind === named || kind.endsWith(`.${named}`);
}

/** Is all that is overdue of kinds of which it does not collect all objects? */
export function isExplainedBy(
  { overdueKinds }: Pick<HealthCheck, 'overdueKinds'>,
  except: readonly string[],
): boolean {
  return overdueKinds?.every((kind) => except.some((one) => namesKind(kind, one))) ?? false;
}

export function collectorHealthOf(
  checks: readonly HealthCheck[],
  canary?: Canary,
): CollectorHealth {
  const isSeen = canary?.state === 'collected' || checks.some(({ isProof }) => isProof);
  const except = [...new Set(checks.flatMap((check) => check.except ?? []))].sort();
  const counted = checks.filter(
    // What it was seen to do outweighs what its leader and its flags do not show.
    ({ id, state }) => !(isSeen && id === 'leader' && state === 'unknown'),
  );
  const firstOf = (state: HealthCheck['state']) => counted.find((check) => check.state === state);
  // What should have been collected says more than what a check could not read.
  const overdue = checks.find((check) => check.overdue !== undefined);
  const shared = {
    ...(except.length > 0 && { except }),
    ...(overdue?.overdue !== undefined && { overdue: overdue.overdue }),
    ...(checks.some(({ withoutLeader }) => withoutLeader) && { withoutLeader: true as const }),
  };
  const failing = firstOf('failing');
  if (failing) return { health: 'does-not-work', because: failing.because, ...shared };
  if (canary?.state === 'not-collected') {
    return { health: 'does-not-work', because: canary.because, ...shared };
  }
  // Garbage of a kind that is refused or not seen stays, while all else is collected.
  const isExplained = overdue !== undefined && isExplainedBy(overdue, except);
  const unknown = [
    ...(overdue?.state === 'unknown' ? [overdue] : []),
    ...counted.filter(({ state }) => state === 'unknown'),
  ].find((check) => check !== overdue || !isExplained);
  const degraded = firstOf('degraded');
  if (unknown) {
    const because = [unknown, degraded].flatMap((check) => check?.because ?? []).join('; ');
    return { health: 'unknown', because, ...shared };
  }
  if (degraded) return { health: 'works-except', because: degraded.because, ...shared };
  return { health: 'works', because: 'nothing keeps it from collecting', ...shared };
}
