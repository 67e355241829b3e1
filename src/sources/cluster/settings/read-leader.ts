import type { ClusterClient } from '../../../client/cluster-client.ts';
import { pathWithin } from '../../../kube/object-path.ts';
import { isPathSegment } from '../../../kube/path-segment.ts';
import type { Leader } from '../../../settings/effective/settings-facts.ts';
import type { CoverageProblem } from '../../../snapshot/coverage.ts';
import { askFor } from './ask-for.ts';
import type { ControlPlanePod } from './control-plane-pods.ts';
import { leaderOf, leaseOf } from './leader-of.ts';

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

/** Which of the replicas leads, as the Lease of kube-controller-manager says. */
export async function readLeader(
  client: ClusterClient,
  pods: readonly ControlPlanePod[],
  problems: CoverageProblem[],
): Promise<Leader> {
  const lease = leaseOf(pods);
  if (!lease) return { kind: 'sole' };
  // A flag of the controller manager may hold anything.
  if (![lease.namespace, lease.name].every(isPathSegment)) {
    return leaderOf(pods, undefined, undefined);
  }
  const path = pathWithin(leases, lease.namespace, lease.name);
  const doing = `get Lease ${lease.namespace}/${lease.name}`;
  const answer = await askFor(client, path, doing, 'leases.coordination.k8s.io');
  const leader = leaderOf(pods, answer.body, answer.serverTime);
  // One replica leads, whatever the Lease says.
  if (answer.problem && leader.kind === 'unknown') problems.push(answer.problem);
  return leader;
}
