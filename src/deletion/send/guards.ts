import { getObject } from '../../cluster/list/get-objects.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { isOutOfService, isReady } from '../../kube/well-known-kinds.ts';
import type { NodeCondition, PlannedRequest } from '../plan/plan.ts';
import type { Execution, SendResult } from '../run-context.ts';

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

/** Whether an object is there: itself, terminating, another one of its name, none, or unknown. */
export interface FoundObject {
  readonly state: 'there' | 'terminating' | 'replaced' | 'absent' | 'unknown';
  /** uid of what has the name now. */
  readonly uid: string | undefined;
}

/** Looks for an object by its name and compares uids. */
export async function findObject(
  { client, late }: Pick<Execution, 'client' | 'late'>,
  { namespace, name, uid }: ObjectReference,
  type: ResourceType,
): Promise<FoundObject> {
  try {
    const { record, problem } = await getObject(
      client,
      { type, namespace, name },
      { signal: late },
    );
    if (problem) return { state: 'unknown', uid: undefined };
    if (!record) return { state: 'absent', uid: undefined };
    if (record.uid !== uid) return { state: 'replaced', uid: record.uid };
    return { state: record.deletionTimestamp ? 'terminating' : 'there', uid };
  } catch {
    return { state: 'unknown', uid: undefined };
  }
}

/**
 * Why a pod may not be removed by force for the sake of its Node; undefined: the Node, as it was just
 * read, is as the request says. A kubelet that is back may run the pod, and another may start it too.
 */
function nodeFault(
  { name, is }: NodeCondition,
  node: ObjectRecord | undefined,
): string | undefined {
  if (!node) return is === 'gone' ? undefined : `Node ${name} is gone meanwhile`;
  if (isReady(node)) return `Node ${name} is there and Ready`;
  if (is === 'gone') return `Node ${name} is there again, although not ready`;
  if (isOutOfService(node)) return undefined;
  return `Node ${name} has lost the taint node.kubernetes.io/out-of-service`;
}
