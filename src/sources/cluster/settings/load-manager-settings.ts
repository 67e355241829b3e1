import type { ClusterClient } from '../../../client/cluster-client.ts';
import type { SettingsFacts } from '../../../settings/effective/settings-facts.ts';
import type { CoverageProblem } from '../../../snapshot/coverage.ts';
import { askForList } from './ask-for.ts';
import { controlPlanePodsIn } from './control-plane-pods.ts';
import { readLeader } from './read-leader.ts';

const component = 'kube-controller-manager' as const;

/** Reads the settings of kube-controller-manager alone; no kubelet is asked. Without its pod it has no programs. */
export async function loadManagerSettings(
  client: ClusterClient,
  serverVersion: string | undefined,
): Promise<SettingsFacts> {
  const problems: CoverageProblem[] = [];
  const selector = encodeURIComponent(`component=${component}`);
  const path = `/api/v1/namespaces/kube-system/pods?labelSelector=${selector}`;
  const answer = await askForList(client, path, `list pods of ${component}`, 'pods');
  if (answer.problem) problems.push(answer.problem);
  const pods = (answer.body?.items ?? [])
    .flatMap((pod) => controlPlanePodsIn(pod, serverVersion))
    .filter(({ program }) => program.component === component);
  const leader = await readLeader(client, pods, problems);
  const programs = pods.map(({ program }) => program);
  const observedAt = answer.serverTime ?? new Date().toISOString();
  return { observedAt, serverVersion, components: [component], programs, leader, problems };
}
