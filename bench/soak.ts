import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { parseArgs } from 'node:util';
import type { KubeObject } from '../src/kube/record-codec.ts';
import { startControlPlane } from '../test/support/control-plane.ts';

/**
 * Serves a page of a cluster in which thousands of objects change in a minute, and prints once in a while how much
 * memory that takes: it should not grow. Meanwhile trees are deleted and followed, one after the other: no end may
 * be missed. In the end, what the page shows must be what is there.
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
for (let index = 0; index < trees; index++) await tree(`root-${index}`);

async function tree(name: string): Promise<KubeObject> {
  const made = await plane.create<KubeObject>(path, { metadata: { name } });
  const { uid } = made.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
  for (let index = 0; index < 5; index++) {
    await plane.create(path, { metadata: { name: `${name}-${index}`, ownerReferences } });
  }
  return made;
}

let written = 0;
let page = '';
const viewing = gc(`view -n ${namespace}`);
// A browser listens to the page.
viewing.stdout?.once('data', (url: Buffer) => {
  page = url.toString().trim();
  get(page.replace('/?', '/events?'), (events) => {
    events
      .on('data', (text: Buffer) => {
        written += text.length;
      })
      .on('error', () => undefined);
  });
});

function gc(line: string): ChildProcess {
  return spawn(process.execPath, [bin, ...line.split(' ')], {
    env: { ...process.env, KUBECONFIG: plane.kubeconfigPath },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

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

/** Does the page show the tree that was made when nothing changes any more? */
async function isUpToDate(): Promise<boolean> {
  await tree('last');
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const answer = await fetch(page.replace('/?', '/page.json?'));
  const { objects } = (await answer.json()) as { objects: readonly { readonly name: string }[] };
  return objects.filter(({ name }) => name.startsWith('last')).length === 6;
}

async function untilGone(part: string): Promise<void> {
  while ((await plane.request(part)).status !== 404) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function report(): void {
  const seconds = (performance.now() - began) / 1000;
  const status = readFileSync(`/proc/${viewing.pid}/status`, 'utf8');
  const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  const memory = `${Math.round(kilobytes / 1024)} MiB`;
  const rate = Math.round(sent / seconds);
  console.log(`${Math.round(seconds)} s, ${sent} changes, ${rate} a second: ${memory}`);
}

const reports = setInterval(report, every * 1000);
await Promise.all([deleteTrees(), ...Array.from({ length: 8 }, (_, number) => worker(number))]);
clearInterval(reports);
report();
told.sort((one, other) => one - other);
const [median, worst] = [told[told.length >> 1], told.at(-1)].map((each) => Math.round(each ?? 0));
console.log(`${told.length} deletions were followed to their end, ${missed} were not;`);
console.log(`the end was told ${median} ms after it (median), ${worst} ms at most`);
console.log(`the page ${(await isUpToDate()) ? 'shows' : 'does NOT show'} what is there`);
viewing.kill('SIGINT');
const [code] = await once(viewing, 'close');
console.log(`view ended with ${code}, and had sent ${written} bytes`);
await plane.stop();
process.exit(0);
