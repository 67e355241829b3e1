import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { forecastReport } from '../../src/questions/forecast/document.ts';
import { defaultControllerSettings } from '../../src/settings/controller-settings.ts';
import { type Cause, writtenBefore } from '../../src/simulator/engine/causes.ts';
import { simulate } from '../../src/simulator/simulate.ts';
import { collectorCluster } from '../differential/collector-cluster/index.ts';
import { generateCase } from '../differential/generate-case.ts';
import { clusterOf as clusterOfObjects } from '../support/answers.ts';
import { servedRecords, snapshotOf } from '../support/builders.ts';
import { objectsOfYaml } from '../support/objects-of-yaml.ts';
import { volumeSpec } from '../support/volumes.ts';

const now = Date.parse('2026-02-01T12:00:00Z');
const settings = defaultControllerSettings;
const hour = 3_600_000;
const clusterOf = (...parts: readonly string[]) =>
  snapshotOf(
    servedRecords(
      parts.flatMap((part) => objectsOfYaml(part)),
      'uid-',
    ),
  );

/** `Pod p PG-16 0..80`, in seconds, with the object that it follows from. */
function forecastOf(cluster: ReturnType<typeof clusterOf>, within = hour): string[] {
  const { items } = forecastReport(cluster, { now, within, settings });
  return items
    .map(({ object: { kind, name }, rule, notBefore, notAfter, follows }) => {
      const range = `${secondsTo(notBefore)}..${notAfter === undefined ? '' : secondsTo(notAfter)}`;
      return `${kind} ${name} ${rule} ${range}${follows ? ` follows ${follows.kind} ${follows.name}` : ''}`;
    })
    .sort();
}

const secondsTo = (time: string) => (Date.parse(time) - now) / 1000;

const ready = '{conditions: [{type: Ready, status: "True"}]}';
const worker = `[{apiVersion: v1, kind: Node, metadata: {name: worker}, status: ${ready}}]`;
const namespace =
  '[{apiVersion: v1, kind: Namespace, metadata: {name: shop}, spec: {finalizers: [kubernetes]}}]';
/** A pod that uses a claim. */
const podOn = (name: string, node: string, metadata = '', spec = '') => `
- apiVersion: v1
  kind: Pod
  metadata: {namespace: shop, name: ${name}${metadata}}
  spec: {nodeName: ${node}, volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]${spec}}
  status: {phase: Running}`;
/** A claim that is being deleted, and its volume, which kube-controller-manager deletes. */
const claim = `
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata:
    {namespace: shop, name: data, uid: uid-data, deletionTimestamp: '2026-02-01T11:00:00Z', finalizers: [kubernetes.io/pvc-protection]}
  spec: {volumeName: disk}
  status: {phase: Bound}
- apiVersion: v1
  kind: PersistentVolume
  metadata: {name: disk, finalizers: [kubernetes.io/pv-protection]}
  spec: ${JSON.stringify(
    volumeSpec('', {
      persistentVolumeReclaimPolicy: 'Delete',
      claimRef: {
        ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
        ...{ namespace: 'shop', name: 'data', uid: 'uid-data' },
      },
    }),
  )}
  status: {phase: Bound}`;

describe('what follows from a deletion whose time is a range has that range', () => {
  test('a claim and its volume, after the pod on a missing Node that used it', () => {
    const cluster = clusterOf(worker, namespace, podOn('p', 'gone'), claim);
    expect(forecastOf(cluster)).toEqual([
      'PersistentVolume disk PV-2 0..81 follows PersistentVolumeClaim data',
      'PersistentVolume disk PV-6 0..81 follows PersistentVolumeClaim data',
      'PersistentVolumeClaim data PV-12 0..81 follows Pod p',
      'Pod p PG-16 0..80',
    ]);
  });

  test('a claim after the last of two pods, whichever that is', () => {
    const ends = ", deletionTimestamp: '2026-02-01T12:01:00Z', deletionGracePeriodSeconds: 90";
    const cluster = clusterOf(
      worker,
      namespace,
      podOn('p', 'gone'),
      podOn('q', 'worker', ends),
      claim,
    );
    expect(forecastOf(cluster).filter((line) => !line.startsWith('PersistentVolume '))).toEqual([
      'PersistentVolumeClaim data PV-12 60..81 follows Pod q',
      'Pod p PG-16 0..80',
      'Pod q GC-61 60..60',
    ]);
  });
});

describe('the end of what is empty follows from the last objects in it', () => {
  const ending = "deletionTimestamp: '2026-02-01T11:59:00Z'";

  test('a namespace, from its pod on a missing Node and what is deleted after that', () => {
    const shop = `
- apiVersion: v1
  kind: Namespace
  metadata: {name: shop, ${ending}}
  spec: {finalizers: [kubernetes]}
  status: {phase: Terminating}
- {apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: c}}`;
    const ends = ", deletionTimestamp: '2026-02-01T12:00:00Z', deletionGracePeriodSeconds: 30";
    expect(forecastOf(clusterOf(worker, shop, podOn('p', 'gone', ends)))).toEqual([
      'ConfigMap c GC-72 5..86 follows Pod p',
      'Namespace shop GC-71 6..87 follows ConfigMap c',
      'Pod p PG-16 0..80',
    ]);
  });

  test('a definition, from its instances', () => {
    const definition = `
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata:
    {name: widgets.example.com, ${ending}, finalizers: [customresourcecleanup.apiextensions.k8s.io]}
- {apiVersion: example.com/v1, kind: Widget, metadata: {namespace: shop, name: w}}`;
    expect(forecastOf(clusterOf(worker, namespace, definition))).toEqual([
      'CustomResourceDefinition widgets.example.com GC-66 0.. follows Widget w',
      'Widget w GC-66 0..',
    ]);
  });
});

describe('what may be done by the end has consequences, although the play that is shown does it later', () => {
  const cluster = clusterOf(worker, namespace, podOn('p', 'gone'), claim);

  test('in a simulation, whose end they leave undetermined', () => {
    const names = (seconds: number) =>
      simulate(cluster, [], settings, { now, duration: seconds * 1_000 })
        .undetermined.map(({ object: { name } }) => name)
        .sort();
    expect([names(20), names(90)]).toEqual([['data', 'p'], []]);
  });

  test('in a forecast', () => {
    expect(forecastOf(cluster, 20_000)).toEqual(forecastOf(cluster));
  });
});

test('each of two Nodes that are deleted before one pass is the cause for its own Pods', () => {
  const cluster = clusterOf(
    worker,
    worker.replaceAll('worker', 'other'),
    namespace,
    podOn('p', 'worker'),
    podOn('q', 'other'),
  );
  const deletion = (name: string, after: number) =>
    ({
      ...{ apiVersion: 'v1', kind: 'Node', namespace: '', name },
      ...{ verb: 'delete' as const, after, options: {} },
    }) as const;
  const { steps } = simulate(
    cluster,
    [deletion('worker', 5_000), deletion('other', 10_000)],
    settings,
    { now, duration: hour },
  );
  const told = steps.flatMap(({ object, rule, result, notBefore = '', notAfter = '', follows }) =>
    rule === 'PG-16' && result === 'removed'
      ? [[object.name, secondsTo(notBefore), secondsTo(notAfter), follows?.name]]
      : [],
  );
  expect(told).toEqual([
    ['p', 45, 86, 'worker'],
    ['q', 55, 96, 'other'],
  ]);
});

describe('no write can happen before that which caused it', () => {
  test.each([1, 2])('in random cluster %i', (seed) => {
    const snapshot = snapshotOf(servedRecords(collectorCluster(seed, now), 'uid-'));
    const simulation = simulate(snapshot, [], settings, { now, duration: hour, forecast: true });
    const all = [
      ...simulation.recorded.flatMap(({ write }) => write ?? []),
      ...simulation.decisions.map(({ decision }) => decision),
    ];
    expect(all.some(({ cause }) => writtenBefore(cause))).toBe(true);
    expect(all.flatMap((one) => wrongRangeOf(one) ?? [])).toEqual([]);
  });
});

function wrongRangeOf(one: Cause) {
  const cause = writtenBefore(one.cause);
  if (!cause) return undefined;
  const [to, causedTo] = [one, cause].map((some) => some.to ?? Number.POSITIVE_INFINITY);
  const isWrong = one.from < cause.from || (to as number) < (causedTo as number);
  return isWrong ? { one, cause } : undefined;
}

test('the write of a step is that of its own object, also where another worker had written it since it was read', () => {
  const foreign = [5170, 5549, ...Array.from({ length: 20 }, (_, seed) => seed)].flatMap((seed) => {
    const { objects } = generateCase(seed, { namespaces: seed % 2 === 0 });
    const cluster = clusterOfObjects(objects as KubeObject[], '2026-02-01T00:00:00Z');
    const started = { now: Date.parse(cluster.observedAt), duration: 60_000, forecast: true };
    return simulate(cluster, [], settings, started)
      .recorded.filter(({ write, object }) => write?.object && write.object.uid !== object.uid)
      .map(({ rule, object }) => `${seed}: ${rule} ${object.type.kind} ${object.name}`);
  });
  expect(foreign).toEqual([]);
});
