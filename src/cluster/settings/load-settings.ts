import { errorMessage, GcError } from '../../errors.ts';
import { firstOf } from '../../kube/counts-by-kind.ts';
import { fieldsOf, type Json, textOrEmpty } from '../../kube/json-value.ts';
import { managerLease } from '../../kube/leader-lease.ts';
import { compareText, refuseInvalid } from '../../kube/names.ts';
import { validateKubeletConfiguration } from '../../kubelet/configuration/validate-configuration.ts';
import {
  type ControlPlanePod,
  controlPlanePodsIn,
  leaderOf,
} from '../../settings/control-plane-pods.ts';
import {
  kubeletsNotAsked,
  type Leader,
  type ProgramFacts,
  type SettingsFacts,
} from '../../settings/settings-facts.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { pathWithin } from '../api-path.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { inParallel } from '../in-parallel.ts';
import { aList, anObject, askFor, askForAll, askKubelet, configz, noSuchNodes } from './ask-for.ts';

const manager = 'kube-controller-manager' as const;

export interface LoadSettingsOptions {
  /** Nodes whose kubelets are asked; undefined: all. */
  readonly nodes?: readonly string[] | undefined;
  readonly selector?: string | undefined;
  /** False: kubelets are not asked, which takes a request for each. */
  readonly kubelets?: boolean | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Reads the settings of a cluster's control plane and kubelets, as far as they can be seen. */
export async function loadSettings(
  client: ClusterClient,
  options: LoadSettingsOptions = {},
): Promise<SettingsFacts> {
  for (const name of options.nodes ?? []) refuseInvalid('resource name', name);
  const problems: CoverageProblem[] = [];
  // Without any answer there is nothing to say: this one has to succeed.
  const version = await askFor(
    client,
    '/version',
    'ask the API server for its version',
    'version',
    anObject,
  );
  if (version.problem && version.status === undefined) {
    throw new GcError(version.problem.message, {
      code: 'no-api-server',
      suggestions: ['Check the kubeconfig and the context: kubectl version'],
    });
  }
  if (version.problem) problems.push(version.problem);
  const serverVersion = textOrEmpty(version.body?.gitVersion) || undefined;
  const pods = await readPods(client, serverVersion, problems);
  const leader = await readLeader(client, pods, problems);
  const asksKubelets = options.kubelets ?? true;
  const nodes = asksKubelets ? await listNodes(client, options, problems) : [];
  const kubelets = await readKubelets(client, nodes, problems, options.onProgress);
  if (!asksKubelets) problems.push({ reason: 'truncated', message: kubeletsNotAsked });
  return {
    observedAt: version.serverTime ?? new Date().toISOString(),
    serverVersion,
    components: ['kube-controller-manager', 'kube-apiserver', 'kubelet'],
    programs: [...pods.map(({ program }) => program), ...kubelets],
    leader,
    problems,
  };
}

async function readPods(
  client: ClusterClient,
  serverVersion: string | undefined,
  problems: CoverageProblem[],
): Promise<ControlPlanePod[]> {
  const path = '/api/v1/namespaces/kube-system/pods?limit=500';
  const doing = 'list pods in kube-system';
  const { items, problem } = await askForAll(client, path, doing, 'pods');
  if (problem) problems.push(problem);
  const pods = items.flatMap((pod) => controlPlanePodsIn(pod, serverVersion));
  if (!problem && !pods.some(({ program }) => program.component === manager)) {
    const message = `no pod of ${manager} was found in kube-system: its settings are unknown`;
    problems.push({ reason: 'unavailable', message, resource: 'pods', namespace: 'kube-system' });
  }
  return pods.sort((a, b) => (a.program.instance < b.program.instance ? -1 : 1));
}

async function listNodes(
  client: ClusterClient,
  { nodes, selector }: LoadSettingsOptions,
  problems: CoverageProblem[],
): Promise<readonly Json[]> {
  const query = selector ? `&labelSelector=${encodeURIComponent(selector)}` : '';
  const path = `/api/v1/nodes?limit=500${query}`;
  const { items, problem } = await askForAll(client, path, 'list nodes', 'nodes');
  if (problem) problems.push(problem);
  if (nodes === undefined || nodes.length === 0) return items;
  // A user who may not list nodes may still ask the kubelet of one.
  if (problem) return nodes.map((name) => ({ metadata: { name } }));
  const known = new Set(items.map(({ metadata }) => metadata.name));
  const missing = nodes.filter((name) => !known.has(name));
  if (missing.length > 0) throw noSuchNodes(missing);
  return items.filter(({ metadata }) => nodes.includes(String(metadata.name)));
}

const nodesAtOnce = 8;

interface Fault {
  readonly node: string;
  readonly problem: CoverageProblem;
  readonly why: string;
}

/** Asks the kubelets of nodes for their settings, through the API server. */
async function readKubelets(
  client: ClusterClient,
  nodes: readonly Json[],
  problems: CoverageProblem[],
  onProgress?: (done: number, total: number) => void,
): Promise<ProgramFacts[]> {
  const faults: Fault[] = [];
  let done = 0;
  const programs = await inParallel(nodes, nodesAtOnce, async (object) => {
    const node = textOrEmpty(fieldsOf(object.metadata).name);
    const { body, problem, error } = await askKubelet(client, node, 'configz', configz);
    if (problem) faults.push({ node, problem, why: errorMessage(error) });
    done += 1;
    onProgress?.(done, nodes.length);
    const { kubeletVersion } = fieldsOf(fieldsOf(object.status).nodeInfo);
    return programOf(node, textOrEmpty(kubeletVersion), body);
  });
  // Which answers first differs from one reading to the next.
  problems.push(...problemsByCause(faults.sort((a, b) => compareText(a.node, b.node))));
  return programs;
}

function programOf(node: string, version: string, fields: Json | undefined): ProgramFacts {
  return {
    component: 'kubelet',
    instance: node,
    readFrom: fields === undefined ? `kubelet of node ${node}` : `/configz of node ${node}`,
    version: version || undefined,
    ...(fields !== undefined && {
      configuration: {
        source: 'configz',
        fields,
        problems: validateKubeletConfiguration(fields).problems,
      },
    }),
  };
}

const shownNodes = 3;

/** One problem for all nodes that answer the same: thousands of lines would say no more. */
function problemsByCause(faults: readonly Fault[]): CoverageProblem[] {
  const groups = Map.groupBy(faults, ({ node, problem, why }) =>
    [problem.reason, why.replaceAll(node, '')].join(' '),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const names = group.map(({ node }) => node);
    const whose = `${names.length > shownNodes ? 'nodes' : 'node'} ${firstOf(names, shownNodes)}`;
    const { problem, why } = first;
    const advice = problem.reason === 'forbidden' ? '; reading it needs "get" on nodes/proxy' : '';
    const message = `cannot ask the kubelet of ${whose} for /configz: ${why}${advice}`;
    return [{ ...problem, message }];
  });
}

/**
 * Reads the settings of kube-controller-manager, and those of the API server beside it; no kubelet is asked. Without their pods
 * they have no programs.
 */
export async function loadManagerSettings(client: ClusterClient): Promise<SettingsFacts> {
  const problems: CoverageProblem[] = [];
  const components = [manager, 'kube-apiserver'] as const;
  const selector = encodeURIComponent(`component in (${components.join()})`);
  const path = `/api/v1/namespaces/kube-system/pods?labelSelector=${selector}`;
  const answer = await askFor(client, path, `list pods of ${manager}`, 'pods', aList);
  if (answer.problem) problems.push(answer.problem);
  const pods = (answer.body?.items ?? []).flatMap((pod) => controlPlanePodsIn(pod, undefined));
  const leader = await readLeader(client, pods, problems);
  const programs = pods.map(({ program }) => program);
  const observedAt = answer.serverTime ?? new Date().toISOString();
  return { observedAt, serverVersion: undefined, components, programs, leader, problems };
}

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

/** Which of the replicas leads, as the Lease of kube-controller-manager says. */
async function readLeader(
  client: ClusterClient,
  pods: readonly ControlPlanePod[],
  problems: CoverageProblem[],
): Promise<Leader> {
  if (!pods.some(({ program }) => program.component === manager)) return { kind: 'sole' };
  const path = pathWithin(leases, managerLease.namespace, managerLease.name);
  const doing = `get Lease ${managerLease.namespace}/${managerLease.name}`;
  const answer = await askFor(client, path, doing, 'leases.coordination.k8s.io', anObject);
  const leader = leaderOf(pods, answer.body, answer.serverTime);
  // One replica leads, whatever the Lease says.
  if (answer.problem && leader.kind === 'unknown') problems.push(answer.problem);
  return leader;
}
