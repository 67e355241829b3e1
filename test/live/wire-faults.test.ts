import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubeconfig } from '../support/cluster.ts';
import type { ServerProcess } from '../support/control-plane-processes.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { startProxy, type TestProxy } from './proxy.ts';
import { restartServer } from './restart-server.ts';
import { type Random, randomFrom } from './seeded-random.ts';
import { type Fault, faultsWith, restarting } from './wire-faults/faults.ts';
import { collects, makeNamespaces } from './wire-faults/garden.ts';
import { type Trial, Trials } from './wire-faults/run-with-fault.ts';

/**
 * One request of a command, or all from one on, meets a fault. Whatever it is: nothing but what the
 * command is for is changed, no answer is called complete that is not, no credential reaches another
 * server, the exit code is true, and the same command without a fault completes the work.
 */
const seed = Number(process.env.FAULT_SEED ?? 1);
const count = Number(process.env.FAULT_CASES ?? 14);
const restarts = Number(process.env.FAULT_RESTARTS ?? 1);

let proxy: TestProxy;
let trials: Trials;
let strangers = 0;
const restarted: ServerProcess[] = [];
const stranger = createServer((socket) => {
  strangers += 1;
  socket.destroy();
});

const plane = await ownControlPlane({ controllers: ['garbage-collector-controller'] });
beforeAll(async () => {
  proxy = await startProxy(plane, { isSecure: true });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  const path = join(plane.directory, 'faults.kubeconfig');
  const access = { ...plane, server: proxy.address };
  writeFileSync(path, kubeconfig(access, { token: plane.adminToken }));
  await makeNamespaces(plane);
  trials = new Trials(plane, proxy, path, () => strangers);
  await trials.prepare();
});
afterAll(async () => {
  trials.close();
  stranger.close();
  await proxy.close();
  for (const server of restarted) await server.stop();
});

async function tried(
  what: string,
  from: number,
  to: number,
  faults: readonly ((random: Random) => Fault)[],
): Promise<void> {
  const done: Trial[] = [];
  for (let next = from; next < to; next++) {
    const random = randomFrom(next);
    // The first numbers of neighbouring seeds are alike.
    for (let skip = 0; skip < 5; skip++) random(2);
    const trial = await trials.trial(next, random, faults);
    done.push(trial);
    if (trial.faults.length > 0) console.log(JSON.stringify(trial, null, 1));
  }
  const codes = Object.entries(Object.groupBy(done, ({ code }) => code));
  const struck = done.filter((trial) => trial.struck > 0).length;
  const told = codes.map(([code, list]) => `${list?.length} × exit ${code}`).join(', ');
  console.log(`${what}: seeds ${from} to ${to - 1}, ${struck} struck; ${told}`);
  const slowest = done.toSorted((one, other) => other.seconds - one.seconds).slice(0, 5);
  if (done.length > 50)
    for (const { seconds, id } of slowest) console.log(`${seconds.toFixed(1)} s: ${id}`);
  const wrong = done.filter((trial) => trial.faults.length > 0);
  expect(wrong.map(({ id, faults: seen }) => [id, seen])).toEqual([]);
}

test('whatever a request meets, nothing else is changed and no answer is wrong', {
  timeout: 60_000 + count * 30_000,
}, async () => {
  const { port } = stranger.address() as AddressInfo;
  const isQuick = count < 100;
  await tried('wire faults', seed, seed + count, faultsWith(`https://127.0.0.1:${port}`, isQuick));
  expect([...proxy.versions].toSorted()).toEqual(['1.1', '2.0']);
});

test('so it is when etcd or the API server is killed and started again', {
  timeout: 60_000 + restarts * 120_000,
}, async () => {
  let pids = plane.pids();
  const again = (which: 0 | 1) => async () => {
    const started = await restartServer(plane, pids[which] ?? 0);
    restarted.push(started);
    await collects(plane);
    pids = pids.map((pid, index) => (index === which ? started.pid : pid));
  };
  const faults = [...restarting('etcd', again(0)), ...restarting('the API server', again(1))];
  await tried('killed servers', seed, seed + restarts, faults);
});
