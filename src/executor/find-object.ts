import type { ResourceType } from '../kube/resource-type.ts';
import type { ObjectIdentity } from '../simulator/timeline.ts';
import { getObject } from '../sources/cluster/get-object.ts';
import type { Execution } from './execution.ts';

/** Whether an object is there: itself, terminating, another one of its name, none, or nobody can tell. */
export interface FoundObject {
  readonly state: 'there' | 'terminating' | 'replaced' | 'absent' | 'unknown';
  /** uid of what has the name now. */
  readonly uid: string | undefined;
}

/** Looks for an object by its name and compares uids. */
export async function findObject(
  { client, late }: Pick<Execution, 'client' | 'late'>,
  { namespace, name, uid }: ObjectIdentity,
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
