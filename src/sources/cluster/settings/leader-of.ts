import type { Leader } from '../../../settings/effective/settings-facts.ts';
import { type Fields, fieldsOf, numberOf, textOf } from '../../node/json-fields.ts';
import type { ControlPlanePod } from './control-plane-pods.ts';

export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** Where the replicas of kube-controller-manager agree who leads; undefined without replicas. */
export function leaseOf(pods: readonly ControlPlanePod[]): LeaseName | undefined {
  const [first] = replicasIn(pods);
  if (!first) return undefined;
  const flag = (name: string, fallback: string) =>
    first.program.commandLine?.flags.get(name)?.at(-1)?.text ?? fallback;
  return {
    namespace: flag('leader-elect-resource-namespace', 'kube-system'),
    name: flag('leader-elect-resource-name', 'kube-controller-manager'),
  };
}

/** Which of the replicas leads; `lease` undefined: it could not be read. `now`: RFC 3339. */
export function leaderOf(
  pods: readonly ControlPlanePod[],
  lease: Fields | undefined,
  now: string | undefined,
): Leader {
  const replicas = replicasIn(pods);
  const at = leaseOf(pods);
  if (!at) return { kind: 'sole' };
  const written = `Lease ${at.namespace}/${at.name}`;
  const unless = (because: string): Leader =>
    replicas.length === 1 ? { kind: 'sole' } : { kind: 'unknown', because };
  if (!lease) return unless(`${written} could not be read`);
  const spec = fieldsOf(lease.spec);
  const holder = textOf(spec.holderIdentity);
  if (holder === '') return unless(`${written} names no leader`);
  // The host's name, and an id that tells its processes apart.
  const host = holder.replace(/_[^_]*$/, '');
  const leader = replicas.find(({ hosts }) => hosts.some((one) => isSameHost(one, host)));
  if (leader) return { kind: 'known', instance: leader.program.instance, lease: written };
  const until =
    Date.parse(textOf(spec.renewTime)) + (numberOf(spec.leaseDurationSeconds) ?? 0) * 1000;
  if (now !== undefined && until < Date.parse(now)) return unless(`${written} has expired`);
  const because = `${written} names ${host}, of which no pod was seen`;
  return { kind: 'unknown', because, elsewhere: true };
}

function replicasIn(pods: readonly ControlPlanePod[]): readonly ControlPlanePod[] {
  return pods.filter(({ program }) => program.component === 'kube-controller-manager');
}

/** A host may be named with its domain or without. */
function isSameHost(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}
