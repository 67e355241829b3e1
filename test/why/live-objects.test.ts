import { expect, test } from 'vitest';
import {
  type ControllerSettings,
  defaultControllerSettings,
} from '../../src/controllers/settings/controller-settings.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { type DiagnosisState, type Link, stateOf } from '../../src/why/chain.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import type { Answer, Query } from '../../src/why/inquiry.ts';
import { investigate } from '../../src/why/investigate.ts';
import { answerFromObjects } from '../support/answer-from-objects.ts';
import { servedTypes } from '../support/builders.ts';
import { kube } from '../support/kube.ts';
import { rowsOf } from '../support/rows.ts';
import { asked, diagnosed, leaseOf, readAt } from './diagnosed.ts';

/** What is said of an object of `shop`: its state, and each link as `Kind/name cause state: because`. */
async function why(target: string, ...given: Rest): Promise<[DiagnosisState, ...string[]]> {
  const isWide = target.startsWith('pv/');
  const finding = await diagnosed(isWide ? target : `${target} -n shop`, ...given);
  const lines = ({ object, cause, state, because, links }: Link, depth = ''): string[] => [
    `${depth}${object.kind}/${object.name} ${cause} ${state}: ${because}`,
    ...links.flatMap((one) => lines(one, `${depth}  `)),
  ];
  return [stateOf(finding), ...lines(finding)];
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

test('a finished Job with a TTL is deleted by the controller that forecast names', async () => {
  const reason = 'it was Complete at 2026-05-31T23:30:00Z, and its ttlSecondsAfterFinished is 3600';
  const links = [
    'Job/import unowned holds: it has no owner, but a controller deletes it',
    `  Job/import controller-deletes waiting: the controller ttl-after-finished deletes it at 2026-06-01T00:30:00Z: ${reason}`,
  ];
  expect(await why('job/import', [job, running])).toEqual(['alive', ...links]);
  expect(await why('job/import', [job, down])).toEqual([
    'alive',
    ...links,
    '    Lease/kube-controller-manager controller-manager-down blocked: kube-controller-manager, which runs the ttl-after-finished, has no leader; its Lease was last renewed 3600s ago',
  ]);
  const kept = object('Job', 'import', { spec: {}, status: { conditions: [complete] } });
  expect(await why('job/import', [kept, running])).toEqual([
    'alive',
    'Job/import unowned holds: it has no owner, so it lives until it is deleted',
  ]);
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
  expect([finding.because, finding.links[0]?.because]).toEqual([
    'it has no owner, but a controller deletes it',
    expect.stringContaining('the controller podcertificaterequest-cleaner deletes it'),
  ]);
});

test('a pod on a missing Node is deleted by pod garbage collection; on an unread one, perhaps', async () => {
  expect(await why('pod/p', [pod, running])).toEqual([
    'alive',
    'Pod/p unowned holds: it has no owner, but a controller deletes it',
    '  Pod/p controller-deletes waiting: the controller pod-garbage-collector deletes it between 2026-06-01T00:00:00Z and 2026-06-01T00:01:20Z: it is bound to Node n1, which does not exist',
  ]);
  const node = object('Node', 'n1');
  expect(await why('pod/p', [pod, running, node])).toEqual([
    'alive',
    'Pod/p unowned holds: it has no owner, so it lives until it is deleted',
  ]);
  const refused = (query: Query): Answer | undefined =>
    query.ask === 'object' && query.type.kind === 'Node'
      ? { readAt, reason: 'forbidden', message: 'nodes "n1" is forbidden' }
      : undefined;
  expect(await why('pod/p', [pod, running, node], refused)).toEqual([
    'alive',
    'Pod/p unowned holds: it has no owner; whether a controller deletes it is not known',
    '  Pod/p controller-unknown unknown: whether the controller pod-garbage-collector deletes it was not read',
    '  Pod/p controller-unknown unknown: whether the controller node-lifecycle deletes it was not read',
  ]);
});

test('objects that own each other are a cycle, and one that owns itself is told', async () => {
  const ring = [
    object('ConfigMap', 'a', { metadata: ownedBy('b') }),
    object('ConfigMap', 'b', { metadata: ownedBy('a') }),
  ];
  const [state, ...links] = await why('configmap/a', ring);
  expect([state, links.map((one) => one.trim().split(':')[0]), links.at(-1)]).toEqual([
    'alive',
    ['ConfigMap/a owned holds', 'ConfigMap/b owned holds', 'ConfigMap/a ownership-ring holds'],
    '    ConfigMap/a ownership-ring holds: these objects own each other in a cycle, so none of them is ever collected: ConfigMap a is owned by ConfigMap b is owned by ConfigMap a',
  ]);
  const own = await why('configmap/a', [object('ConfigMap', 'a', { metadata: ownedBy('a') })]);
  expect(own.slice(2)).toEqual([
    '  ConfigMap/a self-owner holds: it owns itself, so it is never collected',
  ]);
});

test('garbage whose deletion is refused, or that no collector deletes, is stuck', async () => {
  const garbage = object('ConfigMap', 'a', { metadata: ownedBy('gone') });
  const because = 'there is no ConfigMap gone in namespace shop';
  expect(await why('configmap/a', [garbage, running])).toEqual([
    'collectable',
    `ConfigMap/a collectable waiting: the garbage collector deletes it on its next pass: ${because}`,
  ]);
  const message = 'admission webhook "keep.example.com" denied the request: no';
  const denied = (query: Query): Answer | undefined =>
    query.ask === 'rehearsal'
      ? { readAt, value: { accepted: false, status: 403, message } }
      : undefined;
  expect(await why('configmap/a', [garbage, running], denied)).toEqual([
    'stuck',
    `ConfigMap/a collectable waiting: the garbage collector would delete it: ${because}`,
    `  ValidatingWebhookConfiguration/keep.example.com removal-refused blocked: ${message}`,
  ]);
  expect((await why('configmap/a', [garbage, down])).slice(0, 1)).toEqual(['stuck']);
  const off = ({ ask }: Query) =>
    ask === 'settings'
      ? settingsAre({ controllers: ['*', '-garbage-collector-controller'] })
      : undefined;
  expect(await why('configmap/a', [garbage, running], off)).toEqual([
    'stuck',
    `ConfigMap/a collectable waiting: the garbage collector would delete it: ${because}`,
    '  Lease/kube-controller-manager controller-off blocked: the garbage collector does not run here, as --controllers leaves garbage-collector-controller off',
  ]);
  const { metadata } = object('ConfigMap', 'a', {
    metadata: { finalizers: ['orphan'], deletionTimestamp: '2026-05-31T23:00:00Z' },
  });
  const orphaning = await why('configmap/a', [{ ...garbage, metadata }, running], off);
  expect([orphaning[0], orphaning.at(-1)]).toEqual([
    'stuck',
    expect.stringContaining('controller-off blocked: the garbage collector does not run here'),
  ]);
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
  expect((await why('pv/pv', [volume, running], hourly)).at(-1)).toContain(
    'deletes it between 2026-06-01T00:00:00Z and 2026-06-01T01:00:00Z',
  );
});

test('a pod on a Node that is not ready goes with the taint that the Node is yet to get, unless no Node is ready', async () => {
  const others = (status: string) => [nodeW1('Unknown', 'NodeStatusUnknown'), nodeOf('w2', status)];
  const there = object('Pod', 'p', { spec: { nodeName: 'w1' }, status: { phase: 'Running' } });
  expect((await why('pod/p', [there, running, ...others('True')])).slice(2)).toEqual([
    '  Pod/p controller-deletes waiting: the controller node-lifecycle deletes it from 2026-06-01T00:00:00Z on: Node w1 has the taint node.kubernetes.io/unreachable, and the pod does not tolerate it',
  ]);
  expect((await why('pod/p', [there, running, ...others('Unknown')])).slice(1)).toEqual([
    'Pod/p unowned holds: it has no owner, so it lives until it is deleted',
  ]);
});

test.each<[string, Answer, string]>([
  ['of the cluster', settings(3, 'cluster'), 'up to a threshold, here 3'],
  ['that is upstream’s', settings(12500, 'default'), 'up to a threshold, by default 12500'],
  [
    'that was not read',
    { readAt, reason: 'forbidden', message: 'no' },
    'up to a threshold, by default 12500 (what it is here was not read)',
  ],
])('an ended pod is counted against the threshold %s', async (_, answer, said) => {
  const done = object('Pod', 'done', { spec: {}, status: { phase: 'Failed', reason: 'Evicted' } });
  const given = ({ ask }: Query) => (ask === 'settings' ? answer : undefined);
  expect(await why('pod/done', [done], given)).toEqual([
    'alive',
    'Pod/done unowned holds: it has no owner, so it lives until it is deleted',
    `  Pod/done ended fine: it has ended (Failed, Evicted); pod GC keeps ended pods ${said}, and there are 1`,
  ]);
});

test('pod GC collects an ended pod beyond the threshold of the cluster', async () => {
  const ended = (name: string) => object('Pod', name, { spec: {}, status: { phase: 'Failed' } });
  const of =
    (threshold: number) =>
    ({ ask }: Query) =>
      ask === 'settings' ? settings(threshold, 'cluster') : undefined;
  const pods = [ended('a'), ended('b')];
  expect((await why('pod/a', pods, of(1))).slice(1)).toEqual([
    'Pod/a unowned holds: it has no owner, but a controller deletes it',
    expect.stringMatching(/Pod\/a controller-deletes waiting: .* more than 1 pod has ended/),
  ]);
  expect((await why('pod/a', pods, of(0))).slice(2)).toEqual([
    '  Pod/a ended fine: it has ended (Failed); pod GC keeps all ended pods, as its threshold is 0, and there are 2',
  ]);
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

const held = rowsOf(`
  is silent | Unknown | NodeStatusUnknown |
      | Node/w1 node-not-ready blocked: node w1 is not ready (NodeStatusUnknown: told), so its kubelet does not confirm that the containers stopped
  is not ready, and reports that itself | False | KubeletNotReady |
      | Pod/db pod-kubelet blocked: its grace period of 30s was over 1200s ago, node w1 is not ready (KubeletNotReady: told), and its kubelet has not confirmed that the containers stopped
  is out of service | Unknown | NodeStatusUnknown | out
      | Node/w1 node-out-of-service waiting: node w1 is not ready (NodeStatusUnknown: told) and has the taint node.kubernetes.io/out-of-service, so the pod garbage collector deletes the pod on its next pass
`);
test.each(held)(
  'a pod that is being deleted on a Node which %s',
  async (_, status = '', reason = '', out, said) => {
    const node = nodeW1(status, reason, out ? [outOfService] : []);
    expect((await why('pod/db', [stopping, node]))[2]).toBe(`  ${said}`);
  },
);

test.each<[string, KubeObject, string, number]>([
  ['alive', object('Pod', 'db', { spec: {} }), 'alive', 2],
  ['being deleted on a silent Node', stopping, 'stuck', 3],
])('a pod that is %s tells who ends it, as its condition says', async (_, pod, state, line) => {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
    lastTransitionTime: '2026-05-31T23:39:59Z',
  };
  const told = { ...pod, status: { phase: 'Running', conditions: [condition] } };
  const said = await why('pod/db', [told, nodeW1('Unknown', 'NodeStatusUnknown')]);
  expect([said[0], said[line]]).toEqual([
    state,
    '  Pod/db reported fine: its condition DisruptionTarget says since 2026-05-31T23:39:59Z: DeletionByTaintManager: Taint manager: deleting due to NoExecute taint',
  ]);
});

test('a claim tells since when no pod has used it, as its condition says', async () => {
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
  expect(await why('pvc/data', [claim])).toContain(
    '  PersistentVolumeClaim/data reported fine: its condition Unused says since 2026-05-01T00:00:00Z: NoPodsUsingPVC: No pods are currently referencing this PVC',
  );
});

test('what a Job, ended containers and a claim left behind says so', async () => {
  const labels = { 'batch.kubernetes.io/controller-uid': 'uid-old', 'job-name': 'import' };
  const left = object('Pod', 'left', { metadata: { labels }, status: { phase: 'Running' } });
  // A Job of that name was created again.
  expect(await why('pod/left', [left, object('Job', 'import')])).toEqual([
    'alive',
    'Pod/left unowned holds: its Job import was deleted and left it behind, so it lives until it is deleted',
  ]);
  const claimRef = { namespace: 'shop', name: 'data', uid: 'uid-old' };
  const volume = object('PersistentVolume', 'pv', {
    spec: { claimRef, persistentVolumeReclaimPolicy: 'Retain' },
    status: { phase: 'Failed', lastPhaseTransitionTime: '2026-05-30T00:00:00Z' },
  });
  expect((await why('pv/pv', [volume, object('PersistentVolumeClaim', 'data')]))[2]).toBe(
    '  PersistentVolume/pv released fine: its claim shop/data was deleted, and one with the same name created; its reclaim policy is Retain, and it is Failed for 2d',
  );
});

test('what Helm installed names its release, and that it is gone where no revision is left', async () => {
  const annotations = {
    'meta.helm.sh/release-name': 'web',
    'meta.helm.sh/release-namespace': 'shop',
  };
  const left = object('ConfigMap', 'left', { metadata: { annotations } });
  const revision = object('Secret', 'sh.helm.release.v1.web.v1', {
    metadata: { labels: { owner: 'helm', name: 'web' } },
  });
  const begin = 'ConfigMap/left unowned holds: it has no owner, so it lives until it is deleted; ';
  const gone =
    'Helm installed it with release shop/web, of which no Secret and no ConfigMap is left';
  expect((await why('configmap/left', [left]))[1]).toBe(begin + gone);
  const applied = `${begin}Helm release shop/web applied it`;
  expect((await why('configmap/left', [left, revision]))[1]).toBe(applied);
  const unread: Answer = { readAt, reason: 'forbidden', message: 'secrets is forbidden' };
  const secrets = await why('configmap/left', [left], (query) =>
    query.ask === 'list' && query.type.kind === 'Secret' ? unread : undefined,
  );
  expect(secrets[1]).toBe(applied);
});

test('what is in an ApplySet names its parent, as far as that is a Secret or a ConfigMap', async () => {
  const labels = { 'applyset.kubernetes.io/part-of': 'applyset-1' };
  const part = object('ConfigMap', 'part', { metadata: { labels } });
  const parent = object('Secret', 'shop-set', {
    metadata: { labels: { 'applyset.kubernetes.io/id': 'applyset-1' } },
  });
  const begin =
    'ConfigMap/part unowned holds: it has no owner, so it lives until it is deleted; ApplySet applyset-1 applied it';
  expect((await why('configmap/part', [part, parent]))[1]).toBe(
    `${begin}, whose parent is Secret shop/shop-set`,
  );
  expect((await why('configmap/part', [part]))[1]).toBe(
    `${begin}; no Secret and no ConfigMap is its parent, and another kind may be`,
  );
});
