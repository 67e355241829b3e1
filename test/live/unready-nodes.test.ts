import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import type { StatusReport } from '../../src/questions/status/document.ts';
import type { DiagnosisReport } from '../../src/questions/why/document.ts';
import { askingOf } from '../support/asking.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';

/** Seven Nodes of which four are not ready: more than half, so that not more than the first of them gets its taint. */
const plane = await ownControlPlane({ controllers: 'none' });
const { fates, json } = askingOf(plane);
const nodes = Array.from({ length: 7 }, (_, at) => ({ name: `n${at}`, isReady: at > 3 }));
const tolerations = ['not-ready', 'unreachable'].map((condition) => ({
  ...{ key: `node.kubernetes.io/${condition}`, operator: 'Exists' },
  ...{ effect: 'NoExecute', tolerationSeconds: 1 },
}));

interface Tainted extends KubeObject {
  readonly spec: { readonly taints?: readonly { readonly effect: string }[] };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const tainted = async (effect: string) =>
  (await plane.list<Tainted>('/api/v1/nodes')).flatMap(({ metadata, spec }) =>
    spec.taints?.some((taint) => taint.effect === effect) ? `${metadata.name}` : [],
  );

const evicted = async () =>
  (await plane.list('Pod zone/')).flatMap(({ metadata }) =>
    metadata.deletionTimestamp ? `${metadata.name}` : [],
  );

test('the deletion of a Node that is not ready leads to the eviction of the pods on others, as planned', async () => {
  await plane.make('Namespace zone');
  for (const { name, isReady } of nodes) {
    await plane.make(`Node ${name}`);
    const now = new Date().toISOString();
    const times = { lastHeartbeatTime: now, lastTransitionTime: now };
    const condition = { type: 'Ready', status: isReady ? 'True' : 'False', ...times };
    await plane.report(`Node ${name}`, { conditions: [condition] });
    const containers = [{ name: 'main', image: 'example.com/main' }];
    const spec = { nodeName: name, tolerations, automountServiceAccountToken: false, containers };
    await plane.make(`Pod zone/on-${name}`, { spec });
  }
  // A rate of 1 would not come back: it is that of the limiter which lets nothing through (SwapLimiter).
  // The grace period of a Node begins when its controller sees it first: nothing has to report meanwhile.
  await plane.startControllers(
    ['*'],
    ['--node-eviction-rate=2', '--node-startup-grace-period=20s'],
  );
  await eventually('taints of unready Nodes', async () => {
    return (await tainted('NoSchedule')).length === 4;
  });
  await sleep(6_000);
  const already = await tainted('NoExecute');
  expect(already.length).toBeLessThan(3);
  const untainted = nodes.filter(({ name, isReady }) => !isReady && !already.includes(name));
  const [target, ...others] = untainted.map(({ name }) => name);
  const before = await evicted();
  expect(before).toEqual(already.map((name) => `on-${name}`));

  const planned = [target, ...others].map((name) => `Pod on-${name} deleted`);
  expect(await fates(`node/${target}`)).toEqual([`Node ${target} deleted`, ...planned]);
  await plane.remove(`Node ${target}`);
  const all = [...before, ...others.map((name) => `on-${name}`)].sort();
  await eventually('evicted pods of other Nodes', async () => {
    return (await evicted()).length >= all.length;
  });
  expect(await evicted()).toEqual(all);
});

test('a pod remains on a Node that no kubelet has registered, as every command says, before the Node is Unknown and afterwards', async () => {
  const name = 'unregistered';
  await plane.make('ConfigMap zone/owner');
  const { metadata: owner } = await plane.get('ConfigMap zone/owner');
  const ownerReferences = [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.uid as string },
  ];
  const spec = {
    ...{
      nodeName: name,
      automountServiceAccountToken: false,
      tolerations: [{ operator: 'Exists' }],
    },
    containers: [{ name: 'main', image: 'example.com/main' }],
  };
  for (const pod of ['ending', 'owned']) {
    await plane.make(`Pod zone/${pod}`, { metadata: { ownerReferences }, spec });
  }
  await plane.make(`Node ${name}`);
  await plane.remove('Pod zone/ending');
  const answers = async () => {
    const { items } = await json<DiagnosisReport>('why pod/ending -n zone');
    const { deletions } = await json<StatusReport>('status -n zone');
    const forecast = await json<ForecastReport>('forecast -n zone');
    const isOurs = ({ object }: { readonly object: { readonly name: string } }) =>
      /^(ending|owned)$/.test(object.name);
    return {
      why: items.map(({ state, blockers }) => [state, blockers.map(({ cause }) => cause)]),
      preview: await fates('cm/owner -n zone'),
      stuck: deletions.worst.filter(isOurs).map(({ object, state }) => `${object.name} ${state}`),
      collected: forecast.items.filter(isOurs).map(({ object }) => object.name),
    };
  };
  const said = {
    why: [['stuck', ['node-not-ready']]],
    preview: ['ConfigMap owner deleted', 'Pod ending terminating', 'Pod owned terminating'],
    stuck: ['ending stuck'],
    collected: [],
  };
  const readyOf = async () =>
    (await plane.get<Tainted>(`Node ${name}`)).status?.conditions?.find(
      ({ type }) => type === 'Ready',
    );
  expect(await readyOf()).toBeUndefined();
  expect(await answers()).toEqual(said);
  const ready = await eventually('a Node whose status is unknown', readyOf);
  expect(ready).toMatchObject({ status: 'Unknown', reason: 'NodeStatusNeverUpdated' });
  expect(await answers()).toEqual(said);
  expect(await plane.isHealthy('Pod zone/ending')).toBe(true);
});
