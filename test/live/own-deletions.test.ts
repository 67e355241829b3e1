import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import { askingOf } from '../support/asking.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { randomFrom } from './seeded-random.ts';

/**
 * What controllers delete by themselves, without a request: objects are written before the controllers start, a forecast is
 * asked for, and what is gone in the end is compared with it.
 */
const second = 1000;
const start = Date.now();
const ago = (seconds: number) =>
  `${new Date(start - seconds * second).toISOString().slice(0, 19)}Z`;
const created = ago(1000);

interface Details {
  readonly labels?: string;
  readonly owner?: string;
  readonly spec?: string;
  readonly status?: string;
  readonly more?: string;
}

function object(kind: string, path: string, details: Details = {}): string {
  const [apiVersion, short] = kind.includes('/')
    ? [kind.slice(0, kind.lastIndexOf('/')), kind.slice(kind.lastIndexOf('/') + 1)]
    : ['v1', kind];
  const [name, namespace] = path.split('/').reverse();
  const { labels, owner, spec, status, more } = details;
  return [
    `apiVersion: ${apiVersion}`,
    `kind: ${short}`,
    'metadata:',
    `  name: ${name}`,
    ...(namespace ? [`  namespace: ${namespace}`] : []),
    `  uid: ${uidOf(short ?? '', path)}`,
    `  creationTimestamp: "${created}"`,
    ...(labels ? [`  labels: ${labels}`] : []),
    ...(owner ? [`  ownerReferences: [${owner}]`] : []),
    ...(more ? [`  ${more}`] : []),
    ...(spec ? [`spec: ${spec}`] : []),
    ...(status ? [`status: ${status}`] : []),
  ].join('\n');
}

const uidOf = (kind: string, path: string) => `${kind}-${path}`.toLowerCase().replace('/', '-');

function controlledBy(kind: string, path: string): string {
  const [apiVersion, short = ''] = [kind.slice(0, kind.lastIndexOf('/')), kind.split('/').at(-1)];
  return `{apiVersion: ${apiVersion}, kind: ${short}, name: ${path.split('/').at(-1)}, uid: ${uidOf(short, path)}, controller: true, blockOwnerDeletion: true}`;
}

const labels = '{app: a}';
const container =
  '{name: main, image: example.com/main, terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File, imagePullPolicy: Always}';
const podSpec = `containers: [${container}], restartPolicy: Always, terminationGracePeriodSeconds: 30, dnsPolicy: ClusterFirst, schedulerName: default-scheduler, securityContext: {}`;
const template = (extra = '') => `{metadata: {labels: ${labels}}, spec: {${podSpec}${extra}}}`;
const selector = `{matchLabels: ${labels}}`;
const ready = `conditions: [{type: Ready, status: "True", lastTransitionTime: "${created}"}]`;
const tracked = 'finalizers: [batch.kubernetes.io/job-tracking]';

const pod = (path: string, owner: string, status: string, spec = '', more = '') =>
  object('Pod', path, { labels, owner, spec: `{${podSpec}${spec}}`, status: `{${status}}`, more });

function statefulSet(namespace: string, policy: string): string[] {
  const own = controlledBy('apps/v1/StatefulSet', `${namespace}/db`);
  const of = (ordinal: number, status: string) => pod(`${namespace}/db-${ordinal}`, own, status);
  return [
    object('apps/v1/StatefulSet', `${namespace}/db`, {
      spec: `{replicas: 3, podManagementPolicy: ${policy}, serviceName: db, selector: ${selector}, template: ${template()}, updateStrategy: {type: OnDelete}, revisionHistoryLimit: 10}`,
    }),
    of(0, `phase: Running, ${ready}`),
    of(1, 'phase: Failed, reason: Evicted'),
    of(2, 'phase: Succeeded'),
  ];
}

function daemonSet(namespace: string): string[] {
  const own = controlledBy('apps/v1/DaemonSet', `${namespace}/agent`);
  const of = (name: string, node: string, phase: string) =>
    pod(
      `${namespace}/${name}`,
      own,
      `phase: ${phase}`,
      `, nodeName: ${node}, tolerations: [{operator: Exists}]`,
    );
  return [
    object('apps/v1/DaemonSet', `${namespace}/agent`, {
      spec: `{selector: ${selector}, template: ${template(', tolerations: [{operator: Exists}]')}, updateStrategy: {type: OnDelete}, revisionHistoryLimit: 10}`,
    }),
    of('failed', 'n1', 'Failed'),
    of('done', 'n2', 'Succeeded'),
    of('first', 'n3', 'Running'),
    of('second', 'n3', 'Running'),
  ];
}

function replicas(kind: string, namespace: string, wanted: number, count: number): string[] {
  const own = controlledBy(kind, `${namespace}/web`);
  const select = kind.startsWith('apps') ? selector : labels;
  return [
    object(kind, `${namespace}/web`, {
      spec: `{replicas: ${wanted}, selector: ${select}, template: ${template()}}`,
    }),
    ...Array.from({ length: count }, (_, index) =>
      pod(`${namespace}/web-${index}`, own, 'phase: Running'),
    ),
    pod(`${namespace}/web-ended`, own, 'phase: Failed'),
  ];
}

function job(namespace: string, spec: string, pods: readonly string[], started = 1): string[] {
  const own = controlledBy('batch/v1/Job', `${namespace}/import`);
  return [
    object('batch/v1/Job', `${namespace}/import`, {
      spec: `{parallelism: 3, completions: 3, completionMode: NonIndexed, ${spec.includes('backoffLimit') ? '' : 'backoffLimit: 6, '}suspend: false, podReplacementPolicy: Failed, manualSelector: true, selector: ${selector}, template: ${template().replace('restartPolicy: Always', 'restartPolicy: Never')}, ${spec}}`,
      status: `{startTime: "${ago(started)}", active: ${pods.length}, uncountedTerminatedPods: {}}`,
    }),
    ...pods.map((status, index) =>
      pod(`${namespace}/import-${index}`, own, status, '', tracked).replace(
        'restartPolicy: Always',
        'restartPolicy: Never',
      ),
    ),
    object('ConfigMap', `${namespace}/made`, { owner: own.replace('controller: true, ', '') }),
  ];
}

const failJob =
  'podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: DisruptionTarget, status: "True"}]}, {action: Ignore, onExitCodes: {operator: In, values: [7]}}]}';
const disrupted = 'conditions: [{type: DisruptionTarget, status: "True"}]';
const exited = (code: number) =>
  `containerStatuses: [{name: main, image: a, imageID: a, ready: false, restartCount: 0, state: {terminated: {exitCode: ${code}}}}]`;

/** Random workloads: SEED and CLUSTERS repeat a run. */
const clusters = Number(process.env.CLUSTERS ?? 24);
const random = randomFrom(Number(process.env.SEED ?? 521));
const oneOf = <T>(list: readonly T[]) => list[random(list.length)] as T;
const some = (most: number) => Array.from({ length: random(most + 1) }, (_, index) => index);

const states = [`phase: Running, ${ready}`, 'phase: Running', 'phase: Failed', 'phase: Succeeded'];

function anyStatefulSet(namespace: string): string[] {
  const own = controlledBy('apps/v1/StatefulSet', `${namespace}/db`);
  const policy = oneOf(['OrderedReady', 'Parallel']);
  return [
    object('apps/v1/StatefulSet', `${namespace}/db`, {
      spec: `{replicas: ${random(5)}, podManagementPolicy: ${policy}, serviceName: db, selector: ${selector}, template: ${template()}, updateStrategy: {type: OnDelete}, revisionHistoryLimit: 10}`,
    }),
    ...[0, 1, 2, 3, 4]
      .filter(() => random(4) > 0)
      .map((ordinal) => pod(`${namespace}/db-${ordinal}`, own, oneOf(states))),
  ];
}

function anyDaemonSet(namespace: string): string[] {
  const own = controlledBy('apps/v1/DaemonSet', `${namespace}/agent`);
  const on = () => `, nodeName: ${oneOf(['n1', 'n2', 'n3'])}, tolerations: [{operator: Exists}]`;
  return [
    object('apps/v1/DaemonSet', `${namespace}/agent`, {
      spec: `{selector: ${selector}, template: ${template(', tolerations: [{operator: Exists}]')}, updateStrategy: {type: OnDelete}, revisionHistoryLimit: 10}`,
    }),
    ...some(6).map((index) => pod(`${namespace}/agent-${index}`, own, oneOf(states), on())),
  ];
}

/** Of any number of pods that run, wait, have ended; suspended, at its deadline, with a policy, or done. */
function anyJob(namespace: string): string[] {
  const ends = ['phase: Running', 'phase: Running', 'phase: Pending', 'phase: Succeeded'];
  const failures = [`phase: Failed, ${disrupted}`, `phase: Failed, ${exited(oneOf([7, 8]))}`];
  const spec = [
    `ttlSecondsAfterFinished: ${oneOf([1, 1, 3600])}`,
    ...(random(3) === 0 ? [failJob] : []),
    ...(random(3) === 0 ? [`activeDeadlineSeconds: 20`] : []),
    ...(random(2) === 0 ? [`backoffLimit: ${random(2)}`] : []),
  ].join(', ');
  const pods = some(4).map(() => oneOf([...ends, ...failures]));
  const texts = job(namespace, spec, pods, oneOf([1, 60]));
  const parallelism = `parallelism: ${random(4)}`;
  const suspend = `suspend: ${random(5) === 0}`;
  return texts.map((text) =>
    text.replace('parallelism: 3', parallelism).replace('suspend: false', suspend),
  );
}

const drawn = Array.from({ length: clusters }, (_, index) => `drawn-${index}`);
const draw = (namespace: string, index: number) => {
  switch (index % 4) {
    case 0:
      return anyStatefulSet(namespace);
    case 1:
      return anyDaemonSet(namespace);
    case 2:
      return replicas(
        oneOf(['apps/v1/ReplicaSet', 'v1/ReplicationController']),
        namespace,
        random(3),
        random(5),
      );
    default:
      return anyJob(namespace);
  }
};

const namespaces = [
  ...drawn,
  'ordered',
  'parallel',
  'daemons',
  'surplus',
  'none',
  'deadline',
  'late',
  'policy',
  'ignored',
  'counted',
];
const texts = [
  ...namespaces.map((name) =>
    object('Namespace', name, { spec: '{finalizers: [kubernetes]}', status: '{phase: Active}' }),
  ),
  ...['n1', 'n2', 'n3'].map((name) =>
    object('Node', name, {
      status: `{conditions: [{type: Ready, status: "True", lastHeartbeatTime: "${ago(-600)}"}]}`,
    }),
  ),
  ...statefulSet('ordered', 'OrderedReady'),
  ...statefulSet('parallel', 'Parallel'),
  ...daemonSet('daemons'),
  ...replicas('apps/v1/ReplicaSet', 'surplus', 2, 4),
  ...replicas('v1/ReplicationController', 'none', 0, 2),
  ...job('deadline', 'activeDeadlineSeconds: 20, ttlSecondsAfterFinished: 1', [
    'phase: Running',
    'phase: Pending',
  ]),
  ...job('late', 'activeDeadlineSeconds: 20, ttlSecondsAfterFinished: 1', ['phase: Running'], 60),
  ...job('policy', `${failJob}, ttlSecondsAfterFinished: 1`, [
    'phase: Running',
    `phase: Failed, ${disrupted}`,
  ]),
  ...job('ignored', `${failJob}, backoffLimit: 0, ttlSecondsAfterFinished: 1`, [
    'phase: Running',
    `phase: Failed, ${exited(7)}`,
  ]),
  ...job('counted', `${failJob}, ttlSecondsAfterFinished: 1`, [
    'phase: Running',
    `phase: Failed, ${exited(8)}`,
  ]),
];
texts.push(...drawn.flatMap(draw));
const objects = texts.map((text) => parse(text) as KubeObject);

const plane = await ownControlPlane({ controllers: 'none', objects });
const { json } = askingOf(plane);

const kinds = ['Pod', 'Job', 'ConfigMap'];
async function there(): Promise<Set<string>> {
  const uids = new Set<string>();
  for (const namespace of namespaces) {
    for (const kind of kinds) {
      for (const { metadata } of await plane.list<KubeObject>(`${kind} ${namespace}/`))
        uids.add(`${metadata.uid}`);
    }
  }
  return uids;
}

test('objects are deleted as forecast, and no others', async () => {
  const { items } = await json<ForecastReport>('forecast -A --within 1h');
  const before = await there();
  await plane.startControllers(['*']);
  // The last to come is the deadline of a Job, and what its time to live deletes then.
  await sleep(45 * second);
  const after = await there();
  const gone = [...before].filter((uid) => !after.has(uid)).sort();
  const told = (confidences: readonly string[]) =>
    new Set(
      items
        .filter((item) => item.action === 'delete' && confidences.includes(item.confidence))
        .map(({ object: { uid } }) => uid),
    );
  const all = told(['certain', 'likely', 'unknown']);
  // What follows from a deletion that is unknown is not in the forecast.
  const isToldOf = (uid: string) =>
    all.has(uid) || all.has(uid.replace(/^configmap-(.*)-made$/, 'job-$1-import'));
  expect(gone.filter((uid) => !isToldOf(uid))).toEqual([]);
  expect([...told(['certain'])].filter((uid) => after.has(`${uid}`))).toEqual([]);
  expect(gone.length).toBeGreaterThan(18);
}, 180_000);
