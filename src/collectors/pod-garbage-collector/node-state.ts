import type { ObjectRecord } from '../../kube/object-record.ts';

const outOfServiceTaint = 'node.kubernetes.io/out-of-service';

/** The first condition of type Ready counts; without one a node is not ready (PG-10). */
export function isReady({ facts }: ObjectRecord): boolean {
  return facts?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}

export function isOutOfService({ facts }: ObjectRecord): boolean {
  return facts?.taints?.some(({ key }) => key === outOfServiceTaint) ?? false;
}
