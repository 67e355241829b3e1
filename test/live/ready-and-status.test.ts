import { beforeAll, expect, test } from 'vitest';
import type { OwnersReport } from '../../src/questions/owners/document.ts';
import { askingOf } from '../support/asking.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';

/** READY and STATUS of `tree` and `owners`: what kubectl get prints is right. A status stays as it is written. */
const plane = await ownControlPlane({ controllers: 'none' });
const { json } = askingOf(plane);
const namespace = 'ready-and-status';
const image = 'example.com/app';
const since = '2026-01-31T12:00:00Z';

/**
 * Pods, as `PHASE REASON | containers | those that initialize it | conditions that are true`. A container is `a=run+ready`,
 * `a=wait/REASON` or `a=end/CODE/REASON/SIGNAL`; one with a star goes on beside the others; without a state, none is told.
 */
const pods = `

Running | a=run+ready
Running | a=run
Pending | a=wait/ErrImagePull
Running | a=wait/CrashLoopBackOff
Succeeded | a=end/0/Completed
Failed | a=end/1/Error
Failed | a=end/3
Failed | a=end/137//9
Failed Evicted
Unknown NodeLost | a=run+ready
Running | a=run+ready b=end/0/Completed | | Ready
Running | a=run+ready b=end/0/Completed
Running | a=end/0/Completed b=end/2 c=end/7/Error
Pending | a=wait/PodInitializing | first=end/0 second=run
Pending | | first=wait/CrashLoopBackOff
Failed | | first=end/2/Error
Running | a=run+ready | first=end/0 log*=run+ready+started | Ready Initialized
Running | a=run+ready | log*=run+started | Initialized
 | | log*
gated
deleted Running | a=run+ready
deleted Succeeded
deleted Running NodeLost | a=run+ready
`
  .split('\n')
  .slice(1, -1);

function containersOf(text = '') {
  const all = text.split(' ').filter(Boolean);
  return all.map((one) => {
    const [named = '', told] = one.split('=');
    const name = named.replace('*', '');
    const [state = '', ...flags] = told?.split('+') ?? [];
    const [how = '', value, reason, signal] = state.split('/');
    const states: Readonly<Record<string, object>> = {
      run: { running: { startedAt: since } },
      wait: { waiting: { reason: value } },
      end: {
        terminated: {
          exitCode: Number(value),
          ...(reason && { reason }),
          ...(signal && { signal: Number(signal) }),
        },
      },
    };
    const isReady = flags.includes('ready');
    const started = flags.includes('started') && { started: true };
    const status = { name, image, imageID: '', ready: isReady, restartCount: 0, ...started };
    return {
      spec: { name, image, ...(named !== name && { restartPolicy: 'Always' }) },
      status: told && { ...status, state: states[how] },
    };
  });
}

async function makePod(name: string, text: string): Promise<void> {
  const [head = '', main, init, conditions = ''] = text.split('|').map((part) => part.trim());
  const isDeleted = head.startsWith('deleted');
  const isGated = head === 'gated';
  const [phase, reason] = head.replace(/^(deleted|gated) ?/, '').split(' ');
  const [containers, others] = [containersOf(main), containersOf(init)];
  const toldOf = (all: typeof containers) => all.flatMap(({ status }) => status || []);
  await plane.make(`Pod ${namespace}/${name}`, {
    metadata: { finalizers: isDeleted ? ['example.com/hold'] : [] },
    spec: {
      containers:
        containers.length > 0 ? containers.map(({ spec }) => spec) : [{ name: 'a', image }],
      initContainers: others.map(({ spec }) => spec),
      ...(isGated && { schedulingGates: [{ name: 'example.com/hold' }] }),
    },
  });
  if (phase)
    await patchStatus('pod', name, {
      phase,
      ...(reason && { reason }),
      ...(main && { containerStatuses: toldOf(containers) }),
      ...(init && { initContainerStatuses: toldOf(others) }),
      conditions: conditions
        .split(' ')
        .filter(Boolean)
        .map((type) => ({ type, status: 'True' })),
    });
  if (isDeleted) await kubectl('delete', 'pod', name, '--wait=false');
}

const labels = { app: 'ready' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image }] } };
const selector = { matchLabels: labels };
const workloads: readonly (readonly [kind: string, spec: object, status: object])[] = [
  ['Deployment', { replicas: 3 }, { replicas: 3, readyReplicas: 2, availableReplicas: 1 }],
  ['ReplicaSet', { replicas: 3 }, { replicas: 3, readyReplicas: 2 }],
  ['StatefulSet', { replicas: 2, serviceName: 'x' }, { replicas: 2, readyReplicas: 1 }],
  [
    'DaemonSet',
    {},
    { currentNumberScheduled: 3, numberMisscheduled: 0, desiredNumberScheduled: 3, numberReady: 2 },
  ],
];
const jobs = [
  { spec: {} },
  { spec: { completions: 3, parallelism: 1 } },
  { spec: { parallelism: 3 } },
  { spec: { suspend: true }, status: { conditions: [{ type: 'Suspended', status: 'True' }] } },
];

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  for (const [index, text] of pods.entries()) await makePod(`case-${index}`, text);
  for (const [kind, spec, status] of workloads) {
    const whole = { ...spec, selector, template };
    await plane.make(`${kind} ${namespace}/case`, { metadata: { labels }, spec: whole });
    await patchStatus(kind, 'case', status);
  }
  for (const [index, { spec, status }] of jobs.entries()) {
    const inJob = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
    await plane.make(`Job ${namespace}/case-${index}`, { spec: { template: inJob, ...spec } });
    if (status) await patchStatus('job', `case-${index}`, status);
  }
});

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

/** READY and STATUS by the name of the object. */
async function shownByUs(command: 'tree' | 'owners', ...types: readonly string[]) {
  const line = `${command} ${types.join(' ')} -n ${namespace}`;
  const { nodes } = await json<OwnersReport>(line);
  return new Map(nodes.map(({ name, ready, status }) => [name, [ready, status]]));
}

test('READY and STATUS of pods are those of kubectl get', async () => {
  const wanted = await shownByKubectl('pods', ['READY', 'STATUS']);
  expect(wanted.size).toBe(pods.length);
  expect(await shownByUs('tree', 'pods')).toEqual(wanted);
  const named = [...wanted.keys()].map((name) => `pod/${name}`);
  expect(await shownByUs('owners', ...named)).toEqual(wanted);
});

test.each([
  ['deployments', ['READY']],
  ['statefulsets', ['READY']],
  ['replicasets', ['READY', 'DESIRED']],
  ['daemonsets', ['READY', 'DESIRED']],
])('READY of %s equals kubectl get', async (type, headers) => {
  const wanted = await shownByKubectl(type, headers);
  for (const command of ['tree', 'owners'] as const) {
    const [ready] = (await shownByUs(command, `${type}/case`)).get('case') ?? [];
    expect(ready).toBe(wanted.get('case')?.join('/'));
  }
});

test('READY and STATUS of Jobs are COMPLETIONS and STATUS of kubectl get', async () => {
  const wanted = await shownByKubectl('jobs', ['COMPLETIONS', 'STATUS']);
  expect(await shownByUs('tree', 'jobs')).toEqual(wanted);
});
