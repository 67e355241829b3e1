import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RemovalLink } from '../../src/history/deletions/removal.ts';
import type { DeletionChain, Deletions } from '../../src/questions/deleted/document.ts';
import { asPublished } from '../contract/valid-document.ts';
import { askingOf } from '../support/asking.ts';
import { auditPolicy } from '../support/audit-policy.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What a cluster shows of deletions, without an audit log and beside one that names no owners. */
const folder = temporaryFolder();
const auditLog = join(folder, 'audit.log');
const policy = join(folder, 'policy.json');
writeFileSync(policy, JSON.stringify(auditPolicy([{ level: 'Metadata' }])));
const plane = await ownControlPlane({
  controllers: 'none',
  apiServerArgs: [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${auditLog}`,
    '--audit-log-mode=blocking',
  ],
});
const manager = { user: 'system:kube-controller-manager', groups: ['system:masters'] };
await plane.startControllers(['*'], [`--kubeconfig=${plane.kubeconfigFor(manager)}`]);
const env = { KUBECONFIG: plane.kubeconfigPath, KUBECTL_GC_BACKUP_DIR: join(folder, 'backups') };
const { json } = askingOf(plane, env);
const namespace = 'deleted-now';

const linkText = ({ cause, certainty, object, controller }: RemovalLink) =>
  [cause, certainty, object.kind, controller ?? ''].join(' ').trim();

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'registry.example.com/web' }] },
};

async function podNames(): Promise<string[]> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const { items } = await plane.get<{ items: { metadata: { name: string } }[] }>(path);
  return items.map(({ metadata }) => metadata.name);
}

test('an Event names the controller, and managed fields who changed its workload', async () => {
  await plane.make(`Namespace ${namespace}`);
  const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, template };
  await plane.make(`Deployment ${namespace}/web`, { spec });
  const before = await eventually('two pods', async () => {
    const names = await podNames();
    return names.length === 2 ? names : undefined;
  });
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web?fieldManager=night-shift`;
  const body = { spec: { replicas: 1 } };
  const headers = { 'content-type': 'application/merge-patch+json' };
  expect((await plane.request(path, { method: 'PATCH', body, headers })).status).toBe(200);
  const after = await eventually('one pod', async () => {
    const names = await podNames();
    return names.length === 1 ? names : undefined;
  });
  const gone = before.find((name) => !after.includes(name));
  const { removal } = await eventually('the Event', async () => {
    const chain = await json<DeletionChain>(`deleted pod/${gone} -n ${namespace}`);
    return chain.removal.links.length > 1 ? chain : undefined;
  });
  expect(removal.links.map(linkText)).toEqual([
    'controller seen Pod replicaset-controller',
    'change might be Deployment',
  ]);
  expect(removal.links[1]?.evidence).toContainEqual(
    expect.objectContaining({ kind: 'managed-fields', manager: 'night-shift' }),
  );
  const asked = `deleted pod/${gone} -n ${namespace} --audit-log ${auditLog}`;
  const alone = await json<DeletionChain>(asked);
  // By the names of the Pod and the ReplicaSet.
  expect(alone.removal.links.map(linkText)).toEqual([
    'controller seen Pod replicaset-controller',
    'controller might be ReplicaSet deployment-controller',
    'change might be Deployment',
  ]);
  const together = await json<DeletionChain>(`${asked} --kubeconfig ${plane.kubeconfigPath}`);
  expect(together.removal.links.map(linkText)).toEqual([
    'controller seen Pod replicaset-controller',
    'controller might be ReplicaSet deployment-controller',
    'change might be Deployment',
  ]);
});

test('a Job that is past its deadline deletes its Pods: its own decision, named while it exists and afterwards', async () => {
  const spec = {
    activeDeadlineSeconds: 2,
    template: { spec: { ...template.spec, restartPolicy: 'Never' } },
  };
  await plane.make(`Job ${namespace}/report`, { spec });
  const pod = await eventually('its Pod', async () =>
    (await podNames()).find((name) => name.startsWith('report-')),
  );
  const chainOf = (more = '') => json<DeletionChain>(`deleted pod/${pod} -n ${namespace}${more}`);
  const byDeadline = {
    controller: 'job-controller',
    rule: 'JOB-4',
    setting: 'spec.activeDeadlineSeconds',
  };
  const isFinished = async () => {
    const { status } = await plane.get<{ status: { conditions?: { type: string }[] } }>(
      `Job ${namespace}/report`,
    );
    return status.conditions?.some(({ type }) => type === 'Failed');
  };
  await eventually('the end of the Job', isFinished);
  const log = ` --audit-log ${auditLog} --kubeconfig ${plane.kubeconfigPath}`;
  for (const more of ['', log]) {
    expect((await chainOf(more)).removal.links, more).toMatchObject([byDeadline]);
  }
  await plane.remove(`Job ${namespace}/report`);
  await eventually(
    'no Job',
    async () => (await plane.find(`Job ${namespace}/report`)) === undefined,
  );
  for (const more of ['', log]) {
    expect((await chainOf(more)).removal.links, more).toMatchObject([byDeadline]);
  }
});

test('a backup names the owners of what was deleted with its object', async () => {
  await plane.make(`Deployment ${namespace}/shop`, {
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'shop' } },
      template: { ...template, metadata: { labels: { app: 'shop' } } },
    },
  });
  const pod = await eventually('its Pod', async () =>
    (await podNames()).find((name) => name.startsWith('shop-')),
  );
  const backup = join(folder, 'backups', 'shop');
  const line = `delete deployment/shop -n ${namespace} --yes --backup ${backup}`;
  expect((await gcHere(line, env)).code).toBe(0);
  await eventually('no Pod', async () => !(await podNames()).includes(`${pod}`));
  const { removal } = await json<DeletionChain>(`deleted pod/${pod} -n ${namespace}`);
  expect(removal.links.map(linkText)).toEqual([
    'owner might be Pod garbage-collector-controller',
    'owner might be ReplicaSet garbage-collector-controller',
    'request might be Deployment',
  ]);
  for (const { evidence } of removal.links) {
    expect(evidence).toContainEqual(expect.objectContaining({ kind: 'backup', path: backup }));
  }
});

test('a folder of snapshots, and a backup, say what was there', async () => {
  const snapshots = join(folder, 'snapshots');
  mkdirSync(snapshots);
  await plane.make(`ConfigMap ${namespace}/settings`);
  expect((await gcHere(`snapshot save ${join(snapshots, 'one.json.gz')}`, env)).code).toBe(0);
  const { code } = await gcHere(
    `delete configmap/settings -n ${namespace} --yes --backup ${join(folder, 'backups', 'one')}`,
    env,
  );
  expect(code).toBe(0);
  const line = `deleted configmap/settings -n ${namespace} --before ${snapshots}`;
  const chain = asPublished('deletion-chain', await json<DeletionChain>(line)) as DeletionChain;
  expect(chain.removal.links.map(linkText)).toEqual(['request might be ConfigMap']);
  expect(chain.removal.links[0]?.evidence[0]).toMatchObject({ kind: 'backup', path: chain.backup });
  const all = await json<Deletions>(`deleted -n ${namespace} --before ${snapshots}`);
  const names = asPublished('deletions', all).items.flatMap((item: Deletions['items'][number]) =>
    item.objects.map(({ object }) => object.name),
  );
  expect(names).toContain('settings');
});

test('an object that does not exist leads from why to this command', async () => {
  const { stdout, stderr, code } = await gcHere(`why configmap/settings -n ${namespace}`, env);
  expect([code, `${stdout}${stderr}`]).toEqual([
    3,
    expect.stringContaining(`kubectl gc deleted configmap/settings -n ${namespace}`),
  ]);
});

test('an Event names an owner in another namespace beside a log that names none', async () => {
  await plane.make('Namespace elsewhere');
  const owner = await plane.make<{ metadata: { uid: string } }>('ConfigMap elsewhere/owner');
  const { uid } = owner.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  await plane.make(`ConfigMap ${namespace}/flags`, { metadata: { ownerReferences } });
  const asked = `deleted configmap/flags -n ${namespace} --audit-log ${auditLog} --kubeconfig ${plane.kubeconfigPath}`;
  const { removal } = await eventually('the Event', async () => {
    const chain = await json<DeletionChain>(asked);
    return chain.removal.links[0]?.cause === 'reference' ? chain : undefined;
  });
  expect(removal.links.map(linkText)).toEqual([
    'reference seen ConfigMap garbage-collector-controller',
    'change might be ConfigMap',
  ]);
});
