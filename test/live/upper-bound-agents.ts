import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../support/cluster.ts';
import { endsLabel } from './overlapping-workloads.ts';
import type { Random } from './seeded-random.ts';
import { collectionOf, isForeign } from './upper-bound-clusters.ts';
import { finalizeApplication, lifeOf } from './upper-bound-others.ts';
import { caseOf, type Seen, type WatchedCluster } from './watched-cluster.ts';

/** A small operator that removes its finalizers after a while, a scheduler, the kubelets of all Nodes, Argo CD and Kyverno. */
export interface Agents {
  /** Acts on an object that was created or has changed, or is gone. */
  see(object: Seen, isGone: boolean): void;
  /**
   * The operator begins to work on a case when one of these objects is deleted that was not yet: what it
   * removes before that, no backup could hold.
   */
  awaitDeletion(name: string, before: readonly Seen[]): void;
  /** From now on the kubelets of a case run its pods: those whose label says so end. */
  runPods(name: string): void;
  /** From now on pods of a case that have no Node get one of its Nodes. */
  bindPods(name: string): void;
  /** Resolves when what they have begun is done. */
  idle(): Promise<void>;
}

export function startAgents(cluster: Cluster, world: () => WatchedCluster, random: Random): Agents {
  /** Where the operator works. */
  const operated = new Set<string>();
  /** uids of what was not being deleted in the cases that are about to be worked on. */
  const awaited = new Map<string, ReadonlySet<string>>();
  const isNode = (name: string) =>
    [...world().objects.values()].some((object) => object.kind === 'Node' && object.name === name);
  const running = new Set<Promise<unknown>>();
  /** Where pods run. */
  const live = new Set<string>();
  /** Where pods get Nodes. */
  const scheduled = new Set<string>();
  /** uids of Applications that Argo CD works on, and of objects that Kyverno has a timer for. */
  const taken = new Set<string>();
  let address = 0;
  let isOver = false;
  // What judges Nodes takes one for dead whose Lease is not renewed.
  const renewal = setInterval(() => {
    for (const { kind, name, isTerminating } of world().objects.values()) {
      if (kind !== 'Lease' || isTerminating || !isNode(name)) continue;
      const lease = { kind, name, namespace: 'kube-node-lease' };
      const spec = { renewTime: microseconds(), leaseDurationSeconds: 40 };
      begin(cluster.merge(pathOf(lease), { spec }));
    }
  }, 8_000);

  function begin(work: Promise<unknown>): void {
    running.add(work);
    work.finally(() => running.delete(work));
  }

  function see(object: Seen, isGone: boolean): void {
    const name = caseOf(object);
    if (awaited.get(name)?.has(object.uid) && (isGone || object.isTerminating)) {
      awaited.delete(name);
      operated.add(name);
      for (const other of world().of(name)) see(other, false);
      return;
    }
    if (isGone) return;
    const life = lifeOf(object.labels);
    if (life !== undefined && take(object)) begin(expire(object, life));
    if (object.kind === 'Application' && object.isTerminating && take(object)) {
      begin(deliver(object));
    }
    if (isUnbound(object)) begin(bind(object));
    if (isStarting(object) && isNode(object.nodeName)) begin(run(object, random(300)));
    if (!object.isTerminating) return;
    if (object.finalizers.some(isForeign)) {
      if (operated.has(name)) begin(release(object, random(600)));
    } else if (object.kind === 'Pod' && isNode(object.nodeName)) {
      begin(end(object, live.has(name) ? (random(3) > 0 ? 'Failed' : 'Succeeded') : undefined));
    }
  }

  function take({ uid }: Seen): boolean {
    if (taken.has(uid)) return false;
    taken.add(uid);
    return true;
  }

  async function expire(object: Seen, after: number): Promise<void> {
    const due = performance.now() + after;
    while (performance.now() < due && !isOver) await sleep(500);
    await cluster.remove(pathOf(object), { preconditions: { uid: object.uid } });
  }

  async function deliver(application: Seen): Promise<void> {
    let isMore = true;
    while (isMore && !isOver) {
      await sleep(300 + random(1_500));
      isMore = await finalizeApplication(cluster, application);
    }
  }

  const isStarting = (object: Seen) =>
    object.kind === 'Pod' &&
    object.phase === 'Pending' &&
    !object.isTerminating &&
    live.has(caseOf(object));

  const isUnbound = (object: Seen) =>
    object.kind === 'Pod' &&
    object.nodeName === '' &&
    !object.isTerminating &&
    scheduled.has(caseOf(object));

  /** A Node that is being deleted gets no more pods. */
  async function bind(pod: Seen): Promise<void> {
    const nodes = world()
      .of(caseOf(pod))
      .filter(({ kind, isTerminating }) => kind === 'Node' && !isTerminating);
    const isFor = ({ name }: Seen) => pod.affineNode === '' || pod.affineNode === name;
    const possible = nodes.filter(isFor);
    const node = possible[random(possible.length)];
    if (!node) return;
    const target = { apiVersion: 'v1', kind: 'Node', name: node.name };
    const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name: pod.name }, target };
    await cluster.request(`${pathOf(pod)}/binding`, { method: 'POST', body });
  }

  const report = (pod: Seen, status: object) => cluster.merge(`${pathOf(pod)}/status`, { status });

  /** As a kubelet does when containers have stopped: it reports how they ended, and deletes the pod. */
  async function end(pod: Seen, phase: string | undefined): Promise<void> {
    // What never started has failed (TerminatePod, pkg/kubelet/status/status_manager.go).
    const how = { Running: phase, Pending: 'Failed' }[pod.phase ?? ''];
    if (how) await report(pod, { phase: how });
    const body = { gracePeriodSeconds: 0, preconditions: { uid: pod.uid } };
    await cluster.remove(pathOf(pod), body);
  }

  async function run(pod: Seen, after: number): Promise<void> {
    await sleep(after);
    const phase = pod.labels[endsLabel] ?? 'Running';
    const number = ++address;
    const podIP = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
    const lastTransitionTime = new Date().toISOString();
    const status = phase === 'Running' ? 'True' : 'False';
    const conditions = [{ type: 'Ready', status, lastTransitionTime }];
    await report(pod, { phase, podIP, podIPs: [{ ip: podIP }], conditions });
  }

  /** Fails where somebody else has changed the object meanwhile: that change is seen as well. */
  async function release(object: Seen, after: number): Promise<void> {
    await sleep(after);
    const { uid, resourceVersion } = object;
    const finalizers = object.finalizers.filter((finalizer) => !isForeign(finalizer));
    await cluster.merge(pathOf(object), { metadata: { uid, resourceVersion, finalizers } });
  }

  return {
    see,
    awaitDeletion: (name, before) => {
      const uids = before.flatMap(({ isTerminating, uid }) => (isTerminating ? [] : uid));
      awaited.set(name, new Set(uids));
    },
    runPods: (name) => {
      live.add(name);
      for (const object of world().of(name)) see(object, false);
    },
    bindPods: (name) => {
      scheduled.add(name);
      for (const object of world().of(name)) see(object, false);
    },
    idle: async () => {
      clearInterval(renewal);
      isOver = true;
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** Now, as Leases have it. */
function microseconds(): string {
  return new Date().toISOString().replace('Z', '000Z');
}

export function pathOf({ kind, namespace, name }: Pick<Seen, 'kind' | 'namespace' | 'name'>) {
  return `${collectionOf(kind, namespace)}/${name}`;
}
