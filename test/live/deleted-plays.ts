import type { TrueRemovals } from '../support/true-removals.ts';
import { cleanAtStart } from './deleted-cases-cleaners.ts';
import { deliveryDefinitions, deliveryScenarios } from './deleted-cases-delivery.ts';
import { deviceScenarios } from './deleted-cases-devices.ts';
import { nodeScenarios, terminatedPods } from './deleted-cases-nodes.ts';
import { ownDefinitions, ownerScenarios } from './deleted-cases-owners.ts';
import { requestScenarios } from './deleted-cases-requests.ts';
import { workloadScenarios } from './deleted-cases-workloads.ts';
import { type Scenario, sceneOf } from './deleted-scene.ts';
import {
  type AuditOptions,
  nodes,
  type Stage,
  startControllersAsThemselves,
  startStage,
} from './deleted-stage.ts';

const scenarios: Readonly<Record<string, Scenario>> = {
  ...nodeScenarios,
  ...deviceScenarios,
  ...requestScenarios,
  ...ownerScenarios,
  ...workloadScenarios,
  ...deliveryScenarios,
};

const slow: readonly string[] = ['node-deleted', 'node-never-existed', 'terminated-pods'];

/** Never so many at the same time that the machine has to wait for kubectl. */
const atATime = 8;

export interface Playing {
  /** Between the preparation of all scenarios and their deletions. */
  readonly beforeDeletions?: () => Promise<void>;
  /** Without those that wait for what a controller does every 20 s or once when it starts. */
  readonly isQuick?: boolean;
}

/** Where they are played. */
export const stageOf = (options: AuditOptions) =>
  startStage(options, [...ownDefinitions, ...deliveryDefinitions]);

/** Plays all scenarios side by side; resolves with the truth about them, and with what could not be played. */
export async function playDeletions(
  stage: Stage,
  { beforeDeletions, isQuick = false }: Playing = {},
): Promise<{ truth: TrueRemovals; failures: unknown[] }> {
  const { plane, options } = stage;
  const cleaned = isQuick ? [] : await cleanAtStart(stage);
  await startControllersAsThemselves(
    stage,
    ['*', 'bootstrap-signer-controller', 'token-cleaner-controller'],
    [
      `--terminated-pod-gc-threshold=${terminatedPods}`,
      // No kubelet reports here, and no Node is to be thought of as dead for that.
      '--node-monitor-grace-period=30m',
      '--node-startup-grace-period=30m',
    ],
  );
  for (const node of nodes) await plane.make(`Node ${node}`);
  const entries = Object.entries(scenarios).filter(([id]) => !(isQuick && slow.includes(id)));
  for (const [id] of entries) await plane.make(`Namespace ${id}`);
  const played = entries.map(([id, scenario]) => ({ scenario, scene: sceneOf(stage, id) }));
  // Its pods have to be older than those of others.
  const [first, rest] = [
    played.filter(({ scene }) => scene.namespace === 'terminated-pods'),
    played.filter(({ scene }) => scene.namespace !== 'terminated-pods'),
  ];
  const plays = [
    ...(await inTurns(first, ({ scenario, scene }) => scenario(scene))),
    ...(await inTurns(rest, ({ scenario, scene }) => scenario(scene))),
  ];
  await beforeDeletions?.();
  const failures: unknown[] = [];
  await inTurns(plays, (play) => play().catch((error) => failures.push(error)));
  const removals = [...cleaned, ...played.flatMap(({ scene }) => scene.removals)];
  return { truth: { ...options, removals }, failures };
}

async function inTurns<In, Out>(
  inputs: readonly In[],
  work: (input: In) => Promise<Out>,
): Promise<Out[]> {
  const outputs: Out[] = [];
  const queue = [...inputs.entries()];
  const one = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [at, input] = next;
      outputs[at] = await work(input);
    }
  };
  await Promise.all(Array.from({ length: atATime }, one));
  return outputs;
}
