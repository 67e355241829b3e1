import { nodeFault } from '../plan/node-fault.ts';
import type { PlannedRequest } from '../plan/plan.ts';
import { getObject } from '../sources/cluster/get-object.ts';
import type { Execution } from './execution.ts';
import type { SendResult } from './send-result.ts';

/**
 * Reads the Node that a request depends on, from the server and not from what was seen before.
 * Undefined: nothing speaks against it. A Node that cannot be read does.
 */
export async function nodeObjection(
  { client, types, late }: Pick<Execution, 'client' | 'types' | 'late'>,
  request: PlannedRequest,
): Promise<SendResult | undefined> {
  const { node } = request;
  if (!node) return undefined;
  const type = types.find('v1', 'Node');
  const unread = (why: string): SendResult => {
    const message = `Node ${node.name} could not be read, so it may be there: ${why}`;
    return { type: 'refused', request, code: 0, reason: 'NodeUnknown', message };
  };
  if (!type) return unread('Nodes are not served');
  const { record, problem } = await getObject(
    client,
    { type, namespace: '', name: node.name },
    { facts: true, signal: late },
  );
  if (problem) return unread(problem.message);
  const fault = nodeFault(node, record);
  return fault === undefined
    ? undefined
    : { type: 'skipped', request, reason: 'node', message: fault };
}
