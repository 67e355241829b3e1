import { setTimeout as sleep } from 'node:timers/promises';
import { isAbsence, readRefusal } from '../../cluster/api-failure.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { get, metadataObjectJson } from '../../cluster/get.ts';
import { Clearance } from '../../cluster/write/clearance.ts';
import { sendWrite } from '../../cluster/write/send-write.ts';
import type { WriteAnswer } from '../../cluster/write/write-answer.ts';
import { ownLabels } from '../../cluster/write/write-request.ts';
import { errorMessage } from '../../errors.ts';
import { fieldsOf, textOrEmpty } from '../../kube/json-value.ts';
import { apiPath } from '../../kube/path-segment.ts';

/** What became of the canary: an owner and a dependent, and how soon the dependent was collected. */
export interface Canary {
  readonly state: 'collected' | 'not-collected' | 'not-created';
  readonly because: string;
  /** From the owner's deletion until the dependent was gone; unset when it was not. */
  readonly milliseconds?: number;
  /** The objects that could not be deleted; empty if none remains. */
  readonly left: readonly string[];
}

export interface CanaryOptions {
  readonly namespace: string;
  /** Milliseconds after which it gives up. */
  readonly patience: number;
  /** Ends the wait; what was created is still cleaned up. */
  readonly signal?: AbortSignal;
}

interface Created {
  readonly name: string;
  readonly uid: string;
}

/**
 * Creates an owner and a dependent ConfigMap, deletes the owner, and waits for the garbage
 * collector.
 */
export async function flyCanary(client: ClusterClient, options: CanaryOptions): Promise<Canary> {
  const { namespace, patience, signal } = options;
  const path = apiPath('api', 'v1', 'namespaces', namespace, 'configmaps');
  const clearance = Clearance.grant('probe', { uids: [], agreed: 'flag' });
  const created: Created[] = [];
  const canary = await fly().catch((error: unknown) => ({
    state: created.length < 2 ? ('not-created' as const) : ('not-collected' as const),
    because: errorMessage(error),
  }));
  const left: string[] = [];
  for (const one of created.toReversed()) {
    const { outcome, code } = await remove(one);
    if (outcome !== 'done' && code !== 404 && code !== 409) {
      left.push(`configmap/${one.name} in ${namespace}`);
    }
  }
  return { ...canary, left };

  async function fly(): Promise<Omit<Canary, 'left'>> {
    const owner = await create([]);
    const dependent = await create([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: owner.name,
        uid: owner.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    const start = performance.now();
    const { outcome, code, message } = await remove(owner);
    if (outcome !== 'done') {
      const why = code === 0 ? message : `HTTP status ${code}`;
      throw new Error(`its owner could not be deleted: ${why}`);
    }
    for (let wait = 20; ; wait = Math.min(wait * 1.5, 1000)) {
      const found = await get(client, path + apiPath(dependent.name), metadataObjectJson, {});
      const isGone = isAbsence(found.status, await readRefusal(found));
      const milliseconds = Math.round(performance.now() - start);
      if (isGone) {
        return {
          state: 'collected',
          because: `the dependent was collected ${milliseconds} ms after its owner was deleted`,
          milliseconds,
        };
      }
      if (signal?.aborted) return { state: 'not-collected', because: 'the wait was interrupted' };
      if (milliseconds > patience) {
        return {
          state: 'not-collected',
          because: `the dependent is still there ${Math.round(milliseconds / 1000)}s after its owner was deleted`,
        };
      }
      await sleep(wait);
    }
  }

  async function create(ownerReferences: readonly object[]): Promise<Created> {
    const metadata = { generateName: 'kubectl-gc-canary-', labels: ownLabels, ownerReferences };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    const { object, uid, message } = await sendWrite(
      client,
      clearance.covers({ verb: 'create', path, body, metadataOnly: true }),
      { isUnguarded: true },
    );
    const name = textOrEmpty(fieldsOf(object?.metadata).name);
    if (name === '' || uid === undefined) {
      const why = message || 'the answer does not name it';
      throw new Error(`a ConfigMap could not be created in ${namespace}: ${why}`);
    }
    clearance.created(uid);
    const one = { name, uid };
    created.push(one);
    return one;
  }

  function remove({ name, uid }: Created): Promise<WriteAnswer> {
    const write = {
      verb: 'delete',
      path: path + apiPath(name),
      guards: { uid },
      body: { propagationPolicy: 'Background' },
      metadataOnly: true,
    } as const;
    return sendWrite(client, clearance.covers(write));
  }
}
