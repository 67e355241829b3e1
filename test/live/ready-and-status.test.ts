import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { gc } from '../support/run-gc.ts';

/** READY and STATUS of `tree` and `owners`: what kubectl get prints is right. */
let plane: ControlPlane;
const namespace = 'ready-and-status';
const apps = `/apis/apps/v1/namespaces/${namespace}`;
const image = 'example.com/app';
const since = '2026-01-31T12:00:00Z';

const running = { running: { startedAt: since } };
const waiting = (reason: string) => ({ waiting: { reason } });
const ended = (exitCode: number, more: object = {}) => ({ terminated: { exitCode, ...more } });
const sidecar = { name: 'log', image, restartPolicy: 'Always' };

/** Containers of a pod by their names, with their states. */
function statuses(states: Readonly<Record<string, object>>) {
  return Object.entries(states).map(([name, status]) => ({
    name,
    image,
    imageID: '',
    ready: false,
    restartCount: 0,
    ...status,
  }));
}

const ready = { type: 'Ready', status: 'True' };
const initialized = { type: 'Initialized', status: 'True' };
type States = Parameters<typeof statuses>[0];
interface Case {
  readonly spec?: object;
  readonly status?: object;
  readonly isDeleted?: true;
}
/** A pod in this phase with containers in these states, and those that initialize it. */
const inPhase = (phase: string, states?: States, init?: States, more: object = {}): Case => ({
  status: {
    phase,
    ...(states && { containerStatuses: statuses(states) }),
    ...(init && { initContainerStatuses: statuses(init) }),
    ...more,
  },
});
const specOf = (...names: string[]) => ({ containers: names.map((name) => ({ name, image })) });
const initOf = (...names: string[]) => ({ initContainers: names.map((name) => ({ name, image })) });
const well = { state: running, ready: true };
const isDeleted = true;
const completed = { state: ended(0, { reason: 'Completed' }) };
const nodeLost = { reason: 'NodeLost' };

const cases: readonly Case[] = [
  {},
  inPhase('Running', { a: well }),
  inPhase('Running', { a: { state: running } }),
  inPhase('Pending', { a: { state: waiting('ErrImagePull') } }),
  inPhase('Running', { a: { state: waiting('CrashLoopBackOff') } }),
  inPhase('Succeeded', { a: completed }),
  inPhase('Failed', { a: { state: ended(1, { reason: 'Error' }) } }),
  inPhase('Failed', { a: { state: ended(3) } }),
  inPhase('Failed', { a: { state: ended(137, { signal: 9 }) } }),
  { status: { phase: 'Failed', reason: 'Evicted' } },
  inPhase('Unknown', { a: well }, undefined, nodeLost),
  {
    spec: specOf('a', 'b'),
    ...inPhase('Running', { a: well, b: completed }, undefined, { conditions: [ready] }),
  },
  { spec: specOf('a', 'b'), ...inPhase('Running', { a: well, b: completed }) },
  {
    spec: specOf('a', 'b', 'c'),
    ...inPhase('Running', {
      a: completed,
      b: { state: ended(2) },
      c: { state: ended(7, { reason: 'Error' }) },
    }),
  },
  {
    spec: initOf('first', 'second'),
    ...inPhase(
      'Pending',
      { a: { state: waiting('PodInitializing') } },
      { first: { state: ended(0) }, second: { state: running } },
    ),
  },
  {
    spec: initOf('first'),
    ...inPhase('Pending', undefined, { first: { state: waiting('CrashLoopBackOff') } }),
  },
  {
    spec: initOf('first'),
    ...inPhase('Failed', undefined, { first: { state: ended(2, { reason: 'Error' }) } }),
  },
  {
    spec: { initContainers: [{ name: 'first', image }, sidecar] },
    ...inPhase(
      'Running',
      { a: well },
      { first: { state: ended(0) }, log: { ...well, started: true } },
      { conditions: [ready, initialized] },
    ),
  },
  {
    spec: { initContainers: [sidecar] },
    ...inPhase(
      'Running',
      { a: well },
      { log: { state: running, started: true } },
      { conditions: [initialized] },
    ),
  },
  { spec: { initContainers: [sidecar] } },
  { spec: { schedulingGates: [{ name: 'example.com/hold' }] } },
  { isDeleted, ...inPhase('Running', { a: well }) },
  { isDeleted, status: { phase: 'Succeeded' } },
  { isDeleted, ...inPhase('Running', { a: well }, undefined, nodeLost) },
];

const labels = { app: 'ready' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image }] } };
const selector = { matchLabels: labels };
const workloads = [
  [
    apps,
    'Deployment',
    'deployments',
    { replicas: 3, selector, template },
    { replicas: 3, readyReplicas: 2, availableReplicas: 1 },
  ],
  [
    apps,
    'ReplicaSet',
    'replicasets',
    { replicas: 3, selector, template },
    { replicas: 3, readyReplicas: 2 },
  ],
  [
    apps,
    'StatefulSet',
    'statefulsets',
    { replicas: 2, selector, template, serviceName: 'x' },
    { replicas: 2, readyReplicas: 1 },
  ],
  [
    apps,
    'DaemonSet',
    'daemonsets',
    { selector, template },
    { currentNumberScheduled: 3, numberMisscheduled: 0, desiredNumberScheduled: 3, numberReady: 2 },
  ],
] as const;
const jobs = [
  { spec: {} },
  { spec: { completions: 3, parallelism: 1 } },
  { spec: { parallelism: 3 } },
  { spec: { suspend: true }, status: { conditions: [{ type: 'Suspended', status: 'True' }] } },
];

beforeAll(async () => {
  // A status stays as it is written.
  plane = await startControlPlane({ controllers: 'none' });
  await plane.make(`Namespace ${namespace}`);
  for (const [index, { spec, status, isDeleted }] of cases.entries()) {
    const name = `case-${index}`;
    const containers = [{ name: 'a', image }];
    await plane.make(`Pod ${namespace}/${name}`, {
      metadata: { finalizers: isDeleted ? ['example.com/hold'] : [] },
      spec: { containers, ...spec },
    });
    if (status) await patchStatus('pod', name, status);
    if (isDeleted) await kubectl('delete', 'pod', name, '--wait=false');
  }
  for (const [path, kind, resource, spec, status] of workloads) {
    await plane.create(`${path}/${resource}`, {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name: 'case', labels },
      spec,
    });
    await patchStatus(resource, 'case', status);
  }
  for (const [index, { spec, status }] of jobs.entries()) {
    const inJob = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
    await plane.make(`Job ${namespace}/case-${index}`, { spec: { template: inJob, ...spec } });
    if (status) await patchStatus('job', `case-${index}`, status);
  }
});
afterAll(() => plane?.stop());

async function kubectl(...args: string[]): Promise<string> {
  return (await plane.kubectl([...args, '-n', namespace])).stdout;
}

function patchStatus(type: string, name: string, status: object): Promise<string> {
  const patch = JSON.stringify({ status });
  return kubectl('patch', type, name, '--subresource=status', '--type=merge', '-p', patch);
}

/** Rows of kubectl by the name of the object: what its columns of these headers hold. */
async function shownByKubectl(type: string, headers: readonly string[]) {
  const [head = '', ...lines] = (await kubectl('get', type)).trimEnd().split('\n');
  const columns = headers.map((header) => head.indexOf(header));
  return new Map(
    lines.map((line) => {
      const [name = ''] = line.split(' ');
      return [name, columns.map((at) => line.slice(at).split(/ {2,}/)[0]?.trim() ?? '')] as const;
    }),
  );
}

interface Node {
  readonly name: string;
  readonly ready?: string;
  readonly status?: string;
}

async function shownByUs(command: 'tree' | 'owners', types: readonly string[]): Promise<Node[]> {
  const line = [command, ...types, '-n', namespace, '-o', 'json'];
  const { stdout } = await gc(line, { env: { KUBECONFIG: plane.kubeconfigPath } });
  return (JSON.parse(stdout) as { nodes: Node[] }).nodes;
}

test('READY and STATUS of pods are those of kubectl get', async () => {
  const wanted = await shownByKubectl('pods', ['READY', 'STATUS']);
  expect(wanted.size).toBe(cases.length);
  for (const nodes of [
    await shownByUs('tree', ['pods']),
    await shownByUs(
      'owners',
      [...wanted.keys()].map((name) => `pod/${name}`),
    ),
  ]) {
    const shown = nodes.map(({ name, ready, status }) => [name, [ready, status]] as const);
    expect(new Map(shown)).toEqual(wanted);
  }
});

test.each([
  ['deployments', ['READY']],
  ['statefulsets', ['READY']],
  ['replicasets', ['READY', 'DESIRED']],
  ['daemonsets', ['READY', 'DESIRED']],
])('READY of %s is that of kubectl get', async (type, headers) => {
  const wanted = await shownByKubectl(type, headers);
  for (const command of ['tree', 'owners'] as const) {
    const [node] = await shownByUs(command, [`${type}/case`]);
    expect(node?.ready).toBe(wanted.get('case')?.join('/'));
  }
});

test('READY and STATUS of Jobs are COMPLETIONS and STATUS of kubectl get', async () => {
  const wanted = await shownByKubectl('jobs', ['COMPLETIONS', 'STATUS']);
  const nodes = await shownByUs('tree', ['jobs']);
  expect(new Map(nodes.map(({ name, ready, status }) => [name, [ready, status]]))).toEqual(wanted);
});
