import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { wantedVersion } from '../../scripts/control-plane.mjs';
import { connect } from '../../src/cluster/connection/connect.ts';
import { fromCluster } from '../../src/cluster/from-cluster.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { postToEtcd } from '../support/etcd-storage.ts';
import { hasUsefulFirstPass, playedMinor } from '../support/played-minor.ts';
import { type AuditedRequest, auditFlags, readAudit } from './collector-audit.ts';
import { drawFrom } from './collector-cluster/draw.ts';
import { collectorCluster } from './collector-cluster/index.ts';
import { leavingNode } from './collector-cluster/pods.ts';
import { isForgottenToken } from './collector-cluster/secrets.ts';
import { settleSets } from './collector-cluster/settle-sets.ts';

/** A random cluster that the real controllers have cleaned up; times in epoch milliseconds. */
export interface PlayedCluster {
  readonly seed: number;
  readonly threshold: number;
  /** kube-controller-manager's. */
  readonly controllers: readonly string[];
  /** The cluster as it was made, before the API server began. */
  readonly made: readonly KubeObject[];
  readonly madeAt: number;
  /** As we saw it before the controllers began. */
  readonly before: Snapshot;
  readonly startedAt: number;
  /** When pod garbage collection began its first pass. */
  readonly podGcStartedAt: number;
  /** When a Node was deleted. */
  readonly nodeGoneAt: number;
  readonly endedAt: number;
  /** Every write, in the order of the answers. */
  readonly requests: readonly AuditedRequest[];
}

/** The version of PodCertificateRequests that the controller manager reads (CSR-8). */
const podRequests = new Map([
  [34, 'certificates.k8s.io/v1alpha1'],
  [35, 'certificates.k8s.io/v1beta1'],
  [36, 'certificates.k8s.io/v1beta1'],
  [37, 'certificates.k8s.io/v1'],
]).get(playedMinor);

const quietControllers = [
  'pod-garbage-collector-controller',
  'ttl-after-finished-controller',
  'cronjob-controller',
  'certificatesigningrequest-cleaner-controller',
  ...(podRequests ? ['podcertificaterequest-cleaner-controller'] : []),
  'deployment-controller',
  'statefulset-controller',
  'daemonset-controller',
  'token-cleaner-controller',
  'serviceaccount-token-controller',
  'legacy-serviceaccount-token-cleaner-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
  'resourceclaim-controller',
  'garbage-collector-controller',
];
const nodeControllers = ['node-lifecycle-controller', 'taint-eviction-controller'];

export interface PlayOptions {
  /** How long the controllers are watched, in milliseconds. */
  readonly watched: number;
  /** How long after the controllers a Node goes, in milliseconds. */
  readonly nodeGoesAfter: number;
  /** Looks at the cluster before the controllers begin. */
  look?(plane: ControlPlane): Promise<void>;
}

/** Plays one random cluster on a control plane of its own. One seed in three has its Nodes watched, too. */
export async function playCollectors(seed: number, options: PlayOptions): Promise<PlayedCluster> {
  const madeAt = Date.now();
  const made = collectorCluster(seed, madeAt).flatMap(asServed);
  const directory = mkdtempSync(join(tmpdir(), 'kubectl-gc-collectors-'));
  const isPodRequest = ({ kind }: KubeObject) => kind === 'PodCertificateRequest';
  const isLate = (object: KubeObject) => isPodRequest(object) || isForgottenToken(object);
  const gates = podRequests ? ['--feature-gates=PodCertificateRequest=true'] : [];
  const plane = await startControlPlane({
    controllers: 'none',
    objects: made.filter((object) => !isLate(object)),
    apiServerArgs: [
      ...auditFlags(join(directory, 'policy.json')),
      ...gates,
      ...(podRequests ? [`--runtime-config=${podRequests}=true`] : []),
    ],
  });
  try {
    for (const object of made.filter(isPodRequest)) await store(plane, object);
    const draw = drawFrom(seed + 1, madeAt);
    await settleSets(plane, made, draw);
    const threshold = draw.one([0, 1, 4, 8, 15, 30]);
    const controllers = [...quietControllers, ...(seed % 3 === 2 ? nodeControllers : [])].filter(
      hasWork,
    );
    // Every kube-controller-manager collects tokens, so that these come last.
    await plane.putObjects([controllerManagerPod(threshold), ...made.filter(isForgottenToken)]);
    await options.look?.(plane);
    const before = await snapshotNow(plane);
    const startedAt = Date.now();
    await plane.startControllers(controllers, [
      `--terminated-pod-gc-threshold=${threshold}`,
      ...(hasUsefulFirstPass ? ['--controller-start-interval=3s'] : []),
      ...gates,
    ]);
    await sleep(Math.max(0, startedAt + options.nodeGoesAfter - Date.now()));
    const nodeGoneAt = Date.now();
    await plane.request(`/api/v1/nodes/${leavingNode}`, { method: 'DELETE' });
    await sleep(startedAt + options.watched - Date.now());
    const log = plane.controllerLog();
    await plane.stopControllers();
    return {
      seed,
      threshold,
      controllers,
      made,
      madeAt,
      before,
      startedAt,
      podGcStartedAt: loggedAt(log, 'Starting GC controller', startedAt),
      nodeGoneAt,
      endedAt: Date.now(),
      requests: readAudit(join(plane.directory, 'audit.log')),
    };
  } finally {
    await plane.stop();
    rmSync(directory, { recursive: true });
  }
}

/** Has the controller something to do in the first minute, in the version that is played? */
function hasWork(controller: string): boolean {
  const cleaner = /^(legacy-serviceaccount-token|.*request)-cleaner-controller$/;
  if (cleaner.test(controller)) return hasUsefulFirstPass;
  return controller !== 'resourceclaim-controller' || playedMinor >= 34;
}

/** The requests of pods in the version that this Kubernetes serves; before v1.34 there are none. */
function asServed(object: KubeObject): KubeObject[] {
  if (object.kind !== 'PodCertificateRequest') return [object];
  return podRequests ? [{ ...object, apiVersion: podRequests }] : [];
}

/** Where a cluster tells how its controllers were started. */
function controllerManagerPod(threshold: number): KubeObject {
  const name = 'kube-controller-manager';
  const command = [name, `--terminated-pod-gc-threshold=${threshold}`];
  const container = { name, image: `registry.k8s.io/${name}:${wantedVersion()}`, command };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${name}-0`, namespace: 'kube-system', labels: { component: name } },
    spec: { containers: [container] },
    status: { phase: 'Running' },
  };
}

async function snapshotNow(plane: ControlPlane): Promise<Snapshot> {
  const client = await connect({ kubeconfig: plane.kubeconfigPath });
  try {
    return await fromCluster(client, {}, { facts: true });
  } finally {
    client.close();
  }
}

/** An object of a built-in kind that a default API server does not serve. */
async function store(plane: ControlPlane, object: KubeObject): Promise<void> {
  const { namespace, name } = object.metadata;
  const metadata = { uid: crypto.randomUUID(), ...object.metadata };
  const key = `/registry/${object.kind.toLowerCase()}s/${namespace}/${name}`;
  const value = JSON.stringify({ ...object, metadata });
  await postToEtcd(plane.etcd, 'put', { key: btoa(key), value: btoa(value) });
}

/** When a line was logged, `I1121 14:34:57.476864 …`; never before `earliest`. */
function loggedAt(log: string, words: string, earliest: number): number {
  const line = log.split('\n').find((one) => one.includes(words)) ?? '';
  const [, clock = ''] = /^I\d{4} (\S+)/.exec(line) ?? [];
  const midnight = new Date(earliest).setHours(0, 0, 0, 0);
  const [hours = 0, minutes = 0, seconds = Number.NaN] = clock.split(':').map(Number);
  const time = midnight + ((hours * 60 + minutes) * 60 + seconds) * 1000;
  if (Number.isNaN(time)) throw new Error(`kube-controller-manager never logged ${words}`);
  return time < earliest ? time + 24 * 3_600_000 : time;
}
