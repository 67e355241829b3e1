import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { objectPath } from '../../src/cluster/api-path.ts';
import type { ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
import { connect } from '../../src/cluster/connection/connect.ts';
import { fromCluster } from '../../src/cluster/from-cluster.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { parseRequests } from '../../src/questions/simulate/scenario.ts';
import type { SimulatedRequest } from '../../src/simulator/api-server/request.ts';
import { simulate } from '../../src/simulator/simulate.ts';
import type { Simulation } from '../../src/simulator/simulation.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import {
  interactingCluster,
  interactingRequests,
  namespaces,
  nodes,
} from './interacting-collectors.ts';

/** Users delete what collectors then follow up: simulated first, then done to the real controllers. */
export function simulateCollectors(): void {
  const controllers = ['*', 'token-cleaner-controller'];
  /** A pod of a Node that is gone goes within 80 s. */
  const watched = 84_000;
  const quiet = 40_000;
  /** Requests and controllers take a while, and Nodes are looked at every five seconds. */
  const slack = 6_000;

  let plane: ControlPlane;
  let client: ClusterClient;
  let before: Snapshot;
  let simulation: Simulation;
  let began = 0;
  /** How long the simulation took: so much later than in it, the first request is sent. */
  let delay = 0;
  const replies: number[] = [];
  /** When each object was first seen as being deleted or gone, by its uid. */
  const seen = new Map<string, number>();
  let after: ReadonlyMap<string, ObjectRecord>;
  let beating: NodeJS.Timeout | undefined;

  beforeAll(async () => {
    const now = Date.now();
    plane = await startControlPlane({ controllers: 'none', objects: interactingCluster(now) });
    client = await connect({ kubeconfig: plane.kubeconfigPath });
    await beat();
    beating = setInterval(() => void beat(), 5_000);
    await plane.startControllers(controllers);
    await sleep(6_000);
    before = await read();
    began = Date.now();
    const requests = parseRequests(interactingRequests(began), 'requests');
    simulation = simulate(before, requests, { controllers }, { now: began, duration: watched });
    delay = Date.now() - began;
    const sent = sendAll(requests);
    const going = before.records.filter(
      ({ uid }) => !simulation.objects.some((record) => record.uid === uid),
    );
    // A while longer than anything but the pods of the Node takes.
    for (let left = await note(); ; left = await note()) {
      after = left;
      const isOver = !going.some(({ uid }) => left.has(uid)) && Date.now() - delay > began + quiet;
      if (isOver || Date.now() - delay > began + watched) break;
      await sleep(500);
    }
    await sent;
  });

  afterAll(async () => {
    clearInterval(beating);
    client?.close();
    await plane?.stop();
  });

  /** What kubelets do to say that they live. */
  async function beat(): Promise<void> {
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    const path = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
    for (const name of nodes) await plane.merge(`${path}/${name}`, { spec: { renewTime } });
  }

  function read(): Promise<Snapshot> {
    return fromCluster(client, {}, { facts: true });
  }

  async function note(): Promise<ReadonlyMap<string, ObjectRecord>> {
    const { records } = await read();
    const left = new Map(records.map((record) => [record.uid, record]));
    for (const { uid, deletionTimestamp } of before.records) {
      const record = left.get(uid);
      const isHit = !record || (deletionTimestamp === undefined && record.deletionTimestamp);
      if (isHit && !seen.has(uid)) seen.set(uid, Date.now() - delay);
    }
    return left;
  }

  async function sendAll(requests: readonly SimulatedRequest[]): Promise<void> {
    for (const request of requests) await send(request);
  }

  async function send(request: SimulatedRequest): Promise<void> {
    await sleep(request.after);
    const type = before.types.find(request.apiVersion, request.kind);
    if (!type || request.verb === 'deletecollection') throw new Error(request.kind);
    const path = objectPath(type, request.namespace, request.name);
    const answer = await (request.verb === 'delete'
      ? plane.remove(path, request.options)
      : request.verb === 'patch'
        ? plane.merge(path, request.patch)
        : plane.request(objectPath(type, request.namespace), {
            method: 'POST',
            body: 'object' in request ? request.object : undefined,
          }));
    replies.push(answer.status);
  }

  const ours = ({ namespace, type }: ObjectRecord) =>
    namespaces.includes(namespace) ||
    ['PersistentVolume', 'Node', 'CSINode'].includes(type.kind) ||
    namespace === 'kube-node-lease';

  const nameOf = ({ type, name }: ObjectRecord) => `${type.kind} ${name}`;

  /** How an object ended, as far as collectors decide it. */
  function endOf(record: ObjectRecord | undefined): string {
    if (!record) return 'gone';
    const { type, deletionTimestamp, finalizers, ownerReferences, facts } = record;
    const evicting = (facts?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
    return [
      deletionTimestamp === undefined ? 'there' : 'terminating',
      ...[...finalizers].sort(),
      ...ownerReferences.map(({ kind, name }) => `of ${kind} ${name}`),
      type.kind === 'PersistentVolume' ? facts?.phase : '',
      ...evicting.map(({ key }) => key),
    ]
      .filter(Boolean)
      .join(' ');
  }

  test('requests are answered as simulated', () => {
    expect(simulation.replies.map(({ code }) => code)).toEqual(replies);
  });

  test('what is left is what was simulated', () => {
    const foretold = new Map(simulation.objects.map((record) => [record.uid, record]));
    const open = new Set(simulation.undetermined.map(({ object }) => object.uid));
    const compared = before.records.filter((record) => ours(record) && !open.has(record.uid));
    const endsIn = (left: ReadonlyMap<string, ObjectRecord>) =>
      compared.map((record) => `${nameOf(record)}: ${endOf(left.get(record.uid))}`);
    expect(endsIn(foretold)).toEqual(endsIn(after));
  });

  test('nothing that any collector decides was left open', () => {
    expect(simulation.undetermined).toEqual([]);
    expect(simulation.unknown).toEqual([]);
  });

  test('a Node that is not ready got its taint', () => {
    const down = (left: Iterable<ObjectRecord>) =>
      endOf([...left].find(({ type, name }) => type.kind === 'Node' && name === 'down'));
    expect(down(simulation.objects)).toBe('there node.kubernetes.io/not-ready');
    expect(down(after.values())).toBe('there node.kubernetes.io/not-ready');
  });

  function endingStep(uid: string | undefined) {
    return simulation.steps.find(
      ({ object, result }) =>
        object.uid === uid && (result === 'removed' || result === 'terminating'),
    );
  }

  /** What goes after its owner goes as much later, or sooner, than it did. */
  function lateness({ ownerReferences }: ObjectRecord): number {
    const [owner] = ownerReferences;
    const step = endingStep(owner?.uid);
    const real = seen.get(owner?.uid ?? '');
    return step && real !== undefined ? real - Date.parse(step.at) : 0;
  }

  test('everything happened when the simulation said', () => {
    const untimely = before.records.filter(ours).flatMap((record) => {
      const step = endingStep(record.uid);
      const real = seen.get(record.uid);
      if (!step || real === undefined) return step || real ? [`${nameOf(record)}: not both`] : [];
      const late = lateness(record);
      // One look lists kind after kind, so that it may see a dependent gone and its owner there.
      const from = Date.parse(step.notBefore ?? step.at) + Math.min(0, late);
      const to = Date.parse(step.notAfter ?? step.at) + late;
      if (real >= from - 1_000 && real <= to + slack) return [];
      const seconds = [from, to, real].map((time) => Math.round((time - began) / 1000));
      return [`${nameOf(record)}: from ${seconds[0]} to ${seconds[1]} s, really ${seconds[2]} s`];
    });
    expect(untimely).toEqual([]);
  });

  test('every controller acted', () => {
    const actors = new Set(simulation.steps.map(({ actor }) => actor));
    expect([...actors].sort()).toEqual([
      'deployment-controller',
      'endpoints-controller',
      'endpointslice-mirroring-controller',
      'garbage-collector-controller',
      'node-lifecycle-controller',
      'persistentvolume-binder-controller',
      'persistentvolume-protection-controller',
      'persistentvolumeclaim-protection-controller',
      'pod-garbage-collector-controller',
      'resourceclaim-controller',
      'serviceaccount-token-controller',
      'statefulset-controller',
      'taint-eviction-controller',
      'token-cleaner-controller',
      'user',
    ]);
  });
}
