import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Run } from '../cli/run-gc.ts';
import { gcHere } from '../cli/run-here.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { deadPods } from './dead-pods.ts';
import { type DisturbingProxy, startDisturbingProxy } from './disturbing-proxy.ts';

/** What a collector would do, done by hand; the real one cleans up the same cluster beside it. */
const threshold = 20;
const collector = 'pod-garbage-collector-controller';
/** 40 s of quarantine and the passes around it (PG-15). */
const collected = 85_000;

let hand: ControlPlane;
let real: ControlPlane;
let proxy: DisturbingProxy;
let realStarted = 0;
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-apply-'));

beforeAll(async () => {
  const objects = deadPods();
  real = await startControlPlane({ controllers: 'none', objects });
  await real.startControllers([collector], [`--terminated-pod-gc-threshold=${threshold}`]);
  realStarted = Date.now();
  hand = await startControlPlane({ controllers: ['garbage-collector-controller'], objects });
  proxy = await startDisturbingProxy(hand);
});
afterAll(async () => {
  await proxy?.close();
  await hand?.stop();
  await real?.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  proxy.before = () => undefined;
});

let runs = 0;
function run(line: string): Promise<Run> {
  runs += 1;
  const backup = line.includes('backup') ? '' : ` --backup ${join(folder, `${runs}`)}`;
  const env = { KUBECONFIG: hand.kubeconfigPath, NO_COLOR: '1' };
  const applies = line.includes('--apply') ? backup : '';
  return gcHere(`${line}${applies}`, env);
}

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
    readonly finalizers?: readonly string[];
  };
  readonly status: {
    readonly phase: string;
    readonly conditions?: readonly { readonly lastTransitionTime: string }[];
  };
}

async function podsOf(plane: ControlPlane, namespace: string): Promise<Pod[]> {
  const { items } = await plane.get<{ items: Pod[] }>(`/api/v1/namespaces/${namespace}/pods`);
  return items;
}

/** All that podgc may write. */
async function endOf(plane: ControlPlane): Promise<unknown[]> {
  const pods = [...(await podsOf(plane, 'dead-a')), ...(await podsOf(plane, 'dead-b'))];
  return pods.map(({ metadata, status }) => ({
    name: metadata.name,
    isDeleting: metadata.deletionTimestamp !== undefined,
    grace: metadata.deletionGracePeriodSeconds,
    finalizers: metadata.finalizers,
    status: {
      ...status,
      conditions: status.conditions?.map((one) => ({ ...one, lastTransitionTime: '' })),
    },
  }));
}

test('what is done by hand ends as what the controller does', async () => {
  const line = `podgc-preview --threshold ${threshold} --apply --yes`;
  const first = await run(line);
  expect(first.code, first.stderr).toBe(4);
  // Those that were held count from the second pass on.
  const second = await run(`${line} --no-backup`);
  expect(second.code, second.stderr).toBe(4);
  await sleep(Math.max(0, realStarted + collected - Date.now()));
  expect(await endOf(hand)).toEqual(await endOf(real));
});
