import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { diagnosedOf } from '../../src/output/documents/why.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import { investigate } from '../../src/why/investigate.ts';
import { answerFromObjects } from '../support/answer-from-objects.ts';
import { configMap, deployment, gone, made } from '../support/blockade.ts';
import { servedTypes, widgets } from '../support/builders.ts';

/** Whether the program lives that removes a finalizer: by its pods, and by the Lease of its leader. */
const readAt = '2026-06-01T00:00:00Z';
const held = configMap('shop', 'held', { ...gone, finalizers: ['finalizer.keda.sh'] });
const operator = (ready: number) => deployment('keda', 'keda-operator', ready);
const lease = (renewTime: string) =>
  made(
    'coordination.k8s.io/v1',
    'Lease',
    'keda',
    'operator.keda.sh',
    {},
    { spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime } },
  );
const fresh = lease('2026-05-31T23:59:50.000000Z');
const stale = lease('2026-05-31T22:00:00.000000Z');

function podOf(set: string, waiting: string, first = 'PodInitializing'): KubeObject {
  const labels = { 'pod-template-hash': '5f' };
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: set,
    uid: set,
    controller: true,
  };
  const status = {
    phase: 'Running',
    containerStatuses: [{ name: 'main', state: { waiting: { reason: waiting } } }],
    initContainerStatuses: [{ name: 'first', state: { waiting: { reason: first } } }],
  };
  const metadata = { labels, ownerReferences: [owner] };
  return made('v1', 'Pod', 'keda', `${set}-x`, metadata, { status });
}

async function told(...objects: KubeObject[]): Promise<[string, string | undefined]> {
  const type = servedTypes.all.find(({ kind, group }) => kind === 'ConfigMap' && group === '');
  const { finding } = await investigate(
    { types: servedTypes, serverVersion: undefined, origin: 'cluster', isCurrent: true },
    (inquiry) => diagnose(inquiry, { type: type ?? widgets, namespace: 'shop', name: 'held' }),
    answerFromObjects([held, ...objects], servedTypes, readAt),
  );
  const { state, chain } = diagnosedOf(finding);
  return [state, chain?.links?.[0]?.because ?? chain?.because];
}

test('a program without a ready pod is down, and pods that end again and again are named', async () => {
  const crashing = podOf('keda-operator-5f', 'CrashLoopBackOff');
  const [state, because] = await told(operator(0), crashing);
  expect(state).toBe('stuck');
  expect(because).toContain(
    'KEDA operator does not run: Deployment keda/keda-operator has no ready pod; Pod keda-operator-5f-x is in CrashLoopBackOff',
  );
  const [, initializing] = await told(
    operator(0),
    podOf('keda-operator-5f', 'PodInitializing', 'CrashLoopBackOff'),
  );
  expect(initializing).toMatch(
    /has no ready pod; Pod keda-operator-5f-x is in Init:CrashLoopBackOff$/,
  );
  const [, other] = await told(operator(0), podOf('keda-operator-5f', 'ContainerCreating'));
  expect(other).toMatch(/has no ready pod$/);
  const [, stranger] = await told(operator(0), podOf('keda-metrics-5f', 'CrashLoopBackOff'));
  expect(stranger).toMatch(/has no ready pod$/);
});

test('a leader that renews its Lease lives without a ready pod, too', async () => {
  const [state, because] = await told(operator(0), fresh);
  expect(state).toBe('progressing');
  expect(because).toContain('KEDA operator runs (it renews Lease keda/operator.keda.sh)');
});

test('a ready pod whose Lease nobody renews leaves it open', async () => {
  const [state, because] = await told(operator(1), stale);
  expect(state).toBe('unknown');
  expect(because).toContain(
    'whether KEDA operator runs is not known: Deployment keda/keda-operator has 1 of 1 pods ready, but Lease keda/operator.keda.sh was last renewed at 2026-05-31T22:00:00.000000Z',
  );
  expect((await told(operator(1), fresh))[0]).toBe('progressing');
});
