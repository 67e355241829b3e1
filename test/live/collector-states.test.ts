import { expect, onTestFinished, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { StatusReport } from '../../src/questions/status/document.ts';
import type { GarbageCollectorHealthReport } from '../../src/questions/why/document.ts';
import type { CollectorState } from '../../src/why/garbage-collector/collector-health.ts';
import { webhookFor } from '../support/admission.ts';
import { askingOf } from '../support/asking.ts';
import { configMap } from '../support/blockade.ts';
import { showManager } from '../support/control-plane-pod.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { makeDeadApi } from '../support/served-kinds.ts';

/** The real garbage collector in each of 16 states, one after the other, and the one word that `status` and `why --gc` have for it. */
const collector = 'garbage-collector-controller';
const elected = [
  // Else it sends requests as the user of kube-controller-manager, and no policy knows it.
  '--use-service-account-credentials=true',
  '--leader-elect=true',
  '--leader-elect-lease-duration=3s',
  '--leader-elect-renew-deadline=2s',
  '--leader-elect-retry-period=1s',
];
const plane = await ownControlPlane({ controllers: [collector], controllerArgs: elected });
const { run, json } = askingOf(plane);
const show = (controllers: string) =>
  showManager(plane, [...elected, `--controllers=${controllers}`]);
const hide = () => plane.remove('Pod kube-system/kube-controller-manager');

interface State {
  readonly health: CollectorState;
  /** What makes it so. */
  readonly arrange?: () => Promise<unknown>;
  readonly undo?: () => Promise<unknown>;
  readonly kubeconfig?: () => string;
  /** Is there garbage that it should have deleted? */
  readonly isOverdue?: boolean;
  /** Garbage is made before each question: it deletes what waits for it within seconds. */
  readonly isBehind?: boolean;
}

const missing = { apiVersion: 'v1', kind: 'ConfigMap', name: 'missing', uid: 'uid-of-missing' };
const makeGarbage = () =>
  plane.make('ConfigMap default/garbage', { metadata: { ownerReferences: [missing] } });

let made = 0;
/** So much that deleting it takes longer than an answer; it has waited for five minutes. */
function backlog() {
  made += 1;
  const creationTimestamp = new Date(Date.now() - 300_000).toISOString().replace(/\.\d+/, '');
  const ownerReferences = [missing];
  return plane.putObjects(
    Array.from({ length: 700 }, (_, index) =>
      configMap('default', `late-${made}-${index}`, {
        labels: { late: 'yes' },
        creationTimestamp,
        ownerReferences,
      }),
    ),
  );
}

const user = 'system:serviceaccount:kube-system:generic-garbage-collector';
const isOther = `request.userInfo.username != '${user}'`;
/** Refuses its deletions of these resources. */
async function refuse(apiGroups: readonly string[], resources: readonly string[]) {
  const rule = { apiGroups, apiVersions: ['*'], operations: ['DELETE'], resources };
  await plane.make('ValidatingAdmissionPolicy refuse', {
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: isOther, message: 'not by the garbage collector' }],
    },
  });
  await plane.make('ValidatingAdmissionPolicyBinding refuse', {
    spec: { policyName: 'refuse', validationActions: ['Deny'] },
  });
}
const allow = async () => {
  await plane.remove('ValidatingAdmissionPolicyBinding refuse');
  await plane.remove('ValidatingAdmissionPolicy refuse');
};

/** A webhook that nothing serves, asked about deletions. */
const callWebhook = (apiGroups: readonly string[], resources: readonly string[]) => {
  const rule = { apiGroups, apiVersions: ['*'], operations: ['DELETE'], resources };
  return plane.make(
    'ValidatingWebhookConfiguration dead',
    webhookFor('DELETE', '', { rules: [rule] }),
  );
};
const removeWebhook = () => plane.remove('ValidatingWebhookConfiguration dead');

const lease = 'Lease kube-system/kube-controller-manager';
/** The Lease as a leader leaves it that renewed it so many seconds ago. */
async function renew(secondsAgo: number): Promise<void> {
  const { metadata } = await plane.get<KubeObject>(lease);
  expect(metadata.name).toBe('kube-controller-manager');
  const renewTime = new Date(Date.now() - secondsAgo * 1000).toISOString().replace('Z', '000Z');
  await plane.patch(pathOfLease, { spec: { renewTime, leaseDurationSeconds: 60 } });
}
const pathOfLease =
  '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';

const binding = 'ClusterRoleBinding system:controller:generic-garbage-collector';
let bound: KubeObject;

async function restart(controllers: readonly string[], args: readonly string[] = elected) {
  await plane.stopControllers();
  await plane.remove(pathOfLease);
  await plane.startControllers(controllers, args);
}

const states: Readonly<Record<string, State>> = {
  'it runs, and nothing waits for it': { health: 'works' },
  'an API of metrics is down': {
    health: 'works',
    arrange: () => makeDeadApi(plane, 'custom.metrics.k8s.io', 'v1beta1'),
    undo: () => plane.remove('APIService v1beta1.custom.metrics.k8s.io'),
  },
  'an API that stores objects is down': {
    health: 'works-except',
    arrange: () => makeDeadApi(plane, 'toys.example.com'),
    undo: () => plane.remove('APIService v1.toys.example.com'),
  },
  'a webhook refuses deletions of one kind': {
    health: 'works-except',
    arrange: () => callWebhook([''], ['configmaps']),
    undo: removeWebhook,
  },
  'a webhook refuses every deletion': {
    health: 'does-not-work',
    arrange: () => callWebhook(['*'], ['*']),
    undo: removeWebhook,
  },
  'a policy refuses its deletions of one kind': {
    health: 'works-except',
    arrange: () => refuse([''], ['configmaps']),
    undo: allow,
  },
  'a policy refuses each of its deletions': {
    health: 'does-not-work',
    arrange: () => refuse(['*'], ['*']),
    undo: allow,
  },
  'it lacks its permissions': {
    health: 'does-not-work',
    arrange: async () => {
      bound = await plane.get<KubeObject>(binding);
      await plane.remove(binding);
    },
    undo: () => {
      const { roleRef, subjects } = bound;
      return plane.make(binding, { roleRef, subjects });
    },
  },
  'a user may read nothing': {
    health: 'unknown',
    kubeconfig: () => plane.kubeconfigFor({ user: 'eve' }),
  },
  'it is paused, and its Lease is renewed': {
    health: 'unknown',
    isOverdue: true,
    arrange: async () => {
      process.kill(plane.pids().at(-1) ?? expect.fail(), 'SIGSTOP');
      await renew(0);
      await makeGarbage();
    },
  },
  'its leader is dead': { health: 'does-not-work', isOverdue: true, arrange: () => renew(600) },
  'it is off, as its flags show': {
    health: 'does-not-work',
    isOverdue: true,
    arrange: async () => {
      await show(`*,-${collector}`);
      await restart(['namespace-controller']);
    },
  },
  'it is off, and no Pod shows its flags': { health: 'unknown', isOverdue: true, arrange: hide },
  'it is five minutes behind, and no Pod shows its flags': {
    health: 'works',
    isBehind: true,
    arrange: () => restart([collector]),
  },
  'nothing waits for it, and no Pod shows its flags': {
    health: 'unknown',
    arrange: () => plane.remove('/api/v1/namespaces/default/configmaps?labelSelector=late'),
  },
  'it deletes without a Lease': {
    health: 'works',
    isBehind: true,
    arrange: () => restart([collector], ['--leader-elect=false']),
  },
};

test('the states are 16', () => expect(Object.keys(states)).toHaveLength(16));

test('what it deletes and what it keeps', async () => {
  await show(collector);
  const owner = await plane.make('ConfigMap default/owner');
  const { uid } = owner.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  for (const kind of ['ConfigMap', 'Secret'])
    await plane.make(`${kind} default/owned`, { metadata: { ownerReferences } });
});

test.each(Object.entries(states))('%s', async (_, state) => {
  onTestFinished(async () => {
    await state.undo?.();
  });
  await state.arrange?.();
  const kubeconfig = state.kubeconfig?.() ?? plane.kubeconfigPath;
  let last = '';
  const found = await eventually(
    `the word ${state.health}`,
    async () => {
      if (state.isBehind) await backlog();
      const { stdout, stderr } = await run('why --gc -o json', kubeconfig);
      const report: GarbageCollectorHealthReport = JSON.parse(stdout || '{}');
      last = `${report.health}: ${report.because}${stderr}`;
      return report.health === state.health && report;
    },
    60,
  ).catch((error) => expect.fail(`${error.message}, but ${last}`));
  if (state.isBehind) await backlog();
  const { garbageCollector } = await json<StatusReport>('status', kubeconfig);
  expect(garbageCollector.health).toBe(state.health);
  // How much is left of what it deletes meanwhile is a matter of chance.
  if (!state.isBehind) expect((found.overdue ?? 0) > 0).toBe(state.isOverdue ?? false);
});
