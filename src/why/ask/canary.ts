import { setTimeout as sleep } from 'node:timers/promises';
import { isAbsence, readRefusal } from '../../cluster/api-failure.ts';
import { apiPath } from '../../cluster/api-path.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { get, metadataObjectJson } from '../../cluster/get.ts';
import { Clearance } from '../../cluster/write/clearance.ts';
import { sendWrite } from '../../cluster/write/send-write.ts';
import type { WriteAnswer } from '../../cluster/write/write-answer.ts';
import { ownLabels } from '../../cluster/write/write-request.ts';
import { errorMessage } from '../../errors.ts';
import { fieldsOf, textOrEmpty } from '../../kube/json-value.ts';

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
  const { namespace } = options;
  const maps = new ProbeConfigMaps(client, namespace);
  const canary = await fly(maps, options).catch((error: unknown) => ({
    state: maps.created.length < 2 ? ('not-created' as const) : ('not-collected' as const),
    because: errorMessage(error),
  }));
  const left: string[] = [];
  for (const one of maps.created.toReversed()) {
    const { outcome, code } = await maps.remove(one);
    if (outcome !== 'done' && code !== 404 && code !== 409) {
      left.push(`configmap/${one.name} in ${namespace}`);
    }
  }
  return { ...canary, left };
}

async function fly(
  maps: ProbeConfigMaps,
  { patience, signal }: CanaryOptions,
): Promise<Omit<Canary, 'left'>> {
  const owner = await maps.create([]);
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner.name, uid: owner.uid };
  const dependent = await maps.create([
    { ...reference, controller: true, blockOwnerDeletion: true },
  ]);
  const start = performance.now();
  const { outcome, code, message } = await maps.remove(owner);
  if (outcome !== 'done') {
    const why = code === 0 ? message : `HTTP status ${code}`;
    throw new Error(`its owner could not be deleted: ${why}`);
  }
  for (let wait = 20; ; wait = Math.min(wait * 1.5, 1000)) {
    const isGone = await maps.isGone(dependent);
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

/** The ConfigMaps of one probe in a namespace, which are the only objects that it may delete. */
class ProbeConfigMaps {
  readonly created: Created[] = [];
  readonly #client: ClusterClient;
  readonly #namespace: string;
  readonly #path: string;
  readonly #clearance = Clearance.grant('probe', { uids: [], agreed: 'flag' });

  constructor(client: ClusterClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
    this.#path = apiPath('api', 'v1', 'namespaces', namespace, 'configmaps');
  }

  async create(ownerReferences: readonly object[]): Promise<Created> {
    const metadata = { generateName: 'kubectl-gc-canary-', labels: ownLabels, ownerReferences };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    const write = { verb: 'create', path: this.#path, body, metadataOnly: true } as const;
    const { object, uid, message } = await sendWrite(this.#client, this.#clearance.covers(write), {
      isUnguarded: true,
    });
    const name = textOrEmpty(fieldsOf(object?.metadata).name);
    if (name === '' || uid === undefined) {
      const why = message || 'the answer does not name it';
      throw new Error(`a ConfigMap could not be created in ${this.#namespace}: ${why}`);
    }
    this.#clearance.created(uid);
    const one = { name, uid };
    this.created.push(one);
    return one;
  }

  async isGone({ name }: Created): Promise<boolean> {
    const found = await get(this.#client, this.#path + apiPath(name), metadataObjectJson, {});
    return isAbsence(found.status, await readRefusal(found));
  }

  remove({ name, uid }: Created): Promise<WriteAnswer> {
    const write = {
      verb: 'delete',
      path: this.#path + apiPath(name),
      guards: { uid },
      body: { propagationPolicy: 'Background' },
      metadataOnly: true,
    } as const;
    return sendWrite(this.#client, this.#clearance.covers(write));
  }
}
