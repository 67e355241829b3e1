import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { KubeObject } from '../src/kube/record-codec.ts';
import { isWatch, startProxy } from '../test/live/proxy.ts';
import { startControlPlane } from '../test/support/control-plane.ts';
import { highWaterMark } from './in-turns.ts';

/**
 * Deletes a ConfigMap with 20,000 dependents of three kinds, and follows it to its end: requests, watches, memory,
 * and how long after the real end the command ends. `--objects 20000`.
 */
const { values } = parseArgs({ options: { objects: { type: 'string', default: '20000' } } });
const bin = new URL('../bin/kubectl-gc.cjs', import.meta.url).pathname;
const namespace = 'followed';
const kinds = { ConfigMap: 'configmaps', Secret: 'secrets', ServiceAccount: 'serviceaccounts' };
const quick = ['--kube-api-qps=5000', '--kube-api-burst=5000', '--concurrent-gc-syncs=20'];

const plane = await startControlPlane({ controllers: 'none' });
const core = `/api/v1/namespaces/${namespace}`;
await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
const root = await plane.create<KubeObject>(`${core}/configmaps`, { metadata: { name: 'root' } });
const ownerReferences = [
  { apiVersion: 'v1', kind: 'ConfigMap', name: 'root', uid: root.metadata.uid ?? '' },
];
const names = Object.keys(kinds);
const dependents = Array.from({ length: Number(values.objects) }, (_, index) => ({
  apiVersion: 'v1',
  kind: names[index % names.length] ?? '',
  metadata: { name: `part-${index}`, namespace, ownerReferences },
}));
for (let index = 0; index < dependents.length; index += 1000) {
  await plane.putObjects(dependents.slice(index, index + 1000));
}
await plane.startControllers(['garbage-collector-controller'], quick);
const proxy = await startProxy(plane);

const line = `delete cm/root -n ${namespace} --yes --no-backup -o name -s ${proxy.address}`;
const began = performance.now();
const child = spawn(process.execPath, [bin, ...line.split(' ')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
child.stdout.resume();
let peak = 0;
const looks = setInterval(() => {
  peak = Math.max(peak, highWaterMark(child.pid));
}, 50);
child.once('exit', () => clearInterval(looks));
const ended = once(child, 'close').then(([code]) => ({ code, at: performance.now() }));
const goneAt = await emptied();
const { code, at } = await ended;

const watches = proxy.requests.filter(isWatch).map(({ path }) => path.split('?')[0]);
const seconds = (time: number) => (time / 1000).toFixed(1);
console.log(`${dependents.length} dependents of ${names.length} kinds: exit code ${code}`);
console.log(`gone after ${seconds(goneAt - began)} s, told ${seconds(at - goneAt)} s later`);
console.log(
  `${proxy.requests.length} requests, ${watches.length} watches of ${new Set(watches).size} kinds`,
);
console.log(
  `${Math.round(proxy.bytes / 2 ** 20)} MiB received, peak memory ${Math.round(peak)} MiB`,
);
await proxy.close();
await plane.stop();
process.exit(code === 0 ? 0 : 1);

/** Resolves with the time when a look found no dependent of any kind: the end was at most 0.1 s before it. */
async function emptied(): Promise<number> {
  for (;;) {
    const counts = await Promise.all(
      Object.values(kinds).map(async (kind) => {
        const list = `${core}/${kind}?limit=1&resourceVersion=0&fieldSelector=metadata.name!=kube-root-ca.crt,metadata.name!=default`;
        const { items } = await plane.get<{ items: readonly unknown[] }>(list);
        return items.length;
      }),
    );
    if (counts.every((count) => count === 0)) return performance.now();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
