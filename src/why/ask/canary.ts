import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { apiPath } from '../../kube/path-segment.ts';

/** What became of the canary: an owner and a dependent, and how soon the dependent was collected. */
export interface Canary {
  readonly state: 'collected' | 'not-collected' | 'not-created';
  readonly because: string;
  /** From the owner's deletion until the dependent was gone; unset when it was not. */
  readonly milliseconds?: number;
  /** The objects that could not be deleted; empty when nothing is left. */
  readonly left: readonly string[];
}

export interface CanaryOptions {
  readonly namespace: string;
  /** Milliseconds after which it gives up. */
  readonly patience: number;
  /** Ends the wait; what was created is cleaned up all the same. */
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
  const created: Created[] = [];
  const canary = await fly().catch((error: unknown) => ({
    state: created.length < 2 ? ('not-created' as const) : ('not-collected' as const),
    because: error instanceof Error ? error.message : String(error),
  }));
  const left: string[] = [];
  for (const one of created.toReversed()) {
    const status = await remove(one).catch(() => 0);
    if (status !== 200 && status !== 202 && status !== 404 && status !== 409) {
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
    const status = await remove(owner);
    if (status !== 200) throw new Error(`its owner could not be deleted: HTTP status ${status}`);
    for (let wait = 20; ; wait = Math.min(wait * 1.5, 1000)) {
      const { status: found } = await ask('GET', path + apiPath(dependent.name));
      const milliseconds = Math.round(performance.now() - start);
      if (found === 404) {
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
    const { status, body } = await ask('POST', path, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        generateName: 'kubectl-gc-canary-',
        labels: { 'app.kubernetes.io/managed-by': 'kubectl-gc' },
        ownerReferences,
      },
    });
    const { metadata, message } = body as {
      readonly metadata?: Partial<Created>;
      readonly message?: string;
    };
    const { name, uid } = metadata ?? {};
    if (status !== 201 || !name || !uid) {
      throw new Error(`a ConfigMap could not be created in ${namespace}: ${message ?? status}`);
    }
    const one = { name, uid };
    created.push(one);
    return one;
  }

  async function remove({ name, uid }: Created): Promise<number> {
    const { status } = await ask('DELETE', path + apiPath(name), {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid },
      propagationPolicy: 'Background',
    });
    return status;
  }

  async function ask(method: 'GET' | 'POST' | 'DELETE', at: string, content?: object) {
    const response = await client.request({
      method,
      path: at,
      headers: {
        accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
        ...(content && { 'content-type': 'application/json' }),
      },
      ...(content && { body: JSON.stringify(content) }),
    });
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body) text += decoder.decode(chunk, { stream: true });
    return { status: response.status, body: parsed(text) };
  }
}

function parsed(text: string): object {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}
