import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { askingOf } from '../support/asking.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';

/** Rollouts that wait for a pod, and go on when that is deleted and another one is ready in its place. */
const plane = await ownControlPlane({
  controllers: [
    ...['deployment-controller', 'replicaset-controller', 'statefulset-controller'],
    ...['daemonset-controller', 'garbage-collector-controller'],
  ],
});
// A DaemonSet has a pod on each of these.
for (const node of ['a', 'b', 'c']) await plane.make(`Node ${node}`, {});
const labels = { app: 'app' };
const template = (image: string) => ({
  metadata: { labels },
  spec: {
    tolerations: [{ operator: 'Exists' }],
    containers: [{ name: 'main', image: `example.com/${image}` }],
  },
});

interface Pod extends KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly containers: readonly { readonly image: string }[];
    readonly affinity?: object;
  };
}

/** Of a DaemonSet's pod. */
const nodeOf = (pod: Pod | undefined) => JSON.stringify(pod?.spec.affinity) ?? pod?.metadata.uid;

/** Stands in for kubelets: all pods get ready but those that are named, or of this image. */
async function stage(kind: string, namespace: string, spec: object, count: number) {
  await plane.make(`Namespace ${namespace}`, {});
  const set = `${kind} ${namespace}/app`;
  await plane.make(set, {
    spec: { ...spec, selector: { matchLabels: labels }, template: template('one') },
  });
  const pods = () => plane.list<Pod>(`Pod ${namespace}/`);
  const ready = async (isReady: (pod: Pod) => boolean) => {
    for (const pod of await pods()) {
      if (!isReady(pod)) continue;
      const { uid } = pod.metadata;
      const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: new Date(0) }];
      const path = `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}/status`;
      await plane.merge(path, { metadata: { uid }, status: { phase: 'Running', conditions } });
    }
  };
  const image = ({ spec: { containers } }: Pod) => containers[0]?.image.split('/')[1] ?? '';
  const until = (
    what: string,
    isReady: (pod: Pod) => boolean,
    isDone: (images: string[], pods: Pod[]) => boolean,
  ) =>
    eventually(what, async () => {
      await ready(isReady);
      const all = (await pods()).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
      return isDone(all.map(image), all) ? all : undefined;
    });
  const first = await until(
    'all are ready',
    () => true,
    (all) => all.length === count,
  );
  await ready(() => true);
  const change = (to: string) => plane.patch(set, { spec: { template: template(to) } });
  return { until, change, first, image };
}

const { json, fates } = askingOf(plane);
const mayGo = async (line: string) => {
  const { objects } = await json<{
    readonly objects: readonly { readonly name: string; readonly fate: string }[];
  }>(`delete ${line} --preview`);
  return objects
    .filter(({ fate }) => fate === 'unknown')
    .map(({ name }) => name)
    .sort();
};

const uidsOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.uid);
const surging = { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } };

/** Those of image `two` never get ready. One that is ready is deleted, and then that, and their successors get ready. */
test.each([
  ['StatefulSet', 'ordered', { replicas: 3, serviceName: 'app' }, 3, 2],
  ['DaemonSet', 'missing', {}, 3, 2],
  ['DaemonSet', 'surging', surging, 3, 3],
  ['Deployment', 'rolling', { replicas: 3, revisionHistoryLimit: 0 }, 3, 3],
])('a %s (%s) continues, and deletes the named objects', async (kind, how, spec, count, old) => {
  const namespace = `rolls-${how}`;
  const { until, change, first, image } = await stage(kind, namespace, spec, count);
  const remove = (pod: Pod | undefined) =>
    plane.remove(`/api/v1/namespaces/${namespace}/pods/${pod?.metadata.name}`);
  const named = (pod: Pod | undefined) => mayGo(`pod ${pod?.metadata.name} -n ${namespace}`);
  expect(await named(first[0])).toEqual([]);
  await change('two');
  const isOld = (pod: Pod) => image(pod) === 'one';
  const held = await until(
    'waits for the first pod',
    isOld,
    (images) => images.filter((one) => one === 'one').length === old && images.includes('two'),
  );
  const bad = held.find((pod) => !isOld(pod));
  const isGood = (pod: Pod) => pod.metadata.uid !== bad?.metadata.uid;
  const ready = held.find((pod) => isOld(pod) && nodeOf(pod) !== nodeOf(bad));
  expect(await named(ready)).toEqual([]);
  await remove(ready);
  const others = uidsOf(held.filter((pod) => pod !== ready));
  const made = (pods: Pod[]) => pods.some(({ metadata }) => !uidsOf(held).includes(metadata.uid));
  await until('another one is ready', isGood, (_, pods) => made(pods));
  await setTimeout(1_000);
  const waiting = await until('', isGood, () => true);
  expect(uidsOf(waiting)).toEqual(expect.arrayContaining(others));
  const expected = await named(bad);
  const sets = kind === 'Deployment' ? await plane.list(`ReplicaSet ${namespace}/`) : [];
  if (how === 'surging') {
    const beside = waiting.find((pod) => isOld(pod) && nodeOf(pod) === nodeOf(bad));
    expect(await named(beside)).toEqual(expected.filter((name) => name !== beside?.metadata.name));
  }
  await remove(bad);
  await until('all are replaced', isGood, (images) => images.join() === 'two,two,two');
  const gone = waiting.filter(isOld).map(({ metadata }) => metadata.name);
  if (kind === 'Deployment') {
    const left = await eventually('the old ReplicaSet goes', async () => {
      const left = await plane.list(`ReplicaSet ${namespace}/`);
      return left.length < sets.length && left;
    });
    const lost = sets.filter(({ metadata }) => !uidsOf(left).includes(metadata.uid));
    gone.push(...lost.map(({ metadata }) => `${metadata.name}`));
  }
  expect(expected).toEqual(gone.sort());
});

test('a StatefulSet goes on with its way back', async () => {
  const spec = { replicas: 3, serviceName: 'app' };
  const { until, change, image } = await stage('StatefulSet', 'rolls-back', spec, 3);
  await change('two');
  const isReady = (pod: Pod) => image(pod) === 'one' || pod.metadata.name === 'app-2';
  await until('waits for the second pod', isReady, (images) => images.join() === 'one,two,two');
  await change('one');
  await until('it still waits', isReady, (images) => images.join() === 'one,two,two');
  expect(await mayGo('pod app-1 -n rolls-back')).toEqual(['app-2']);
  await plane.remove('/api/v1/namespaces/rolls-back/pods/app-1');
  await until(
    'only the first template',
    () => true,
    (images) => images.join() === 'one,one,one',
  );
});

test('a StatefulSet continues its end when the first unready pod is deleted', async () => {
  const { until } = await stage('StatefulSet', 'ends', { replicas: 4, serviceName: 'app' }, 4);
  for (const name of ['app-2', 'app-3']) {
    await plane.report(`Pod ends/${name}`, { conditions: [{ type: 'Ready', status: 'False' }] });
  }
  // Its controller is to see that first.
  await setTimeout(1_000);
  await plane.patch('StatefulSet ends/app', { spec: { replicas: 2 } });
  await setTimeout(1_000);
  const isReady = () => false;
  expect(await until('', isReady, () => true)).toHaveLength(4);
  expect(await fates('pod app-2 -n ends')).toEqual(['Pod app-2 deleted', 'Pod app-3 deleted']);
  await plane.remove('/api/v1/namespaces/ends/pods/app-2');
  await until('both are gone', isReady, (images) => images.length === 2);
});
