import type { ClusterClient } from '../../../client/cluster-client.ts';
import { apiPath } from '../../../kube/path-segment.ts';
import { inParallel } from '../in-parallel.ts';
import { askFor } from './ask-for.ts';

const nodesAtOnce = 8;

/** A kubelet's KubeletConfiguration in force, or why it is not known. */
export type Configz =
  | { readonly node: string; readonly configuration: unknown }
  | { readonly node: string; readonly because: string };

/** Asks the kubelets of nodes, through the API server; once one is forbidden, no other is asked. */
export async function readConfigz(
  client: ClusterClient,
  nodes: readonly string[],
): Promise<Configz[]> {
  let forbidden: string | undefined;
  async function ask(node: string): Promise<Configz> {
    if (forbidden !== undefined) return { node, because: forbidden };
    const path = apiPath('api', 'v1', 'nodes', node, 'proxy', 'configz');
    const { body, problem } = await askFor(client, path, 'ask kubelets', 'nodes');
    if (problem?.reason === 'forbidden') {
      forbidden = 'reading the settings of kubelets needs "get" on nodes/proxy';
      return { node, because: forbidden };
    }
    const configuration = body?.kubeletconfig;
    return configuration === undefined
      ? { node, because: 'their kubelets gave no answer' }
      : { node, configuration };
  }
  const [first, ...others] = nodes;
  if (first === undefined) return [];
  return [await ask(first), ...(await inParallel(others, nodesAtOnce, ask))];
}
