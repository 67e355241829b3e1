import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { getObject } from '../../cluster/list/get-objects.ts';
import { isLeaseValid, readingTime } from '../../controllers/leader-lease.ts';
import type { Blocker } from '../../deletion/plan/plan.ts';
import { leaseType, nodeType } from '../../kube/core-types.ts';
import { FOREGROUND, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import { age } from '../../kube/time.ts';
import { isSilent, namesNamespace } from '../../kube/well-known-kinds.ts';
import type { Waiting } from '../progress-event.ts';
import type { TrackedObject, TrackedObjects } from './tracked-objects.ts';

/** Who has to act before an object goes. `name`: of the Node or the finalizer. */
export type Actor = Pick<Waiting, 'actor' | 'name'>;

/**
 * Who has to act on an object that is left; undefined where the object waits for others of the plan,
 * or where that is not to be seen.
 */
export function actorOf(
  object: TrackedObject,
  blockedBy: readonly Blocker[],
  tracked: TrackedObjects,
): Actor | undefined {
  const { planned, finalizers, terminating } = object;
  if (blockedBy.some(({ kind }) => kind === 'dependent')) return undefined;
  const foreign = finalizers.find((name) => name !== FOREGROUND && name !== ORPHAN);
  if (foreign !== undefined) return { actor: 'finalizer', name: foreign };
  if (finalizers.length > 0) return { actor: 'garbage-collector' };
  if (!terminating) {
    if (tracked.isCollectable(object)) return { actor: 'garbage-collector' };
    return isInEndingNamespace(planned, tracked) ? { actor: 'namespace' } : undefined;
  }
  const kubelet = blockedBy.find(({ kind }) => kind === 'kubelet');
  if (kubelet) return { actor: 'kubelet', name: kubelet.name };
  const isEmpty = planned.kind === 'Namespace' && !hasContent(planned, tracked);
  return isEmpty ? { actor: 'namespace' } : undefined;
}

function isInEndingNamespace({ namespace }: TrackedObject['planned'], tracked: TrackedObjects) {
  return [...tracked.all].some(
    ({ planned, terminating }) =>
      terminating && namesNamespace(planned) && planned.name === namespace,
  );
}

function hasContent({ name }: TrackedObject['planned'], tracked: TrackedObjects): boolean {
  return [...tracked.all].some(
    ({ planned: { namespace }, present }) => present === true && namespace === name,
  );
}

/** Whether somebody who has to act seems to run. `renewed`: when that one last showed itself. */
export interface Sight extends Pick<Waiting, 'state' | 'because'> {
  readonly renewed?: string | undefined;
}

/** Looks whether they run: at the Leases that they renew, and at Nodes. `now`: epoch milliseconds. */
export async function sightOf(
  { actor, name = '' }: Actor,
  client: ClusterClient,
  now: number,
  signal: AbortSignal,
): Promise<Sight> {
  const reader = { client, now, signal };
  if (actor === 'finalizer') return { state: 'unseen', because: 'who removes it is found by why' };
  if (actor === 'kubelet') return kubeletOf(name, reader);
  const manager = 'kube-controller-manager';
  return leaseHolder(manager, 'kube-system', manager, reader);
}

interface Reader {
  readonly client: ClusterClient;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** A Node that is gone or silent tells; the kubelet of one that seems well tells by its Lease. */
async function kubeletOf(name: string, reader: Reader): Promise<Sight> {
  const { record, problem } = await read({ type: nodeType, namespace: '', name }, reader);
  if (!problem && !record) {
    return { state: 'gone', because: `Node ${name} does not exist: pod GC deletes its pods` };
  }
  if (record && isSilent(record)) {
    return { state: 'gone', because: `Node ${name} does not report that it is ready` };
  }
  return leaseHolder(`the kubelet of Node ${name}`, 'kube-node-lease', name, reader);
}

async function leaseHolder(
  who: string,
  namespace: string,
  name: string,
  reader: Reader,
): Promise<Sight> {
  const { record, problem } = await read({ type: leaseType, namespace, name }, reader);
  if (problem) return { state: 'unseen', because: `whether ${who} runs could not be read` };
  if (!record) {
    return {
      state: 'unseen',
      because: `${who} holds no Lease: it does not run, or it runs without leader election`,
    };
  }
  const { renewTime: renewed = '' } = record.facts ?? {};
  if (isLeaseValid(record.facts ?? {}, reader.now, readingTime)) {
    return { state: 'running', because: `${who} renews its Lease`, renewed };
  }
  const since = Number.isNaN(Date.parse(renewed)) ? '' : ` for ${age(renewed, reader.now)}`;
  return { state: 'gone', because: `${who} has not renewed its Lease${since}`, renewed };
}

function read(
  asked: Pick<ObjectRecord, 'type' | 'namespace' | 'name'>,
  { client, signal }: Reader,
) {
  return getObject(client, asked, { facts: true, signal });
}
