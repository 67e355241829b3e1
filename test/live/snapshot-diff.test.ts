import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { timestampOf } from '../../src/kube/time.ts';
import type { SnapshotDiff } from '../../src/output/documents/snapshot-diff.ts';
import { validDocument } from '../contract/valid-document.ts';
import { eventually } from '../support/eventually.ts';
import { gcHere } from '../support/run-here.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What real controllers roll out, collect and leave between two snapshots, and how the diff explains it. */
const plane = sharedControlPlane();
const namespace = 'snapshot-diff';
const ending = 'snapshot-diff-ending';
const env = { KUBECONFIG: plane.kubeconfigPath, NO_COLOR: '1' };
const folder = temporaryFolder();
const [first, second] = [join(folder, 'first.json.gz'), join(folder, 'second.json.gz')];
const core = `/api/v1/namespaces/${namespace}`;
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;

interface Listed {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec?: { readonly replicas?: number };
}

const listed = async (path: string) => (await plane.get<{ items: Listed[] }>(path)).items;

beforeAll(async () => {
  for (const name of [namespace, ending]) {
    await plane.make(`Namespace ${name}`);
  }
});
afterAll(async () => {
  for (const name of [namespace, ending]) {
    await plane.request(`/api/v1/namespaces/${name}`, { method: 'DELETE' });
  }
});

/** No kubelet runs, so pods never become ready: all old ones go before new ones come. */
function deployment(name: string, replicas: number) {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      replicas,
      revisionHistoryLimit: 0,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: labels },
      template: imageOf(name, 1),
    },
  };
}

function imageOf(name: string, version: number) {
  const containers = [{ name: 'main', image: `example.com/main:${version}` }];
  return { metadata: { labels: { app: name } }, spec: { containers } };
}

/** A finished Job that its controller leaves alone, until so many seconds from now. */
function jobUntil(seconds: number) {
  const [selector, finished] = [{ job: 'done' }, timestampOf(Date.now() - 3_600_000)];
  const containers = [{ name: 'main', image: 'example.com/main:1' }];
  return {
    metadata: { name: 'done' },
    spec: {
      managedBy: 'example.com/nobody',
      manualSelector: true,
      selector: { matchLabels: selector },
      ttlSecondsAfterFinished: 3600 + seconds,
      template: { metadata: { labels: selector }, spec: { containers, restartPolicy: 'Never' } },
    },
    status: {
      startTime: finished,
      completionTime: finished,
      conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({
        ...{ type, status: 'True', lastTransitionTime: finished },
      })),
    },
  };
}

function isGone(path: string): Promise<true> {
  const probe = async () => !(await plane.isHealthy(path));
  return eventually(`${path} is gone`, probe, 90);
}

async function saved(path: string): Promise<void> {
  const { code, stderr } = await gcHere(`snapshot save ${path} --force`, env);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Saved \d+ objects to /m)]);
}

/** The first snapshot, with a Job whose time is not up before it is taken, however slow this machine is. */
async function saveWithJob(): Promise<void> {
  for (let seconds = 8; ; seconds *= 2) {
    const { status, ...job } = jobUntil(seconds);
    await plane.create(jobs, job);
    await plane.patch(`${jobs}/done/status`, { status });
    const { metadata } = await plane.get<Listed>(`${jobs}/done`);
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'done', uid: metadata.uid };
    await plane.make(`ConfigMap ${namespace}/of-done`, { metadata: { ownerReferences: [owner] } });
    await saved(first);
    if (await plane.isHealthy(`${jobs}/done`)) return;
    await isGone(`${core}/configmaps/of-done`);
  }
}

test('what came, went and why between two snapshots, and between one and the cluster', async () => {
  await plane.create(deployments, deployment('web', 2));
  await plane.create(deployments, deployment('idle', 0));
  await plane.create(deployments, deployment('gone', 1));
  for (const name of ['by-hand', 'again']) {
    await plane.make(`ConfigMap ${namespace}/${name}`);
  }
  await plane.make(`ConfigMap ${ending}/inside`);
  const pods = (app: string) => listed(`${core}/pods?labelSelector=app%3D${app}`);
  const settled = async (app: string, count: number, without: readonly Listed[] = []) =>
    eventually(`${count} new pods of ${app}`, async () => {
      const found = await pods(app);
      const old = new Set(without.map(({ metadata: { uid } }) => uid));
      return found.length === count && found.every(({ metadata }) => !old.has(metadata.uid))
        ? found
        : undefined;
    });
  const before = await settled('web', 2);
  await settled('gone', 1);
  await saveWithJob();

  for (const name of ['web', 'idle']) {
    await plane.patch(`${deployments}/${name}`, { spec: { template: imageOf(name, 2) } });
  }
  await plane.request(`${deployments}/gone`, { method: 'DELETE' });
  for (const name of ['by-hand', 'again']) {
    await plane.request(`${core}/configmaps/${name}`, { method: 'DELETE' });
  }
  await plane.make(`ConfigMap ${namespace}/again`);
  await plane.request(`/api/v1/namespaces/${ending}`, { method: 'DELETE' });
  await settled('web', 2, before);
  await settled('gone', 0);
  await isGone(`/api/v1/namespaces/${ending}`);
  await isGone(`${jobs}/done`);
  const left = async (path: string, fits: (found: Listed[]) => boolean) =>
    eventually(path, async () => (fits(await listed(path)) ? true : undefined), 90);
  await left(`${core}/configmaps`, (all) =>
    all.every(({ metadata }) => !/^of-/.test(metadata.name)),
  );
  const sets = `/apis/apps/v1/namespaces/${namespace}/replicasets?labelSelector=app%3D`;
  await left(`${sets}idle`, ({ length }) => length === 1);
  await left(`${sets}gone`, ({ length }) => length === 0);
  await saved(second);

  const { code, stdout } = await gcHere(`snapshot diff ${first} ${second} -o json`, env);
  expect(code).toBe(0);
  const diff: SnapshotDiff = validDocument('snapshot-diff', stdout);
  expect([diff.sameCluster, diff.remarks, diff.notCompared, diff.explained]).toEqual([
    ...['yes', [], [], true],
  ]);
  const own = diff.items.filter(({ object, root: top }) =>
    [object.namespace, top.namespace, top.name].some((one) => one === namespace || one === ending),
  );
  const told = own
    .filter(({ change }) => change !== 'changed')
    .map(({ change, object: { kind, name }, root: top, reason, ruleUnknown }) =>
      [
        change,
        `${kind}/${name.replace(/-[0-9a-f]{7,10}(-\w{5})?$|-\d+$/, '')}`,
        `${top.kind}/${top.name.replace(/-\d+$/, '')}`,
        reason ? `${reason.collector} ${reason.rule}` : `${ruleUnknown ?? 'no rule'}`,
      ].join(' '),
    );
  expect(told.sort()).toEqual(
    [
      // A rollout: both belong to the Deployment, and its ReplicaSet stays as one of the history.
      'came Pod/web Deployment/web no rule',
      'came Pod/web Deployment/web no rule',
      'came ReplicaSet/web Deployment/web no rule',
      'went Pod/web Deployment/web no rule',
      'went Pod/web Deployment/web no rule',
      // One that ends at once: the old ReplicaSet is over the limit.
      'came ReplicaSet/idle Deployment/idle no rule',
      'went ReplicaSet/idle Deployment/idle replicaset-history RSH-5',
      // A deletion: what was below is collected.
      'went Deployment/gone Deployment/gone no rule',
      'went ReplicaSet/gone Deployment/gone garbage-collector GC-22.13',
      'went Pod/gone Deployment/gone garbage-collector GC-22.13',
      // The rest.
      'went Job/done Job/done ttl-after-finished TTL-4',
      'went ConfigMap/of-done Job/done garbage-collector GC-22.13',
      'went ConfigMap/by-hand ConfigMap/by-hand no rule',
      'recreated ConfigMap/again ConfigMap/again no rule',
      'went Namespace/snapshot-diff-ending Namespace/snapshot-diff-ending no rule',
      'went ConfigMap/inside Namespace/snapshot-diff-ending namespace GC-72',
      'went ConfigMap/kube-root-ca.crt Namespace/snapshot-diff-ending namespace GC-72',
      'went ServiceAccount/default Namespace/snapshot-diff-ending namespace GC-72',
    ].sort(),
  );
  const live = await gcHere(`snapshot diff ${first} -n ${namespace} --exit-code -o name`, env);
  const offline = await gcHere(`snapshot diff ${first} ${second} -n ${namespace} -o name`, env);
  expect([live.code, live.stdout]).toEqual([1, offline.stdout]);
});
