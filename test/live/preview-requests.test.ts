import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connect } from '../../src/cluster/connection/connect.ts';
import { discover } from '../../src/cluster/list/discover.ts';
import { decidesByFacts } from '../../src/kube/facts/object-facts.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { isEventType } from '../../src/kube/resource-type.ts';
import { kubeconfig } from '../support/cluster.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { proxyOfFile } from './proxy.ts';

/** What is read for a preview is read once: the requests of each, as the API server gets them. */
const plane = sharedControlPlane();
const proxy = await proxyOfFile(plane);
const path = join(temporaryFolder(), 'kubeconfig');
writeFileSync(path, kubeconfig({ ...plane, server: proxy.address }, { token: '' }));
const home = 'counted';
const root = `/api/v1/namespaces/${home}`;
const others: string[] = [];

const make = (at: string, body: object) => plane.request(at, { method: 'POST', body });

async function owned(kind: string, at: string, name: string) {
  const { metadata, apiVersion } = await plane.get<KubeObject>(`${at}/${name}`);
  return { ownerReferences: [{ apiVersion, kind, name, uid: metadata.uid }] };
}

async function volume(name: string, policy: string): Promise<void> {
  others.push(`/api/v1/persistentvolumes/${name}`);
  const spec = {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: policy,
    storageClassName: 'none',
    hostPath: { path: '/counted' },
    claimRef: { namespace: home, name },
  };
  await make('/api/v1/persistentvolumes', { metadata: { name }, spec });
  const claim = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'none',
    volumeName: name,
    resources: { requests: { storage: '1Gi' } },
  };
  await make(`${root}/persistentvolumeclaims`, { metadata: { name }, spec: claim });
}

beforeAll(async () => {
  await plane.make(`Namespace ${home}`);
  others.push('/api/v1/nodes/counted-node');
  await make('/api/v1/nodes', { metadata: { name: 'counted-node' } });
  for (const name of ['alone', 'owner']) await make(`${root}/configmaps`, { metadata: { name } });
  const container = { name: 'c', image: 'x' };
  const spec = { nodeName: 'counted-node', containers: [container] };
  const metadata = await owned('ConfigMap', `${root}/configmaps`, 'owner');
  await make(`${root}/pods`, { metadata: { name: 'worker', ...metadata }, spec });
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  await make(`/apis/apps/v1/namespaces/${home}/deployments`, {
    metadata: { name: 'web' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  });
  await volume('kept', 'Retain');
  await volume('freed', 'Delete');
});
afterAll(async () => {
  await plane.request(root, { method: 'DELETE' });
  for (const one of others) await plane.request(one, { method: 'DELETE' });
});
beforeEach(() => proxy.forget());

/** How often something is listed in the namespace, and everywhere, and which single objects are asked for. */
interface Requests {
  readonly inNamespace: number;
  readonly everywhere: number;
  readonly objects: readonly string[];
}

const served = async () => {
  const client = await connect({ kubeconfig: plane.kubeconfigPath });
  const { types } = await discover(client);
  client.close();
  return types
    .preferred()
    .filter(({ verbs }) => verbs.includes('list') && verbs.includes('delete'))
    .filter((type) => !isEventType(type));
};
const kinds = await served();
const namespaced = kinds.filter((type) => type.namespaced);
const inNamespace = namespaced.length;
const ofVolumes = 2;
/** And Secrets. */
const withFacts = namespaced.filter(decidesByFacts).length + 1;
/** Webhooks and policies that may refuse it. */
const judges = 4;
const everywhere = kinds.length + judges;
const whole: readonly string[] = ['namespaces/kube-system'];
const objects = [...whole, `namespaces/${home}`];
const node = 'nodes/counted-node';

test.each<[string, Requests]>([
  [`cm/alone -n ${home}`, { inNamespace, everywhere: judges, objects }],
  [`deployment/web -n ${home}`, { inNamespace, everywhere: judges, objects }],
  [`cm/owner -n ${home}`, { inNamespace, everywhere: judges, objects: [...objects, node] }],
  [`pvc/kept -n ${home}`, { inNamespace, everywhere: ofVolumes + judges, objects }],
  [`pvc/freed -n ${home}`, { inNamespace, everywhere: ofVolumes + everywhere, objects }],
  [`ns/${home}`, { inNamespace: withFacts, everywhere, objects: whole }],
])('delete %s --preview reads once what it can reach', async (line, wanted) => {
  const env = { KUBECONFIG: path };
  const { code, stderr } = await gc(`delete ${line} --preview`, { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr });
  const own = /\/([^ ]+)/.exec(line)?.[1] ?? '';
  const lists = proxy.requests
    .filter(({ method }) => method === 'GET')
    .map(({ path: asked }) => asked.replace(/\?.*|^\/api\/v1\/|^\/apis\/[^/]+\/[^/]+\//g, ''))
    .filter((asked) => !/^\/(apis?|version)$/.test(asked) && !asked.endsWith(`/${own}`));
  const inHome = new RegExp(`^namespaces/${home}/`);
  // Objects of other files on the same control plane may lack their owners, which are asked for then.
  const single = lists.filter(
    (one) => one.includes('/') && !/^namespaces\/(?!kube-).*\//.test(one),
  );
  expect({
    inNamespace: lists.filter((one) => inHome.test(one)).length,
    everywhere: lists.filter((one) => !one.includes('/')).length,
    objects: single.sort(),
  }).toEqual({ ...wanted, objects: [...wanted.objects].sort() });
});
