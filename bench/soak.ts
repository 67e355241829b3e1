import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { parseArgs } from 'node:util';
import type { KubeObject } from '../src/kube/record-codec.ts';
import { startControlPlane } from '../test/support/control-plane.ts';

/**
 * Watches a cluster in which thousands of objects change in a minute, and prints once in a while how much memory
 * each command has: it should not grow. Meanwhile trees are deleted and followed, one after the other: no end may
 * be missed. In the end, what `orphans -w` said last must be what `orphans` says.
 * `--minutes 5 --changes 100` (a second).
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    changes: { type: 'string', default: '100' },
    every: { type: 'string', default: '15' },
  },
});
const [minutes, changes, every] = [values.minutes, values.changes, values.every].map(Number) as [
  number,
  number,
  number,
];
const bin = new URL('../bin/kubectl-gc.cjs', import.meta.url).pathname;
const namespace = 'soak';
const path = `/api/v1/namespaces/${namespace}/configmaps`;
/** So many trees of a root and five dependents; one of them is replaced at a time. */
const trees = 200;

const plane = await startControlPlane({ controllers: ['garbage-collector-controller'] });
await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
const root = await tree('root-0');
for (let index = 1; index < trees; index++) await tree(`root-${index}`);

async function tree(name: string): Promise<KubeObject> {
  const made = await plane.create<KubeObject>(path, { metadata: { name } });
  const { uid } = made.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
  for (let index = 0; index < 5; index++) {
    await plane.create(path, { metadata: { name: `${name}-${index}`, ownerReferences } });
  }
  return made;
}

const lines: Readonly<Record<string, string>> = {
  tree: `tree cm/${root.metadata.name} -n ${namespace} -w`,
  orphans: `orphans -n ${namespace} -w -o json`,
  forecast: 'forecast -w',
  why: `why cm/${root.metadata.name} -n ${namespace} -w`,
  view: `view -n ${namespace}`,
};
const running = new Map<string, ChildProcess>();
const written = new Map<string, number>();
for (const [name, line] of Object.entries(lines)) {
  const child = gc(line);
  const count = (text: Buffer) => written.set(name, (written.get(name) ?? 0) + text.length);
  child.stdout?.on('data', count);
  // A browser listens to the page.
  if (name === 'view') {
    child.stdout?.once('data', (url: Buffer) => {
      get(url.toString().trim().replace('/?', '/events?'), (events) => {
        events.on('data', count).on('error', () => undefined);
      });
    });
  }
  running.set(name, child);
}

function gc(line: string): ChildProcess {
  return spawn(process.execPath, [bin, ...line.split(' ')], {
    env: { ...process.env, KUBECONFIG: plane.kubeconfigPath },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** The last line of `orphans -w`, which is a whole document. */
let shown = '';
let partial = '';
running.get('orphans')?.stdout?.on('data', (text: Buffer) => {
  const parts = (partial + text).split('\n');
  partial = parts.pop() ?? '';
  shown = parts.at(-1) ?? shown;
});

const began = performance.now();
const ends = began + minutes * 60_000;
let sent = 0;

/** Each changes a label, and now and then replaces a whole tree. */
async function worker(number: number): Promise<void> {
  for (let turn = 0; performance.now() < ends; turn++) {
    const name = `root-${1 + ((number + turn * 8) % (trees - 1))}`;
    if (turn % 50 === 49) {
      await plane.request(`${path}/${name}`, { method: 'DELETE' });
      await tree(name).catch(() => undefined);
      sent += 7;
    } else {
      const part = `${path}/${name}-${turn % 5}`;
      const body = { metadata: { labels: { turn: String(turn) } } };
      const headers = { 'content-type': 'application/merge-patch+json' };
      await plane.request(part, { method: 'PATCH', body, headers });
      sent += 1;
    }
    // Not faster than asked.
    const due = (sent / changes) * 1000 - (performance.now() - began);
    if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
  }
}

/** How long after its end each deletion of a tree was told, in milliseconds. */
const told: number[] = [];
let missed = 0;

async function deleteTrees(): Promise<void> {
  for (let turn = 0; performance.now() < ends; turn++) {
    const name = `ending-${turn}`;
    await tree(name);
    const child = gc(`delete cm/${name} -n ${namespace} --yes --no-backup -o name`);
    child.stdout?.resume();
    const parts = Array.from({ length: 5 }, (_, index) => `${path}/${name}-${index}`);
    const gone = Promise.all(parts.map(untilGone)).then(() => performance.now());
    const [code] = await once(child, 'close');
    const toldAt = performance.now();
    const goneAt = await gone;
    if (code === 0) told.push(toldAt - goneAt);
    else missed += 1;
    await new Promise((resolve) => setTimeout(resolve, 15_000));
  }
}

/** Does the last answer of `orphans -w` have the objects that `orphans` finds when nothing changes any more? */
async function isUpToDate(): Promise<boolean> {
  const uid = '00000000-0000-4000-8000-000000000000';
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'never-was', uid }];
  const finalizers = ['example.com/soak'];
  await plane.create(path, { metadata: { name: 'orphan', ownerReferences, finalizers } });
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const child = gc(`orphans -n ${namespace} -o json`);
  let now = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    now += text;
  });
  await once(child, 'close');
  const found = (text: string) => JSON.stringify(JSON.parse(text).items);
  return found(now).includes('never-was') && found(shown) === found(now);
}

async function untilGone(part: string): Promise<void> {
  while ((await plane.request(part)).status !== 404) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function report(): void {
  const seconds = (performance.now() - began) / 1000;
  const memory = [...running].map(([name, { pid }]) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    return `${name} ${Math.round(kilobytes / 1024)} MiB`;
  });
  const rate = Math.round(sent / seconds);
  console.log(`${Math.round(seconds)} s, ${sent} changes, ${rate} a second: ${memory.join(', ')}`);
}

const reports = setInterval(report, every * 1000);
await Promise.all([deleteTrees(), ...Array.from({ length: 8 }, (_, number) => worker(number))]);
clearInterval(reports);
report();
told.sort((one, other) => one - other);
const [median, worst] = [told[told.length >> 1], told.at(-1)].map((each) => Math.round(each ?? 0));
console.log(`${told.length} deletions were followed to their end, ${missed} were not;`);
console.log(`the end was told ${median} ms after it (median), ${worst} ms at most`);
console.log(`orphans -w ${(await isUpToDate()) ? 'says' : 'does NOT say'} what orphans says`);
for (const [name, child] of running) {
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  console.log(`${name} ended with ${code}, and had written ${written.get(name) ?? 0} bytes`);
}
await plane.stop();
process.exit(0);
