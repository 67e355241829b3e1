// The guard on a cluster of 100,000 objects: memory, time until it is ready, how long a DELETE waits, processor time.
//   node bench/guard.ts [--scale 0.78] [--minutes 5] [--deletions 200] [--writes 300]
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../src/kube/record-codec.ts';
import { freePorts } from '../test/support/control-plane-processes.ts';
import { team } from './loaded-cluster.ts';
import { load, startLoaded } from './loaded-control-plane.ts';

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '0.78' },
    huge: { type: 'string', default: '2000' },
    minutes: { type: 'string', default: '5' },
    deletions: { type: 'string', default: '200' },
    writes: { type: 'string', default: '300' },
  },
});
const [scale, huge, minutes, deletions, writes] = [
  values.scale,
  values.huge,
  values.minutes,
  values.deletions,
  values.writes,
].map(Number) as [number, number, number, number, number];
const bin = new URL('../bin/kubectl-gc.cjs', import.meta.url).pathname;
const manifests = new URL('../deploy/kustomize/guard/kubectl-gc.yaml', import.meta.url).pathname;
const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const teams = 400 * scale;

const plane = await startLoaded(scale);

async function measure(): Promise<void> {
  const [port = 0, metricsPort = 0] = await freePorts(2);
  const [found] = parseAllDocuments(readFileSync(manifests, 'utf8'))
    .map((one) => one.toJS() as KubeObject & { webhooks: object[] })
    .filter(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  const clientConfig = { url: `https://127.0.0.1:${port}/deletions` };
  const webhooks = found?.webhooks.map((webhook) => ({ ...webhook, clientConfig }));
  await plane.create(configurations, { ...found, webhooks });
  const line = `guard --serve 127.0.0.1:${port} --metrics 127.0.0.1:${metricsPort} --name 127.0.0.1`;
  const began = performance.now();
  const guard = spawn(process.execPath, [bin, ...line.split(' ')], {
    env: { ...process.env, KUBECONFIG: plane.kubeconfigPath },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  await new Promise<void>((resolve) => {
    guard.stderr.on('data', (text) => {
      process.stderr.write(text);
      if (`${text}`.includes('Watching')) resolve();
    });
  });
  console.log(`ready after ${seconds(performance.now() - began)}, ${memory(guard.pid)}`);
  try {
    await sleep(5_000);
    console.log(`5 s later: ${memory(guard.pid)}`);
    await answers('a Deployment and its 9 dependents', 200, deploymentPath);
    await answers('a Pod', 200, podPath);
    await answers('a namespace of 240', 50, namespacePath);
    await answers('a Deployment in a namespace of 24,000', 50, hugeDeploymentPath);
    await answers('a namespace of 24,000', 20, () => '/api/v1/namespaces/huge');
    console.log(memory(guard.pid));
    await processorOf(guard.pid, `${writes} writes a second`, 60, writes, (index) => write(index));
    console.log(memory(guard.pid));
    await processorOf(
      guard.pid,
      `${deletions} DELETEs a second`,
      minutes * 60,
      deletions,
      (index) => timed(index % 2 === 0 ? deploymentPath(index) : podPath(index)),
    );
    console.log(memory(guard.pid));
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    console.log(metrics.match(/^kubectl_gc_guard_(answer|deletions|failures).*$/gm)?.join('\n'));
  } finally {
    guard.kill('SIGKILL');
  }
}

function deploymentPath(index: number): string {
  return `/apis/apps/v1/namespaces/team-${index % teams}/deployments/app-${index % 20}`;
}

function podPath(index: number): string {
  const { names } = pods;
  return names[index % names.length] ?? '';
}

function namespacePath(index: number): string {
  return `/api/v1/namespaces/team-${index % teams}`;
}

function hugeDeploymentPath(index: number): string {
  return `/apis/apps/v1/namespaces/huge/deployments/app-${index % huge}`;
}

const pods = {
  names: (await plane.list('/api/v1/pods?limit=2000')).map(
    ({ metadata }) => `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`,
  ),
};

/** A DELETE that is not done, by the API server: milliseconds. */
function timed(path: string): Promise<number> {
  const began = performance.now();
  return send('DELETE', `${path}?dryRun=All`).then(() => performance.now() - began);
}

const agent = new Agent({ ca: plane.authority.certificate, keepAlive: true, maxSockets: 64 });

function send(method: string, path: string, body?: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${plane.adminToken}`,
      ...(body && { 'content-type': 'application/merge-patch+json' }),
    };
    const sent = request(new URL(path, plane.server), { agent, method, headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', reject).end(body && JSON.stringify(body));
  });
}

function write(index: number): Promise<unknown> {
  const [path] = [podPath(index)];
  return send('PATCH', path, { metadata: { annotations: { bench: String(index) } } });
}

async function answers(what: string, count: number, path: (index: number) => string) {
  const times: number[] = [];
  for (let index = 0; index < count; index++) times.push(await timed(path(index)));
  console.log(`DELETE of ${what}, one after another: ${percentiles(times)}`);
}

/** Sends so many a second for so long; a second that is too short for them is noted. */
async function processorOf(
  pid: number | undefined,
  what: string,
  lasts: number,
  each: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  const before = processorShares(pid);
  const began = performance.now();
  const times: number[] = [];
  const running = new Set<Promise<void>>();
  let sent = 0;
  while (performance.now() - began < lasts * 1000) {
    const due = Math.floor(((performance.now() - began) / 1000) * each);
    while (sent < due && running.size < 400) {
      const started = performance.now();
      const one: Promise<void> = work(sent++).then(
        () => void times.push(performance.now() - started),
        () => undefined,
      );
      running.add(one);
      void one.finally(() => running.delete(one));
    }
    await sleep(5);
  }
  await Promise.all(running);
  const took = (performance.now() - began) / 1000;
  const after = processorShares(pid);
  const cores = Object.entries(after).map(([name, time]) => {
    const share = (time - (before[name] ?? 0)) / took;
    return `${name} ${share.toFixed(2)}`;
  });
  console.log(
    `${what} for ${took.toFixed(0)} s: ${(sent / took).toFixed(0)} a second sent, ${percentiles(times)}; cores: ${cores.join(', ')}`,
  );
}

/** Seconds of processor time of all that takes part, and of whatever else the machine does. */
function processorShares(guard: number | undefined): Readonly<Record<string, number>> {
  const [etcd, apiServer] = plane.pids();
  const parts = {
    guard: processorTime(guard),
    'API server': processorTime(apiServer),
    etcd: processorTime(etcd),
    client: processorTime(process.pid),
  };
  const known = Object.values(parts).reduce((sum, time) => sum + time, 0);
  // The first line of /proc/stat: user, nice, system, idle, iowait, …
  const [user = 0, nice = 0, system = 0] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '')
    .split(/ +/)
    .slice(1)
    .map((ticks) => Number(ticks) / 100);
  return { ...parts, 'all else': user + nice + system - known };
}

function percentiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(0);
  return `median ${at(0.5)} ms, 99 of 100 within ${at(0.99)} ms, longest ${at(1)} ms`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Linux's clock ticks are hundredths of a second. */
function processorTime(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function memory(pid: number | undefined): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) =>
    (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1000).toFixed(0);
  return `memory ${of('VmRSS')} MB, at most ${of('VmHWM')} MB`;
}

try {
  await load(plane, team('huge', huge));
  await sleep(5_000);
  await measure();
} finally {
  await plane.stop();
}
