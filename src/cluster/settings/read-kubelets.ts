import type { ProgramFacts } from '../../controllers/settings/settings-facts.ts';
import { firstOf } from '../../kube/counts-by-kind.ts';
import { fieldsOf, type Json, textOrEmpty } from '../../kube/json-value.ts';
import { compareText } from '../../kube/names.ts';
import { validateKubeletConfiguration } from '../../kubelet/configuration/validate-configuration.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { inParallel } from '../in-parallel.ts';
import { askKubelet, configz } from './ask-for.ts';

const nodesAtOnce = 8;

interface Fault {
  readonly node: string;
  readonly problem: CoverageProblem;
}

/** Asks the kubelets of nodes for their settings, through the API server. */
export async function readKubelets(
  client: ClusterClient,
  nodes: readonly Json[],
  problems: CoverageProblem[],
  onProgress?: (done: number, total: number) => void,
): Promise<ProgramFacts[]> {
  const faults: Fault[] = [];
  let done = 0;
  const programs = await inParallel(nodes, nodesAtOnce, async (object) => {
    const node = textOrEmpty(fieldsOf(object.metadata).name);
    const settings = await askKubelet(client, node, 'configz', '', configz);
    if (settings.problem) faults.push({ node, problem: settings.problem });
    done += 1;
    onProgress?.(done, nodes.length);
    const { kubeletVersion } = fieldsOf(fieldsOf(object.status).nodeInfo);
    return programOf(node, textOrEmpty(kubeletVersion), settings.body);
  });
  // Which answers first differs from one reading to the next.
  problems.push(...together(faults.sort((a, b) => compareText(a.node, b.node))));
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
function together(faults: readonly Fault[]): CoverageProblem[] {
  const groups = Map.groupBy(faults, ({ node, problem }) =>
    [problem.reason, problem.message.replaceAll(node, '')].join(' '),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const names = group.map(({ node }) => node);
    const whose = `${names.length > shownNodes ? 'nodes' : 'node'} ${firstOf(names, shownNodes)}`;
    const why = first.problem.message.replace(/^cannot : /, '');
    const advice =
      first.problem.reason === 'forbidden' ? '; reading it needs "get" on nodes/proxy' : '';
    const message = `cannot ask the kubelet of ${whose} for /configz: ${why}${advice}`;
    return [{ ...first.problem, message }];
  });
}
