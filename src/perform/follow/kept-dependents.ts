import { inParallel } from '../../cluster/in-parallel.ts';
import { getObject } from '../../cluster/list/get-objects.ts';
import { isBeingDeleted, type OwnerReference } from '../../kube/object-record.ts';
import type { Execution } from '../run-context.ts';
import type { TrackedObject, TrackedObjects } from './tracked-objects.ts';

/** An absent owner, or one that waits for its dependents, has the garbage collector delete them. */
const collected = /^GC-22\.1[23]$/;
/** More objects than this are not looked at in one go. */
const mostObjects = 200;

/**
 * Finds what the plan has the garbage collector delete and what it keeps all the same, as its owner references have changed
 * since: a solid owner keeps an object (GC-22.10), and without any reference nothing collects it (GC-22.8). Only an owner that
 * was just read keeps something. Ends when `pace.evidence` is over.
 */
export async function findKept(
  { client, types, pace }: Pick<Execution, 'client' | 'types' | 'pace'>,
  objects: readonly TrackedObject[],
  tracked: TrackedObjects,
): Promise<void> {
  const signal = AbortSignal.timeout(pace.evidence);
  const answers = new Map<string, Promise<boolean>>();
  const isSolid = (namespace: string, owner: OwnerReference) => {
    const key = `${namespace} ${owner.uid}`;
    const answer = answers.get(key) ?? readSolid(client, types, namespace, owner, signal);
    answers.set(key, answer);
    return answer;
  };
  const staying = ({ owners }: TrackedObject) => owners.filter(({ uid }) => !tracked.isGoing(uid));
  const find = async (object: TrackedObject) => {
    const { owners, planned } = object;
    if (owners.length === 0) object.kept = 'kept: it has no owner references any more';
    for (const owner of staying(object)) {
      if (!(await isSolid(planned.namespace, owner)) || object.owners !== owners) continue;
      object.kept = `kept: also owned by ${owner.kind} ${owner.name}`;
    }
  };
  const isInDoubt = (object: TrackedObject) =>
    object.present === true &&
    !object.terminating &&
    object.kept === undefined &&
    collected.test(object.planned.rule) &&
    (object.owners.length === 0 || staying(object).length > 0);
  // What is kept keeps what it owns.
  for (let isFound = true; isFound; ) {
    const some = objects.filter(isInDoubt).slice(0, mostObjects);
    await inParallel(some, 4, find);
    isFound = some.some(({ kept }) => kept !== undefined);
  }
}

/** Is the owner there, so that the garbage collector keeps what it owns? It looks in the namespace of the dependent (GC-28). */
async function readSolid(
  client: Execution['client'],
  types: Execution['types'],
  namespace: string,
  { apiVersion, kind, name, uid }: OwnerReference,
  signal: AbortSignal,
): Promise<boolean> {
  const type = types.find(apiVersion, kind);
  if (!type) return false;
  const at = { type, namespace: type.namespaced ? namespace : '', name };
  const { record } = await getObject(client, at, { signal }).catch(() => ({ record: undefined }));
  return record?.uid === uid && !isBeingDeleted(record);
}
