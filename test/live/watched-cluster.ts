import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Cluster } from '../support/cluster.ts';
import { collectionOf, kinds } from './upper-bound-clusters.ts';

/** An object as it was seen last. */
export interface Seen {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isTerminating: boolean;
  readonly finalizers: readonly string[];
  readonly nodeName: string;
  /** Of a DaemonSet's pod: the Node that it is for. */
  readonly affineNode: string;
  readonly phase: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Of a volume that has a claim and is not bound to it yet. */
  readonly waitingClaim: string;
  /** What has to be the same for a while until a cluster counts as still. */
  readonly signature: string;
}

/** Every object of the kinds that random clusters hold, kept by watches. */
export interface WatchedCluster {
  /** By uid. */
  readonly objects: ReadonlyMap<string, Seen>;
  /** All objects of a case. */
  of(name: string): Seen[];
  /** The same once nothing of it has changed for `quiet` milliseconds, and not before `since` milliseconds. */
  still(name: string, quiet: number, since?: number): Promise<Seen[]>;
  stop(): void;
}

/** Which case an object belongs to: that of its namespace, else that of its name. */
export function caseOf({ kind, namespace, name }: Pick<Seen, 'kind' | 'namespace' | 'name'>) {
  const home = kind !== 'Lease' && namespace !== '' ? namespace : name;
  return /^(?:v1\.)?(upper-\d+)/.exec(home)?.[1] ?? home;
}

/** Resolves when everything that is there has been seen; `onSeen` is told of each change after it was noted. */
export async function watchCluster(
  cluster: Cluster,
  onSeen: (object: Seen, isGone: boolean) => void,
): Promise<WatchedCluster> {
  const objects = new Map<string, Seen>();
  const changes = new Map<string, number>();
  const over = new AbortController();
  const broken: Error[] = [];

  function note(type: string, object: Seen): void {
    const before = objects.get(object.uid);
    const isGone = type === 'DELETED';
    if (isGone) objects.delete(object.uid);
    else objects.set(object.uid, object);
    if (isGone || before?.signature !== object.signature) {
      changes.set(caseOf(object), performance.now());
    }
    onSeen(object, isGone);
  }

  const of = (name: string) => [...objects.values()].filter((object) => caseOf(object) === name);

  async function still(name: string, quiet: number, since = 0): Promise<Seen[]> {
    for (const deadline = performance.now() + 180_000; performance.now() < deadline; ) {
      if (broken[0]) throw broken[0];
      const mine = of(name);
      const now = performance.now();
      // What binds volumes is no part of a plan.
      if (isBinding(mine)) changes.set(name, now);
      else if (now >= since && now - (changes.get(name) ?? 0) > quiet) return mine;
      await sleep(100);
    }
    throw new Error(`${name} is never still`);
  }

  await Promise.all(
    [...kinds.keys()].map((kind) => {
      const fail = (error: Error) => broken.push(error);
      return watchKind(cluster, kind, note, fail, over.signal);
    }),
  );
  return { objects, of, still, stop: () => over.abort() };
}

function isBinding(objects: readonly Seen[]): boolean {
  const claims = new Set(
    objects.flatMap(({ kind, isTerminating, name }) =>
      kind === 'PersistentVolumeClaim' && !isTerminating ? name : [],
    ),
  );
  return objects.some(({ waitingClaim }) => claims.has(waitingClaim));
}

interface Event {
  readonly type: string;
  readonly object: KubeObject;
}

/** Resolves when all that is there has come. */
function watchKind(
  { server, adminToken, authority }: Cluster,
  kind: string,
  note: (type: string, object: Seen) => void,
  fail: (error: Error) => void,
  signal: AbortSignal,
): Promise<void> {
  const query = new URLSearchParams({
    watch: 'true',
    sendInitialEvents: 'true',
    resourceVersionMatch: 'NotOlderThan',
    allowWatchBookmarks: 'true',
    timeoutSeconds: '86400',
  });
  const url = new URL(`${collectionOf(kind, '')}?${query}`, server);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = (why: string) => {
    if (signal.aborted) return;
    // Its definition is gone, and may come back.
    if (kind.startsWith('Thing')) return void setTimeout(open, 300);
    const error = new Error(`the watch of ${kind} ended: ${why}`);
    fail(error);
    reject(error);
  };
  const options = {
    ca: authority.certificate,
    headers: { authorization: `Bearer ${adminToken}` },
    signal,
  };
  const open = () =>
    request(url, options)
      .once('error', ({ message }) => end(message))
      .once('response', (incoming) => {
        if (incoming.statusCode !== 200) return end(`${incoming.statusCode}`);
        createInterface({ input: incoming })
          .on('error', ({ message }) => end(message))
          .on('close', () => end('closed'))
          .on('line', (line) => {
            const { type, object } = JSON.parse(line) as Event;
            if (type === 'BOOKMARK') resolve();
            else if (type === 'ERROR') end(line);
            else note(type, seen(kind, object));
          });
      })
      .end();
  open();
  return promise;
}

interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: {
    readonly nodeSelectorTerms: readonly {
      readonly matchFields?: readonly { readonly values: readonly string[] }[];
    }[];
  };
}

function affineNodeOf({ requiredDuringSchedulingIgnoredDuringExecution }: NodeAffinity): string {
  const [term] = requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return term?.matchFields?.[0]?.values[0] ?? '';
}

function seen(kind: string, { metadata, spec, status }: KubeObject): Seen {
  const { uid, name, namespace = '', resourceVersion, finalizers = [] } = metadata;
  const { ownerReferences = [], deletionTimestamp, labels = {} } = metadata;
  const {
    nodeName = '',
    affinity,
    claimRef,
    parentRef,
  } = (spec ?? {}) as {
    readonly affinity?: { readonly nodeAffinity?: NodeAffinity };
    /** Of the address of a Service. */
    readonly parentRef?: { readonly namespace: string };
    readonly nodeName?: string;
    readonly claimRef?: { readonly name: string };
  };
  const { phase = '' } = (status ?? {}) as { phase?: string };
  const isTerminating = deletionTimestamp !== undefined;
  return {
    kind,
    namespace: String(parentRef?.namespace ?? namespace),
    name: String(name),
    uid: String(uid),
    resourceVersion: String(resourceVersion),
    isTerminating,
    finalizers: finalizers as string[],
    nodeName,
    affineNode: affinity?.nodeAffinity ? affineNodeOf(affinity.nodeAffinity) : '',
    phase,
    labels: labels as Readonly<Record<string, string>>,
    waitingClaim: phase === 'Available' || phase === 'Pending' ? (claimRef?.name ?? '') : '',
    signature: JSON.stringify([uid, isTerminating, finalizers, ownerReferences, phase, nodeName]),
  };
}
