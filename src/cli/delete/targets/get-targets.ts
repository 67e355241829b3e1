import type { ClusterClient } from '../../../cluster/connection/cluster-client.ts';
import { get } from '../../../cluster/get.ts';
import type { ObjectRecord } from '../../../kube/object-record.ts';
import { recordOf } from '../../../kube/record-codec.ts';
import { objectPath } from '../../../kube/resource-type.ts';
import type { DeletionTarget } from './deletion-target.ts';
import { type Failure, failureOf, readAnswer, whenDeleting } from './failure.ts';

/** A named object, and what the cluster says of it. */
export interface GottenTarget {
  readonly target: DeletionTarget;
  /** Its place in kubectl's order. */
  readonly position: number;
  readonly record?: ObjectRecord;
  readonly failure?: Failure;
}

const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
const concurrency = 8;

/** Asks for every named object that no list has shown, so that the deletion can be planned and be bound to its uid. */
export async function getTargets(
  client: ClusterClient,
  targets: readonly DeletionTarget[],
): Promise<GottenTarget[]> {
  const { inParallel } = await import('../../../cluster/in-parallel.ts');
  return inParallel([...targets.entries()], concurrency, async ([position, target]) => ({
    target,
    position,
    ...(target.refusal ? { failure: target.refusal } : await getTarget(client, target)),
  }));
}

async function getTarget(
  client: ClusterClient,
  { type, namespace, name, source, record }: DeletionTarget,
): Promise<Pick<GottenTarget, 'record' | 'failure'>> {
  if (record) return { record };
  const path = objectPath(type, namespace, name);
  const response = await get(client, path, accept, {});
  if (response.status !== 200) {
    return { failure: whenDeleting(source, await failureOf(response)) };
  }
  const [{ answeredItem }, { readBody }] = await Promise.all([
    import('../../../cluster/list/answered-list.ts'),
    import('../../../cluster/read-body.ts'),
  ]);
  const answer = await readAnswer(async () => ({
    record: recordOf(answeredItem(await readBody(response), name), type),
  }));
  return 'record' in answer ? answer : { failure: whenDeleting(source, answer) };
}
