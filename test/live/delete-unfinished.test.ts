import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { validDocument } from '../contract/valid-document.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { type Named, type Playground, playground, referenceTo } from './delete-playground.ts';
import { onTerminal } from './on-terminal.ts';

/** Deletions that somebody should finish who does not: first no controller runs, then no kubelet of a Node. */
const plane = await ownControlPlane({ controllers: 'none' });
let ground: Playground;
const namespace = 'silent';
const core = `/api/v1/namespaces/${namespace}`;
const managerLease =
  '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';

beforeAll(() => {
  ground = playground(plane);
});
afterAll(() => ground.remove());

test('what is not collected is not called kept, and the way to find out why is shown', async () => {
  const path = await ground.familyIn('uncollected');
  const { code, stderr } = await ground.run('cm/top -n uncollected --yes --no-backup --timeout 3s');
  expect(code).toBe(4);
  const why =
    'its owners are gone, and it is not collected yet; why --gc says whether the garbage collector runs';
  expect(stderr).toContain(`configmap/left in uncollected is left: ${why}\n`);
  expect(stderr).toContain(`configmap/right in uncollected is left: ${why}\n`);
  expect(stderr).toContain(
    'configmap/left in uncollected was planned to be deleted, and is not collected yet\n',
  );
  expect(stderr).not.toMatch(/and is kept/);
  expect((await ground.namesIn(path)).sort()).toEqual(['bottom', 'left', 'right']);
});

test('a tree on a terminal shows the last that happened while a deletion hangs', async () => {
  await ground.familyIn('hanging');
  const { code, shown } = await onTerminal(
    'delete cm/top -n hanging --yes --no-backup --timeout 4s',
    { env: { ...ground.env, TERM: 'xterm' }, columns: 80 },
  );
  expect(code).toBe(4);
  const drawn = stripVTControlCharacters(shown).match(/\d of 4 gone/g) ?? [];
  expect(drawn.at(-1)).toBe('1 of 4 gone');
});

test.concurrent('after five seconds it says who has to act, and does not call that one dead', async () => {
  await ground.familyIn('silence');
  const { code, stderr } = await ground.run('cm/top -n silence --yes --no-backup --timeout 7s');
  expect(code).toBe(4);
  expect(stderr).toContain(
    'Waiting for the garbage collector to delete 2 ConfigMaps of configmap/top: kube-controller-manager holds no Lease: it does not run, or it runs without leader election. kubectl gc why --gc\n',
  );
});

test.concurrent('a Node that is well by its conditions, and has no kubelet', async () => {
  const namespace = 'nokubelet';
  await ground.familyIn(namespace);
  await plane.make('Node w1');
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }];
  await plane.patch('/api/v1/nodes/w1/status', { status: { conditions } });
  await plane.make(`Pod ${namespace}/a`, {
    spec: {
      nodeName: 'w1',
      automountServiceAccountToken: false,
      containers: [{ name: 'app', image: 'example.com/app' }],
    },
  });
  const { code, stderr } = await ground.run(`pod/a -n ${namespace} --yes --timeout 7s`);
  expect(code).toBe(4);
  expect(stderr).toContain(
    'Waiting for the kubelet of Node w1 to end pod/a in nokubelet: the kubelet of Node w1 holds no Lease',
  );
});

test('where the controller manager has stopped, waiting for its work ends after two minutes', async () => {
  await plane.create(managerLease.replace('/kube-controller-manager', ''), {
    metadata: { name: 'kube-controller-manager' },
    spec: {
      holderIdentity: 'gone',
      leaseDurationSeconds: 15,
      renewTime: '2026-01-03T00:00:00.000000Z',
    },
  });
  await ground.familyIn('abandoned');
  const began = performance.now();
  const { code, stderr } = await ground.run('cm/top -n abandoned --yes --no-backup');
  const seconds = (performance.now() - began) / 1000;
  expect(code).toBe(4);
  expect(seconds).toBeGreaterThan(119);
  expect(seconds).toBeLessThan(160);
  expect(stderr).toContain('kube-controller-manager has not renewed its Lease for ');
  expect(stderr).toContain(
    'What is left is deleted once the program that has to act runs again; nothing more has to be sent. To see why: kubectl gc why configmap/',
  );
  await plane.request(managerLease, { method: 'DELETE' });
}, 200_000);

interface Seen extends Named {
  readonly metadata: Named['metadata'] & {
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
}

const seen = async (path: string): Promise<Seen | undefined> => {
  const { status, body } = await plane.request(`${core}/${path}`);
  return status === 200 ? JSON.parse(body) : undefined;
};

/** A ConfigMap that owns a pod on this Node. */
async function owned(name: string, nodeName: string, more: object = {}): Promise<void> {
  const owner = await plane.make<Named>(`ConfigMap ${namespace}/${name}`);
  const ownerReferences = [{ ...referenceTo(owner), blockOwnerDeletion: true }];
  await plane.make(`Pod ${namespace}/${name}-pod`, {
    metadata: { ownerReferences },
    spec: {
      nodeName,
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      containers: [{ name: 'app', image: 'example.com/app' }],
      ...more,
    },
  });
}

async function node(name: string, status: string, reason: string, message: string) {
  await plane.make(`Node ${name}`);
  const conditions = [{ type: 'Ready', status, reason, message }];
  await plane.patch(`/api/v1/nodes/${name}/status`, { status: { conditions } });
}

async function planOf(line: string): Promise<Plan> {
  const { stdout, stderr } = await ground.run(`${line} -n ${namespace} --preview -o json`);
  expect(stdout, stderr).not.toBe('');
  const plan = validDocument('plan', stdout);
  return plan;
}

/** `Pod one-pod: terminating, then deleted`, one line per object. */
const told = ({ objects }: Plan) =>
  objects.map(({ kind, name, fate, then: end }) => `${kind} ${name}: ${fate}, then ${end ?? fate}`);

describe('with the garbage collector, but kubelets that are silent', () => {
  beforeAll(async () => {
    await plane.startControllers([
      'garbage-collector-controller',
      'pod-garbage-collector-controller',
    ]);
    await plane.make(`Namespace ${namespace}`);
    await plane.make(`ServiceAccount ${namespace}/default`);
    await node('well', 'True', 'KubeletReady', 'kubelet is posting ready status');
    await node('lost', 'Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.');
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
      expect(plan.objects[1]).toMatchObject({
        blockedBy: [{ kind: 'kubelet', name: 'lost' }],
        waitsFor: [
          {
            kubelet: 'lost',
            aliveBecause: 'NodeStatusUnknown: Kubelet stopped posting node status.',
          },
        ],
      });
      expect(plan.remarks.map(({ code }) => code)).toEqual(['silent-node']);
      expect(told(await planOf('cm/foreground --cascade=foreground'))).toEqual([
        'ConfigMap foreground: terminating, then deleted',
        'Pod foreground-pod: terminating, then deleted',
      ]);
    });

    test('so it is: the owner goes, the pod stays, and the run says what it waits for', async () => {
      const { code, stderr } = await ground.run(`cm/background -n ${namespace} --yes`);
      expect([code, stderr]).toEqual([
        4,
        expect.stringContaining('the kubelet of node lost has not confirmed that it has stopped'),
      ]);
      expect(stderr).toMatch(/^Backup of 2 objects: /m);
      expect(await seen('configmaps/background')).toBeUndefined();
      expect((await seen('pods/background-pod'))?.metadata.deletionTimestamp).toBeDefined();
    });

    test('and an owner that waits in the foreground stays as well', async () => {
      const { code } = await ground.run(
        `cm/foreground -n ${namespace} --cascade=foreground --yes --timeout 10s`,
      );
      expect(code).toBe(4);
      expect((await seen('configmaps/foreground'))?.metadata.finalizers).toEqual([
        'foregroundDeletion',
      ]);
      expect((await seen('pods/foreground-pod'))?.metadata.deletionTimestamp).toBeDefined();
    });

    test('both go when the Node is out of service, as the plan then says', async () => {
      const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown' };
      const taints = [{ ...taint, effect: 'NoExecute' }];
      await plane.patch('/api/v1/nodes/lost', { spec: { taints } });
      expect(told(await planOf('cm/foreground --cascade=foreground'))).toEqual([
        'ConfigMap foreground: deleted, then deleted',
        'Pod foreground-pod: deleted, then deleted',
      ]);
      await eventually('pod garbage collection frees them', async () => {
        const left = [
          await seen('pods/background-pod'),
          await seen('pods/foreground-pod'),
          await seen('configmaps/foreground'),
        ];
        return left.every((one) => one === undefined);
      });
      await plane.patch('/api/v1/nodes/lost', { spec: { taints: null } });
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
    const { code, stderr } = await ground.run(`cm/homeless -n ${namespace} --yes --timeout 120s`);
    expect(code, stderr).toBe(0);
    expect(await seen('pods/homeless-pod')).toBeUndefined();
  });

  test('a pod goes at once without a Node, and with a grace period of 0', async () => {
    // No scheduler runs here.
    await owned('unbound', '');
    await owned('forced', 'lost');
    const lines = ['cm/unbound', 'pod/forced-pod --grace-period=0 --force'];
    for (const line of lines) {
      const plan = await planOf(line);
      expect(plan.objects.map(({ fate }) => fate)).toEqual(plan.objects.map(() => 'deleted'));
      expect(await ground.run(`${line} -n ${namespace} --yes --timeout 30s`)).toMatchObject({
        code: 0,
      });
    }
    expect([await seen('pods/unbound-pod'), await seen('pods/forced-pod')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('a Node goes with the pods that are bound to it, those of a DaemonSet in kube-system included, and they are in the backup', async () => {
    await plane.make('Node worker');
    const containers = [{ name: 'app', image: 'example.com/app' }];
    const spec = { nodeName: 'worker', automountServiceAccountToken: false, containers };
    for (const name of ['bare-1', 'bare-2']) {
      await plane.make(`Pod ${namespace}/${name}`, { spec });
    }
    const system = '/api/v1/namespaces/kube-system';
    await plane.make('ServiceAccount kube-system/default');
    const labels = { app: 'proxy' };
    const { metadata } = await plane.make<Named>('DaemonSet kube-system/proxy', {
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'proxy', uid: metadata.uid };
    await plane.make('Pod kube-system/proxy-1', {
      metadata: { labels, ownerReferences: [{ ...owner, controller: true }] },
      spec,
    });
    const { code, stdout, stderr } = await ground.run('node/worker --yes --timeout 150s');
    expect([code, stdout], stderr).toEqual([0, 'node "worker" deleted\n']);
    expect(stderr).toMatch(/^Backup of 4 objects: /m);
    expect([await seen('pods/bare-1'), await seen('pods/bare-2')]).toEqual([undefined, undefined]);
    expect((await plane.get<{ items: unknown[] }>(`${system}/pods`)).items).toEqual([]);
  });
});
