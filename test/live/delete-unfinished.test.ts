import { beforeAll, describe, expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import type { DiagnosisReport } from '../../src/questions/why/document.ts';
import { askingOf } from '../support/asking.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { untilGone } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { serveKind } from '../support/served-kinds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { referenceTo } from './delete-playground.ts';
import { startProxy } from './proxy.ts';

/** Deletions that kubelets should finish, of which none runs: the garbage collector does, and pod garbage collection. */
const plane = await ownControlPlane({
  controllers: ['garbage-collector-controller', 'pod-garbage-collector-controller'],
});
const namespace = 'silent';
const { run, json } = askingOf(plane, { KUBECTL_GC_BACKUP_DIR: temporaryFolder() });
const deleted = (line: string) => run(`delete ${line} -n ${namespace} --yes`);
const isThere = (kind: string, name: string) => plane.isHealthy(`${kind} ${namespace}/${name}`);
const metadataOf = async (kind: string, name: string) =>
  (await plane.get(`${kind} ${namespace}/${name}`)).metadata;

const app = {
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 1,
  containers: [{ name: 'app', image: 'example.com/app' }],
};

/** A ConfigMap that owns a pod on this Node. */
async function owned(name: string, nodeName: string): Promise<void> {
  const owner = await plane.make(`ConfigMap ${namespace}/${name}`);
  const ownerReferences = [{ ...referenceTo(owner), blockOwnerDeletion: true }];
  const spec = { nodeName, ...app };
  await plane.make(`Pod ${namespace}/${name}-pod`, { metadata: { ownerReferences }, spec });
}

async function node(name: string, status: string, reason: string, message: string) {
  await plane.make(`Node ${name}`);
  await plane.report(`Node ${name}`, {
    conditions: [{ type: 'Ready', status, reason, message }],
  });
}

const planOf = (line: string) => json<Plan>(`delete ${line} -n ${namespace} --preview`);

/** `Pod one-pod: terminating, then deleted`, one line per object. */
const told = ({ objects }: Plan) =>
  objects.map(({ kind, name, fate, then: end }) => `${kind} ${name}: ${fate}, then ${end ?? fate}`);

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  await node('lost', 'Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.');
  await node('slow', 'True', 'KubeletReady', 'kubelet is posting ready status');
});

test('a deletion waits for what a custom resource reports, and its last words say it', async () => {
  await serveKind(plane, customDefinition('Bucket', 'store.example.com'));
  const kind = 'store.example.com/v1 Bucket';
  const condition = {
    type: 'Ready',
    status: 'False',
    reason: 'NotEmpty',
    message: 'the bucket contains 3 objects',
    lastTransitionTime: '2026-01-01T00:00:09Z',
  };
  await plane.make(`${kind} ${namespace}/logs`, {
    metadata: { finalizers: ['finalizer.keda.sh'] },
    status: { conditions: [condition] },
  });
  // Its program runs, so it is not that which why finds.
  const template = { metadata: { labels: { app: 'keda' } }, spec: app };
  const name = `Deployment ${namespace}/keda-operator`;
  await plane.make(name, { spec: { selector: { matchLabels: { app: 'keda' } }, template } });
  await plane.report(name, { replicas: 1, readyReplicas: 1, observedGeneration: 1 });
  const { code, stderr } = await deleted('bucket/logs --timeout 15s');
  const reported =
    /Bucket logs reported Ready False \(NotEmpty\) .* the bucket contains 3 objects/g;
  expect(code, stderr).toBe(4);
  // While it waits, and in the end.
  expect(stderr.match(reported)?.length, stderr).toBe(2);
});

describe('on a silent Node', () => {
  test('the plan says that a pod stays, and why', async () => {
    await owned('background', 'lost');
    await owned('foreground', 'lost');
    const plan = await planOf('cm/background');
    expect(told(plan)).toEqual([
      'ConfigMap background: deleted, then deleted',
      'Pod background-pod: terminating, then deleted',
    ]);
    const aliveBecause = 'NodeStatusUnknown: Kubelet stopped posting node status.';
    expect(plan.objects[1]).toMatchObject({
      blockedBy: [{ kind: 'kubelet', name: 'lost' }],
      waitsFor: [{ kubelet: 'lost', aliveBecause }],
    });
    expect(plan.remarks.map(({ code }) => code)).toEqual(['silent-node', 'in-use']);
    expect(told(await planOf('cm/foreground --cascade=foreground'))).toEqual([
      'ConfigMap foreground: terminating, then deleted',
      'Pod foreground-pod: terminating, then deleted',
    ]);
  });

  test('so it is: the owner goes, the pod stays, and the last words are those of why', async () => {
    const { code, stderr } = await deleted('cm/background --timeout 20s');
    const { items } = await json<DiagnosisReport>(`why pod/background-pod -n ${namespace}`);
    const why = items[0]?.blockers[0]?.because ?? 'nothing blocks it';
    expect(why).toContain('NodeStatusUnknown');
    expect([code, stderr]).toEqual([4, expect.stringContaining(`is left: ${why}`)]);
    expect(stderr).toMatch(/^Backup of 2 objects: /m);
    expect(await isThere('ConfigMap', 'background')).toBe(false);
    expect((await metadataOf('Pod', 'background-pod')).deletionTimestamp).toBeDefined();
  });

  test('where no Lease is answered, the time that is given ends the run, and it says what is left', async () => {
    await owned('unanswered', 'slow');
    const proxy = await startProxy(plane);
    proxy.before = ({ path }) =>
      path.includes('/leases/') ? new Promise(() => undefined) : undefined;
    try {
      const line = `cm/unanswered --timeout 8s -s ${proxy.address}`;
      const { code, stderr } = await deleted(line);
      const why = 'the kubelet of node slow has not confirmed that it has stopped';
      expect([code, stderr]).toEqual([4, expect.stringContaining(why)]);
    } finally {
      await proxy.close();
    }
    expect(await isThere('Pod', 'unanswered-pod')).toBe(true);
    await plane.remove(`Pod ${namespace}/unanswered-pod`, { gracePeriodSeconds: 0 });
  });

  test('and an owner that waits in the foreground stays as well', async () => {
    const { code } = await deleted('cm/foreground --cascade=foreground --timeout 10s');
    expect(code).toBe(4);
    const { finalizers } = await metadataOf('ConfigMap', 'foreground');
    expect(finalizers).toEqual(['foregroundDeletion']);
    expect((await metadataOf('Pod', 'foreground-pod')).deletionTimestamp).toBeDefined();
  });

  test('both go when the Node is out of service, as the plan then says', async () => {
    const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown' };
    const taints = [{ ...taint, effect: 'NoExecute' }];
    await plane.patch('Node lost', { spec: { taints } });
    expect(told(await planOf('cm/foreground --cascade=foreground'))).toEqual([
      'ConfigMap foreground: deleted, then deleted',
      'Pod foreground-pod: deleted, then deleted',
    ]);
    for (const name of ['Pod #/background-pod', 'Pod #/foreground-pod', 'ConfigMap #/foreground'])
      await untilGone(plane, name.replace('#', namespace));
    await plane.patch('Node lost', { spec: { taints: null } });
  });
});

test('a pod on a Node that does not exist goes by pod garbage collection', async () => {
  await owned('homeless', 'gone');
  const plan = await planOf('cm/homeless');
  expect(told(plan)).toEqual([
    'ConfigMap homeless: deleted, then deleted',
    'Pod homeless-pod: deleted, then deleted',
  ]);
  expect(plan.objects[1]?.because).toContain('it is bound to Node gone, which does not exist');
  const { code, stderr } = await deleted('cm/homeless --timeout 120s');
  expect(code, stderr).toBe(0);
  expect(await isThere('Pod', 'homeless-pod')).toBe(false);
});

test('a pod is removed immediately without a Node, and with a grace period of 0', async () => {
  // No scheduler runs here.
  await owned('unbound', '');
  await owned('forced', 'lost');
  for (const line of ['cm/unbound', 'pod/forced-pod --grace-period=0 --force']) {
    const { objects } = await planOf(line);
    expect(objects.map(({ fate }) => fate)).toEqual(objects.map(() => 'deleted'));
    expect(await deleted(`${line} --timeout 30s`)).toMatchObject({ code: 0 });
  }
  expect(await plane.names(`Pod ${namespace}/`)).toEqual([]);
});

test('a Node is deleted with the pods that are bound to it, those of a DaemonSet in kube-system included, and they are in the backup', async () => {
  await plane.make('Node worker');
  const spec = { nodeName: 'worker', ...app };
  for (const name of ['bare-1', 'bare-2']) await plane.make(`Pod ${namespace}/${name}`, { spec });
  const labels = { app: 'proxy' };
  const template = { metadata: { labels }, spec: { containers: app.containers } };
  const { metadata } = await plane.make('DaemonSet kube-system/proxy', {
    spec: { selector: { matchLabels: labels }, template },
  });
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'proxy', uid: metadata.uid };
  await plane.make('Pod kube-system/proxy-1', {
    metadata: { labels, ownerReferences: [{ ...owner, controller: true }] },
    spec,
  });
  const { code, stdout, stderr } = await run('delete node/worker --yes --timeout 150s');
  expect([code, stdout], stderr).toEqual([0, 'node "worker" deleted\n']);
  expect(stderr).toMatch(/^Backup of 4 objects: /m);
  for (const home of [namespace, 'kube-system'])
    expect(await plane.names(`Pod ${home}/`)).toEqual([]);
});
