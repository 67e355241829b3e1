import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { KubeObject } from '../src/kube/record-codec.ts';
import { startControlPlane } from '../test/support/control-plane.ts';

/**
 * Watches a cluster in which thousands of objects change in a minute, and prints once in a while how much memory
 * each command has: it should not grow. `--minutes 5 --changes 100` (a second).
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
  const child = spawn(process.execPath, [bin, ...line.split(' ')], {
    env: { ...process.env, KUBECONFIG: plane.kubeconfigPath },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout?.on('data', (text: Buffer) => {
    written.set(name, (written.get(name) ?? 0) + text.length);
  });
  running.set(name, child);
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
await Promise.all(Array.from({ length: 8 }, (_, number) => worker(number)));
clearInterval(reports);
report();
for (const [name, child] of running) {
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  console.log(`${name} ended with ${code}, and had written ${written.get(name) ?? 0} bytes`);
}
await plane.stop();
process.exit(0);
