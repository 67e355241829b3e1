import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import {
  type ControllerSettings,
  defaultControllerSettings,
} from '../../src/settings/controller-settings.ts';
import { type Link, linksOf, stateOf } from '../../src/why/chain.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import type { Answer, Query } from '../../src/why/inquiry.ts';
import { investigate } from '../../src/why/investigate.ts';
import { answerFromObjects } from '../support/answer-from-objects.ts';
import { servedTypes } from '../support/builders.ts';
import { kube } from '../support/kube.ts';
import { asked, diagnosed, leaseOf, readAt } from './diagnosed.ts';

/** What is said of an object of `shop`: its state, and each link as `Kind/name cause state: because`. */
async function why(target: string, ...given: Rest): Promise<string> {
  const isWide = target.startsWith('pv/');
  const finding = await diagnosed(isWide ? target : `${target} -n shop`, ...given);
  const lines = ({ object, cause, state, because, links }: Link, depth = ''): string[] => [
    `${depth}${object.kind}/${object.name} ${cause} ${state}: ${because}`,
    ...links.flatMap((one) => lines(one, `${depth}  `)),
  ];
  return [stateOf(finding), ...lines(finding)].join('\n');
}
type Rest = Parameters<typeof diagnosed> extends [string, ...infer Others] ? Others : never;

type Fields = Readonly<Record<string, unknown>> & { readonly metadata?: object };
const object = (kind: string, name: string, { metadata, ...fields }: Fields = {}): KubeObject =>
  kube(`${kind === 'Job' ? 'batch/v1' : 'v1'} ${kind} ${name}`, metadata, fields);

const settingsAre = (given: Partial<ControllerSettings>, thresholdFrom = 'default') =>
  ({
    readAt,
    value: {
      settings: { ...defaultControllerSettings, ...given },
      thresholdFrom,
      controllersFrom: 'default',
    },
  }) as Answer;
const settings = (terminatedPodGCThreshold: number, thresholdFrom: string) =>
  settingsAre({ terminatedPodGCThreshold }, thresholdFrom);

const ownedBy = (...names: string[]) => ({
  ownerReferences: names.map((name) => {
    return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: `uid-${name}` };
  }),
});
const running = leaseOf(readAt);
const down = leaseOf('2026-05-31T23:00:00Z');
const pod = object('Pod', 'p', { spec: { nodeName: 'n1' }, status: { phase: 'Running' } });
const complete = { type: 'Complete', status: 'True', lastTransitionTime: '2026-05-31T23:30:00Z' };
const job = object('Job', 'import', {
  spec: { ttlSecondsAfterFinished: 3600 },
  status: { conditions: [complete] },
});

test('a dependent stays until its owner, which is being deleted, was deleted', async () => {
  const gear = object('ConfigMap', 'gear', {
    metadata: { deletionTimestamp: '2026-05-31T23:00:00Z', finalizers: ['example.com/hold'] },
  });
  const dependent = object('ConfigMap', 'of-gear', { metadata: ownedBy('gear') });
  expect(await why('configmap/of-gear', [gear, dependent])).toMatchInlineSnapshot(`
    "alive
    ConfigMap/of-gear owned holds: ConfigMap gear exists in namespace shop
      ConfigMap/gear terminating holds: it is being deleted; the garbage collector decides about its dependents afterwards"
  `);
});

test('a finished Job with a TTL is deleted by the controller that forecast names', async () => {
  expect(await why('job/import', [job, running])).toMatchInlineSnapshot(`
    "alive
    Job/import unowned holds: it has no owner, but a controller deletes it
      Job/import controller-deletes waiting: the controller ttl-after-finished deletes it and its Pods at 2026-06-01T00:30:00Z: it was Complete at 2026-05-31T23:30:00Z, and its ttlSecondsAfterFinished is 3600"
  `);
  expect(await why('job/import', [job, down])).toMatchInlineSnapshot(`
    "alive
    Job/import unowned holds: it has no owner, but a controller deletes it
      Job/import controller-deletes waiting: the controller ttl-after-finished deletes it and its Pods at 2026-06-01T00:30:00Z: it was Complete at 2026-05-31T23:30:00Z, and its ttlSecondsAfterFinished is 3600
        Lease/kube-controller-manager controller-manager-down blocked: kube-controller-manager, which runs the ttl-after-finished, has no leader; its Lease was last renewed 60m ago"
  `);
  const kept = object('Job', 'import', { spec: {}, status: { conditions: [complete] } });
  expect(await why('job/import', [kept, running])).toMatchInlineSnapshot(`
    "alive
    Job/import unowned holds: it has no owner, so it lives until it is deleted"
  `);
});

test('a Job with a TTL that has yet to finish does not live until somebody deletes it', async () => {
  const unfinished = object('Job', 'import', {
    spec: { ttlSecondsAfterFinished: 3600 },
    status: {},
  });
  expect(await why('job/import', [unfinished, running])).toMatchInlineSnapshot(`
    "alive
    Job/import unowned holds: it has no owner, but a controller deletes it
      Job/import controller-deletes waiting: the controller ttl-after-finished deletes it 60m after it finishes (ttlSecondsAfterFinished)"
  `);
});

test('a request for the certificate of a pod is deleted by its age alone', async () => {
  const names = {
    resource: 'podcertificaterequests',
    singular: '',
    shortNames: [],
    categories: [],
  };
  const verbs = ['get', 'delete'];
  const kind = { group: 'certificates.k8s.io', version: 'v1', kind: 'PodCertificateRequest' };
  const type = { ...kind, ...names, namespaced: true, verbs };
  const types = new ResourceTypes([...servedTypes.all, type], { exhaustive: true });
  const metadata = { creationTimestamp: '2026-05-31T23:50:00Z' };
  const request = kube('certificates.k8s.io/v1 PodCertificateRequest r', metadata, { spec: {} });
  const { finding } = await investigate(
    { ...asked, types },
    (inquiry) => diagnose(inquiry, { type, namespace: 'shop', name: 'r' }),
    answerFromObjects([request, running], types, readAt),
  );
  const [link] = finding.links;
  expect([finding.cause, link?.cause, link?.rule]).toEqual([
    'unowned',
    'controller-deletes',
    'CSR-8',
  ]);
});

test('a pod on a missing Node is deleted by pod garbage collection; on an unread one, perhaps', async () => {
  expect(await why('pod/p', [pod, running])).toMatchInlineSnapshot(`
    "alive
    Pod/p unowned holds: it has no owner, but a controller deletes it
      Pod/p controller-deletes waiting: the controller pod-garbage-collector deletes it between 2026-06-01T00:00:00Z and 2026-06-01T00:01:20Z: it is bound to Node n1, which does not exist"
  `);
  const node = object('Node', 'n1');
  expect(await why('pod/p', [pod, running, node])).toMatchInlineSnapshot(`
    "alive
    Pod/p unowned holds: it has no owner, so it lives until it is deleted"
  `);
  const refused = (query: Query): Answer | undefined =>
    query.ask === 'object' && query.type.kind === 'Node'
      ? { readAt, reason: 'forbidden', message: 'nodes "n1" is forbidden' }
      : undefined;
  expect(await why('pod/p', [pod, running, node], refused)).toMatchInlineSnapshot(`
    "alive
    Pod/p unowned holds: it has no owner; whether a controller deletes it is not known
      Pod/p controller-unknown unknown: whether the controller pod-garbage-collector deletes it was not read
      Pod/p controller-unknown unknown: whether the controller node-lifecycle deletes it was not read"
  `);
});

test('objects that own each other are a cycle, and one that owns itself is reported', async () => {
  const ring = [
    object('ConfigMap', 'a', { metadata: ownedBy('b') }),
    object('ConfigMap', 'b', { metadata: ownedBy('a') }),
  ];
  expect(await why('configmap/a', ring)).toMatchInlineSnapshot(`
    "alive
    ConfigMap/a owned holds: ConfigMap b exists in namespace shop
      ConfigMap/b owned holds: ConfigMap a exists in namespace shop
        ConfigMap/a ownership-ring holds: these objects own each other in a cycle, so none of them is ever collected: ConfigMap a is owned by ConfigMap b is owned by ConfigMap a"
  `);
  const own = [object('ConfigMap', 'a', { metadata: ownedBy('a') })];
  expect(await why('configmap/a', own)).toMatchInlineSnapshot(`
    "alive
    ConfigMap/a owned holds: ConfigMap a exists in namespace shop
      ConfigMap/a self-owner holds: it owns itself, so it is never collected"
  `);
});

test('garbage whose deletion is refused, or that no collector deletes, is stuck', async () => {
  const garbage = object('ConfigMap', 'a', { metadata: ownedBy('gone') });
  const gone = (query: Query): Answer | undefined =>
    query.ask === 'object' && query.isLater ? { readAt, value: undefined } : undefined;
  expect(await why('configmap/a', [garbage, running], gone)).toMatchInlineSnapshot(`
    "collectable
    ConfigMap/a collectable waiting: the garbage collector deletes it on its next pass: no ConfigMap gone in namespace shop"
  `);
  expect(await why('configmap/a', [garbage, running])).toMatchInlineSnapshot(`
    "overdue
    ConfigMap/a overdue waiting: overdue: the garbage collector should have deleted it: no ConfigMap gone in namespace shop
      Lease/kube-controller-manager controller-manager-runs fine: kube-controller-manager has a leader, which renewed its Lease 0s ago; the garbage collector is among its controllers"
  `);
  const message = 'admission webhook "keep.example.com" denied the request: no';
  const denied = (query: Query): Answer | undefined =>
    query.ask === 'rehearsal'
      ? { readAt, value: { accepted: false, status: 403, message } }
      : undefined;
  expect(await why('configmap/a', [garbage, running], denied)).toMatchInlineSnapshot(`
    "stuck
    ConfigMap/a collectable waiting: the garbage collector would delete it: no ConfigMap gone in namespace shop
      ValidatingWebhookConfiguration/keep.example.com removal-refused blocked: admission webhook "keep.example.com" denied the request: no"
  `);
  expect(await why('configmap/a', [garbage, down])).toMatchInlineSnapshot(`
    "stuck
    ConfigMap/a collectable waiting: the garbage collector would delete it: no ConfigMap gone in namespace shop
      Lease/kube-controller-manager controller-manager-down blocked: kube-controller-manager, which runs the garbage collector, has no leader; its Lease was last renewed 60m ago"
  `);
  const off = ({ ask }: Query) =>
    ask === 'settings'
      ? settingsAre({ controllers: ['*', '-garbage-collector-controller'] })
      : undefined;
  expect(await why('configmap/a', [garbage, running], off)).toMatchInlineSnapshot(`
    "stuck
    ConfigMap/a collectable waiting: the garbage collector would delete it: no ConfigMap gone in namespace shop
      Lease/kube-controller-manager controller-off blocked: the garbage collector does not run here, as --controllers or --enable-garbage-collector leaves garbage-collector-controller off"
  `);
  const { metadata } = object('ConfigMap', 'a', {
    metadata: { finalizers: ['orphan'], deletionTimestamp: '2026-05-31T23:00:00Z' },
  });
  expect(await why('configmap/a', [{ ...garbage, metadata }, running], off)).toMatchInlineSnapshot(`
    "stuck
    ConfigMap/a terminating waiting: its deletion began at 2026-05-31T23:00:00Z
      ConfigMap/a orphaning-lost waiting: no object refers to it any more, but the garbage collector has not removed orphan
        Lease/kube-controller-manager controller-off blocked: the garbage collector does not run here, as --controllers or --enable-garbage-collector leaves garbage-collector-controller off"
  `);
});

test('a refused change of a dependent is why orphan waits, and no refused deletion is', async () => {
  const owner = object('ConfigMap', 'a', {
    metadata: { finalizers: ['orphan'], deletionTimestamp: '2026-05-31T23:00:00Z' },
  });
  const dependent = object('ConfigMap', 'of-a', { metadata: ownedBy('a') });
  const message =
    'failed calling webhook "hook.example.com": failed to call webhook: service "gone" not found';
  const causes = async (refused: string) => {
    const finding = await diagnosed('configmap/a -n shop', [owner, dependent, running], (query) => {
      if (query.ask !== 'rehearsal') return undefined;
      const isRefused = query.request.verb === refused;
      const answer = isRefused ? { status: 500, message } : { status: 200, message: '' };
      return { readAt, value: { accepted: !isRefused, ...answer } } as Answer;
    });
    return [...linksOf(finding)].map(({ cause }) => cause);
  };
  expect(await causes('patch')).toContain('admission-webhook-down');
  expect(await causes('delete')).not.toContain('admission-webhook-down');
});

test('no controller of Kubernetes is the program of a finalizer that its templates contain', async () => {
  const managedFields = [
    {
      ...{ manager: 'kube-controller-manager', operation: 'Update', time: '2026-05-31T22:00:00Z' },
      fieldsV1: { 'f:metadata': { 'f:finalizers': { '.': {}, 'v:"example.com/keep"': {} } } },
    },
  ];
  const finalizers = ['example.com/keep'];
  const held = object('Pod', 'p', {
    metadata: { finalizers, managedFields, deletionTimestamp: '2026-05-31T23:00:00Z' },
    status: { phase: 'Succeeded' },
  });
  const links = [...linksOf(await diagnosed('pod/p -n shop', [held, running]))];
  expect(links.map(({ next }) => next).join()).not.toContain('Install kube-controller-manager');
});

test('a released volume goes within the period of the manager here', async () => {
  const claimRef = { namespace: 'shop', name: 'data', uid: 'uid-old' };
  const hostPath = { path: '/tmp/data' };
  const volume = object('PersistentVolume', 'pv', {
    spec: { claimRef, hostPath, persistentVolumeReclaimPolicy: 'Delete' },
    status: { phase: 'Released' },
  });
  const hourly = ({ ask }: Query) =>
    ask === 'settings' ? settingsAre({ pvClaimBinderSyncPeriod: 3_600_000 }) : undefined;
  expect(await why('pv/pv', [volume, running], hourly)).toMatchInlineSnapshot(`
    "alive
    PersistentVolume/pv unowned holds: it has no owner, but a controller deletes it
      PersistentVolume/pv released fine: its claim shop/data was deleted; its reclaim policy is Delete, and it has been Released for an unknown time
      PersistentVolume/pv controller-deletes waiting: the controller persistentvolume-reclaim deletes it between 2026-06-01T00:00:00Z and 2026-06-01T01:00:00Z: its claim shop/data was deleted, and its reclaim policy is Delete: kube-controller-manager removes /tmp/data on its own machine, then the volume"
  `);
});

test('a pod on a Node that is not ready is evicted by the upcoming taint of the Node, unless no Node is ready', async () => {
  const others = (status: string) => [nodeW1('Unknown', 'NodeStatusUnknown'), nodeOf('w2', status)];
  const there = object('Pod', 'p', { spec: { nodeName: 'w1' }, status: { phase: 'Running' } });
  expect(await why('pod/p', [there, running, ...others('True')])).toMatchInlineSnapshot(`
    "alive
    Pod/p unowned holds: it has no owner, but a controller deletes it
      Pod/p controller-deletes waiting: the controller node-lifecycle deletes it from 2026-06-01T00:00:00Z on: Node w1 has the taint node.kubernetes.io/unreachable, and the pod does not tolerate it
      Node/w1 node-not-ready waiting: once it is being deleted, it remains: its node w1 is not ready, so no kubelet confirms that its containers stopped (NodeStatusUnknown: told)"
  `);
  expect(await why('pod/p', [there, running, ...others('Unknown')])).toMatchInlineSnapshot(`
    "alive
    Pod/p unowned holds: it has no owner, so it lives until it is deleted"
  `);
});

test('an ended pod is counted against the threshold of the cluster, or against upstream’s', async () => {
  const done = object('Pod', 'done', { spec: {}, status: { phase: 'Failed', reason: 'Evicted' } });
  const withThreshold = (answer: Answer) =>
    why('pod/done', [done], ({ ask }) => (ask === 'settings' ? answer : undefined));
  expect(await withThreshold(settings(3, 'cluster'))).toMatchInlineSnapshot(`
    "alive
    Pod/done unowned holds: it has no owner, so it lives until it is deleted
      Pod/done ended holds: it has ended (Failed, Evicted); pod GC keeps ended pods up to a threshold, here 3, and there are 1"
  `);
  expect(await withThreshold(settings(12500, 'default'))).toMatchInlineSnapshot(`
    "alive
    Pod/done unowned holds: it has no owner, so it lives until it is deleted
      Pod/done ended holds: it has ended (Failed, Evicted); pod GC keeps ended pods up to a threshold, by default 12500, and there are 1"
  `);
  const unread: Answer = { readAt, reason: 'forbidden', message: 'no' };
  expect(await withThreshold(unread)).toMatchInlineSnapshot(`
    "alive
    Pod/done unowned holds: it has no owner, so it lives until it is deleted
      Pod/done ended holds: it has ended (Failed, Evicted); pod GC keeps ended pods up to a threshold, by default 12500 (what it is here was not read), and there are 1"
  `);
});

test('pod GC collects an ended pod beyond the threshold of the cluster', async () => {
  const ended = (name: string) => object('Pod', name, { spec: {}, status: { phase: 'Failed' } });
  const of =
    (threshold: number) =>
    ({ ask }: Query) =>
      ask === 'settings' ? settings(threshold, 'cluster') : undefined;
  const pods = [ended('a'), ended('b')];
  expect(await why('pod/a', pods, of(1))).toMatchInlineSnapshot(`
    "alive
    Pod/a unowned holds: it has no owner, but a controller deletes it
      Pod/a controller-deletes waiting: the controller pod-garbage-collector deletes it between 2026-06-01T00:00:00Z and 2026-06-01T00:00:20Z: it is Failed, and more than 1 pod has ended; the oldest are deleted first"
  `);
  expect(await why('pod/a', pods, of(0))).toMatchInlineSnapshot(`
    "alive
    Pod/a unowned holds: it has no owner, so it lives until it is deleted
      Pod/a ended holds: it has ended (Failed); pod GC keeps all ended pods, as its threshold is 0, and there are 2"
  `);
});

/** A pod that has been told to stop on a Node, 20 minutes ago. */
const stopping = object('Pod', 'db', {
  metadata: { deletionTimestamp: '2026-05-31T23:40:00Z', deletionGracePeriodSeconds: 30 },
  spec: { nodeName: 'w1' },
});
const nodeOf = (name: string, status: string, reason = '', taints: readonly object[] = []) =>
  object('Node', name, {
    spec: { taints },
    status: { conditions: [{ type: 'Ready', status, reason, message: 'told' }] },
  });
const nodeW1 = (...ready: [string, string, (readonly object[])?]) => nodeOf('w1', ...ready);
const outOfService = { key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' };

test('a pod that is being deleted on a Node which is not ready is blocked there', async () => {
  const onNode = (...ready: Parameters<typeof nodeW1>) =>
    why('pod/db', [stopping, nodeW1(...ready)]);
  expect(await onNode('Unknown', 'NodeStatusUnknown')).toMatchInlineSnapshot(`
    "stuck
    Pod/db terminating waiting: its deletion began at 2026-05-31T23:39:30Z
      Node/w1 node-not-ready blocked: node w1 is not ready (NodeStatusUnknown: told), so its kubelet does not confirm that the containers stopped"
  `);
  expect(await onNode('False', 'KubeletNotReady')).toMatchInlineSnapshot(`
    "stuck
    Pod/db terminating waiting: its deletion began at 2026-05-31T23:39:30Z
      Pod/db pod-kubelet blocked: its grace period of 30s was over 20m ago, node w1 is not ready (KubeletNotReady: told), and its kubelet has not confirmed that the containers stopped"
  `);
  expect(await onNode('Unknown', 'NodeStatusUnknown', [outOfService])).toMatchInlineSnapshot(`
    "unknown
    Pod/db terminating waiting: its deletion began at 2026-05-31T23:39:30Z
      Node/w1 node-out-of-service waiting: node w1 is not ready (NodeStatusUnknown: told) and has the taint node.kubernetes.io/out-of-service, so the pod garbage collector deletes the pod on its next pass
        Lease/kube-controller-manager controller-manager-unknown unknown: kube-controller-manager has no Lease: it does not run, runs elsewhere, or runs without leader election"
  `);
});

test('the condition of a pod names who ends it, whether it is being deleted or not', async () => {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
    lastTransitionTime: '2026-05-31T23:39:59Z',
  };
  const told = (pod: KubeObject) =>
    why('pod/db', [
      { ...pod, status: { phase: 'Running', conditions: [condition] } },
      nodeW1('Unknown', 'NodeStatusUnknown'),
    ]);
  expect(await told(object('Pod', 'db', { spec: {} }))).toMatchInlineSnapshot(`
    "alive
    Pod/db unowned holds: it has no owner, so it lives until it is deleted
      Pod/db reported fine: its status reported DisruptionTarget True (DeletionByTaintManager) 20m ago, at 2026-05-31T23:39:59Z: Taint manager: deleting due to NoExecute taint"
  `);
  expect(await told(stopping)).toMatchInlineSnapshot(`
    "stuck
    Pod/db terminating waiting: its deletion began at 2026-05-31T23:39:30Z
      Node/w1 node-not-ready blocked: node w1 is not ready (NodeStatusUnknown: told), so its kubelet does not confirm that the containers stopped
      Pod/db reported fine: its status reported DisruptionTarget True (DeletionByTaintManager) 20m ago, at 2026-05-31T23:39:59Z: Taint manager: deleting due to NoExecute taint"
  `);
});

test('Endpoints of a Service without a selector are kept while the Service exists', async () => {
  const endpoints = object('Endpoints', 'front');
  const service = (spec: object) => object('Service', 'front', { spec });
  const chainOf = async (spec: object) => {
    const chain = await diagnosed('endpoints/front -n shop', [endpoints, service(spec), running]);
    return linksOf(chain).flatMap(({ cause, rule }) => (cause === 'kept' ? [rule] : []));
  };
  expect(await chainOf({ clusterIP: '10.0.0.9' })).toEqual(['OTH-1']);
  expect(await chainOf({ selector: { app: 'front' } })).toEqual([]);
});

test('a claim that stays when its StatefulSet is scaled down is kept, while the policy retains it', async () => {
  const set = (spec: object) =>
    kube(
      'apps/v1 StatefulSet db',
      { namespace: 'shop' },
      { spec: { replicas: 1, volumeClaimTemplates: [{ metadata: { name: 'data' } }], ...spec } },
    );
  const claim = (name: string) =>
    kube(`v1 PersistentVolumeClaim ${name}`, { namespace: 'shop' }, { spec: {} });
  const kept = async (name: string, ...sets: KubeObject[]) => {
    const chain = await diagnosed(`pvc/${name} -n shop`, [claim(name), ...sets]);
    return linksOf(chain).flatMap(({ cause, rule }) => (cause === 'kept' ? [rule] : []));
  };
  const deletes = { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } };
  expect({
    'beyond the replicas': await kept('data-db-1', set({})),
    'of a Pod that is there': await kept('data-db-0', set({})),
    'before the first ordinal': await kept('data-db-0', set({ ordinals: { start: 2 } })),
    'of another template': await kept('logs-db-1', set({})),
    'with a policy that deletes it': await kept('data-db-1', set(deletes)),
    'without a StatefulSet': await kept('data-db-1'),
  }).toEqual({
    'beyond the replicas': ['STS-2'],
    'of a Pod that is there': [],
    'before the first ordinal': ['STS-2'],
    'of another template': [],
    'with a policy that deletes it': [],
    'without a StatefulSet': [],
  });
});

test('the condition of a claim says since when no pod has used it', async () => {
  const condition = {
    type: 'Unused',
    status: 'True',
    reason: 'NoPodsUsingPVC',
    message: 'No pods are currently referencing this PVC',
    lastTransitionTime: '2026-05-01T00:00:00Z',
  };
  const claim = object('PersistentVolumeClaim', 'data', {
    spec: {},
    status: { phase: 'Bound', conditions: [condition] },
  });
  expect(await why('pvc/data', [claim])).toMatchInlineSnapshot(`
    "alive
    PersistentVolumeClaim/data unowned holds: it has no owner, so it lives until it is deleted
      PersistentVolumeClaim/data reported fine: its status reported Unused True (NoPodsUsingPVC) 31d ago, at 2026-05-01T00:00:00Z: No pods are currently referencing this PVC"
  `);
});

test('what a Job, ended containers and a claim left behind says so', async () => {
  const labels = { 'batch.kubernetes.io/controller-uid': 'uid-old', 'job-name': 'import' };
  const left = object('Pod', 'left', { metadata: { labels }, status: { phase: 'Running' } });
  // A Job of that name was created again.
  expect(await why('pod/left', [left, object('Job', 'import')])).toMatchInlineSnapshot(`
    "alive
    Pod/left unowned holds: its Job import was deleted and left it behind, so it lives until it is deleted"
  `);
  const claimRef = { namespace: 'shop', name: 'data', uid: 'uid-old' };
  const volume = object('PersistentVolume', 'pv', {
    spec: { claimRef, persistentVolumeReclaimPolicy: 'Retain' },
    status: { phase: 'Failed', lastPhaseTransitionTime: '2026-05-30T00:00:00Z' },
  });
  expect(
    await why('pv/pv', [volume, object('PersistentVolumeClaim', 'data')]),
  ).toMatchInlineSnapshot(`
    "alive
    PersistentVolume/pv unowned holds: it has no owner, so it lives until it is deleted
      PersistentVolume/pv released holds: its claim shop/data was deleted, and one with the same name created; its reclaim policy is Retain, and it has been Failed for 2d"
  `);
});

test('the Lease of a deleted Node and the ReplicaSet of a deleted Deployment say what they lost', async () => {
  const lease = kube('coordination.k8s.io/v1 Lease n1', { namespace: 'kube-node-lease' });
  const node = kube('v1 Node n1', { namespace: '' });
  const forbidden = { readAt, reason: 'forbidden', message: 'nodes is forbidden' } as const;
  const unread = (query: Query) =>
    query.ask === 'object' && query.type.kind === 'Node' ? forbidden : undefined;
  const ofLease = async (objects: KubeObject[], answer?: typeof unread) => {
    const { rule, because } = await diagnosed('lease/n1 -n kube-node-lease', objects, answer);
    return [rule, because.includes('does not exist')];
  };
  expect(await ofLease([lease])).toEqual(['LEASE-3', true]);
  expect(await ofLease([lease, node])).toEqual(['GC-22.8', false]);
  expect(await ofLease([lease], unread)).toEqual(['GC-22.8', false]);

  const set = kube('apps/v1 ReplicaSet web-1', { labels: { 'pod-template-hash': '1' } });
  expect((await diagnosed('rs/web-1 -n shop', [set])).because).toContain('--cascade=orphan');
});

test('an object that Helm installed names its release, also without any revision', async () => {
  const annotations = {
    'meta.helm.sh/release-name': 'web',
    'meta.helm.sh/release-namespace': 'shop',
  };
  const left = object('ConfigMap', 'left', { metadata: { annotations } });
  const revision = object('Secret', 'sh.helm.release.v1.web.v1', {
    metadata: { labels: { owner: 'helm', name: 'web' } },
  });
  expect(await why('configmap/left', [left])).toMatchInlineSnapshot(`
    "alive
    ConfigMap/left unowned holds: it has no owner, so it lives until it is deleted; Helm installed it with release shop/web, of which no Secret and no ConfigMap is left"
  `);
  const applied = await why('configmap/left', [left, revision]);
  expect(applied).toMatchInlineSnapshot(`
    "alive
    ConfigMap/left unowned holds: it has no owner, so it lives until it is deleted; Helm release shop/web applied it"
  `);
  const unread: Answer = { readAt, reason: 'forbidden', message: 'secrets is forbidden' };
  const secrets = await why('configmap/left', [left], (query) =>
    query.ask === 'list' && query.type.kind === 'Secret' ? unread : undefined,
  );
  expect(secrets).toBe(applied);
});

test('what is in an ApplySet names its parent, as far as that is a Secret or a ConfigMap', async () => {
  const labels = { 'applyset.kubernetes.io/part-of': 'applyset-1' };
  const part = object('ConfigMap', 'part', { metadata: { labels } });
  const parent = object('Secret', 'shop-set', {
    metadata: { labels: { 'applyset.kubernetes.io/id': 'applyset-1' } },
  });
  expect(await why('configmap/part', [part, parent])).toMatchInlineSnapshot(`
    "alive
    ConfigMap/part unowned holds: it has no owner, so it lives until it is deleted; ApplySet applyset-1 applied it, whose parent is Secret shop/shop-set"
  `);
  expect(await why('configmap/part', [part])).toMatchInlineSnapshot(`
    "alive
    ConfigMap/part unowned holds: it has no owner, so it lives until it is deleted; ApplySet applyset-1 applied it; no Secret and no ConfigMap is its parent, and another kind may be"
  `);
});

test('what a controller is due to delete and a webhook without a server refuses names the webhook first, and no deletion', async () => {
  const lost = object('Pod', 'lost', { spec: { nodeName: 'gone' }, status: { phase: 'Failed' } });
  const message =
    'failed calling webhook "hook.example.com": failed to call webhook: service "gone" not found';
  const refused = (query: Query): Answer | undefined =>
    query.ask === 'rehearsal' && query.request.verb === 'delete'
      ? { readAt, value: { accepted: false, status: 500, message } }
      : undefined;
  const links = async (answer?: typeof refused) =>
    (await diagnosed('pod/lost -n shop', [lost, running], answer)).links.map(
      ({ cause, state, command }) => [cause, state, command !== undefined],
    );
  expect(await links()).toEqual([
    ['ended', 'holds', true],
    ['controller-deletes', 'waiting', true],
  ]);
  expect(await links(refused)).toEqual([
    ['admission-webhook-down', 'blocked', false],
    ['ended', 'holds', false],
    ['controller-deletes', 'waiting', true],
  ]);
});

test('Pods of a ReplicaSet that has more of them than replicas may be deleted, and all where it keeps none', async () => {
  const web = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'uid-web' };
  const ownerReferences = [{ ...web, controller: true }];
  const pods = ['a', 'b'].map((name) =>
    object('Pod', name, { metadata: { ownerReferences }, status: { phase: 'Running' } }),
  );
  const statesWith = async (replicas: number, counted: number) => {
    const set = kube(
      'apps/v1 ReplicaSet web',
      { namespace: 'shop' },
      { spec: { replicas }, status: { replicas: counted } },
    );
    const chain = await diagnosed('pod/a -n shop', [...pods, set, running]);
    return linksOf(chain).flatMap(({ rule, state }) => (rule === 'WPOD-4' ? [state] : []));
  };
  expect(await statesWith(0, 2)).toEqual(['waiting']);
  expect(await statesWith(1, 2)).toEqual(['unknown']);
  expect(await statesWith(2, 2)).toEqual([]);
});

test('a reference to an apiVersion that is not served is removed by an owner that orphans its dependents', async () => {
  const owner = object('ConfigMap', 'owner', {
    metadata: { deletionTimestamp: '2026-05-31T23:00:00Z', finalizers: ['orphan'] },
  });
  const [reference] = ownedBy('owner').ownerReferences;
  const metadata = { ownerReferences: [{ ...reference, apiVersion: 'v2' }] };
  const ruleOf = async (...given: KubeObject[]) =>
    (await diagnosed('configmap/of-owner -n shop', given)).rule;
  const dependent = object('ConfigMap', 'of-owner', { metadata });
  expect(await ruleOf(owner, dependent)).toBe('GC-37');
  expect(await ruleOf(dependent)).toBe('GC-30');
});
