import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { timestampOf } from '../../src/kube/time.ts';
import type { ForecastReport } from '../../src/output/documents/forecast.ts';
import type { Diagnosed, DiagnosisReport } from '../../src/output/documents/why.ts';
import { linksOf } from '../../src/why/chain.ts';
import { deny } from '../support/admission.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gcHere } from '../support/run-here.ts';
import { jobObject } from './dead-pods.ts';

const namespace = 'why-live';
const controllers = [
  'garbage-collector-controller',
  'pod-garbage-collector-controller',
  'ttl-after-finished-controller',
];

async function ask<T>(line: string): Promise<T> {
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const { code, stdout, stderr } = await gcHere(`${line} -n ${namespace} -o json`, env);
  expect([line, code], stderr).toEqual([line, 0]);
  return JSON.parse(stdout) as T;
}

async function why(target: string): Promise<Diagnosed> {
  const { items } = await ask<DiagnosisReport>(`why ${target}`);
  if (!items[0]) throw new Error(target);
  return items[0];
}

const causesOf = ({ state, chain }: Diagnosed) => [
  state,
  ...linksOf(chain).map(({ cause }) => cause),
];

const pod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'lost', namespace, uid: 'why-live-lost' },
  spec: { nodeName: 'gone', containers: [{ name: 'main', image: 'example.com/main:1' }] },
  status: { phase: 'Running' },
};

function configMap(name: string, owner: string): KubeObject {
  const uid = `why-live-${name}`;
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: `why-live-${owner}` };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, uid, labels: { keep: name }, ownerReferences: [reference] },
  };
}

/** What `why` says of objects that are not being deleted, next to the real controllers and to `forecast`. */
const plane = await ownControlPlane({ controllers });
beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  await plane.make('Node other');
  const expression = "oldObject.metadata.name != 'kept'";
  const about = { operation: 'DELETE', resource: 'configmaps' };
  await deny(plane, 'keep', { ...about, expression, message: 'keep it' });
  const job = jobObject(namespace, 'import', 7200);
  await plane.putObjects([
    { ...job, metadata: { ...job.metadata, uid: 'why-live-import' } },
    pod,
    configMap('rock', 'paper'),
    configMap('paper', 'rock'),
  ]);
});

test.each([
  ['job/import', 'ttl-after-finished'],
  ['pod/lost', 'pod-garbage-collector'],
])('%s: why and forecast give the same reason', async (target, collector) => {
  const answer = await why(target);
  expect(causesOf(answer)).toEqual(['alive', 'unowned', 'controller-deletes']);
  const { items } = await ask<ForecastReport>('forecast --within 3h');
  const [item] = items.filter((one) => one.collector === collector);
  if (!item) throw new Error(JSON.stringify(items));
  const said = answer.chain.links[0]?.because ?? '';
  expect(said.startsWith(`the controller ${collector} deletes it `)).toBe(true);
  expect(said.split(': ').slice(1).join(': ')).toBe(item?.because);
});

test('a cycle is told, and the garbage collector leaves it', async () => {
  const answer = await why('configmap/rock');
  expect(causesOf(answer)).toEqual(['alive', 'owned', 'owned', 'ownership-ring']);
  expect(linksOf(answer.chain).at(-1)?.because).toBe(
    'these objects own each other in a cycle, so none of them is ever collected: ConfigMap rock is owned by ConfigMap paper is owned by ConfigMap rock',
  );
  const fix = await gcHere(`invalid-ownerrefs configmaps -n ${namespace} --fix --yes`, {
    KUBECONFIG: plane.kubeconfigPath,
  });
  expect([fix.code, fix.stderr]).toEqual([
    0,
    '2 problems: 2 never deleted.\nNo edit is offered for 2 findings of ownership-cycle: remove the reference that should not exist, which only its author knows, or delete one of them in the foreground, which deletes all.\nNo finding can be fixed by an edit.\n',
  ]);
});

test('garbage whose deletion admission refuses is stuck, and stays', async () => {
  const environment = { KUBECONFIG: plane.kubeconfigPath };
  await plane.putObjects([configMap('kept', 'rock')]);
  await eventually('the policy', async () => {
    const line = `delete configmap kept -n ${namespace} --dry-run=server`;
    return (await gcHere(line, environment)).code !== 0;
  });
  await plane.putObjects([configMap('kept', 'missing')]);
  const answer = await eventually('a refusal', async () => {
    const found = await why('configmap/kept');
    return found.state === 'stuck' ? found : undefined;
  });
  expect(causesOf(answer)).toEqual(['stuck', 'collectable', 'deletion-refused']);
  expect(answer.blockers.map(({ because }) => because.includes('keep it'))).toEqual([true]);
  expect(
    (await plane.get<KubeObject>(`/api/v1/namespaces/${namespace}/configmaps/kept`)).metadata
      .deletionTimestamp,
  ).toBe(undefined);
});

test('pod garbage collection does what why said of the pod', async () => {
  const said = (await why('pod/lost')).chain.links[0]?.because ?? '';
  const last = /between \S+ and (\S+):/.exec(said)?.[1] ?? '';
  const isGone = async () => {
    const { items } = await plane.get<{ items: KubeObject[] }>(
      `/api/v1/namespaces/${namespace}/pods`,
    );
    return items.length === 0 ? timestampOf(Date.now()) : undefined;
  };
  const at = await eventually('the pod is gone', isGone, 100);
  expect(Date.parse(at) <= Date.parse(last) + 5000, `${said}, gone at ${at}`).toBe(true);
});
