import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connect } from '../../src/cluster/connection/connect.ts';
import { discover } from '../../src/cluster/list/discover.ts';
import { readsFacts } from '../../src/cluster/protobuf/decode-item.ts';
import { isEventType } from '../../src/kube/resource-type.ts';
import { kubeconfig } from '../support/cluster.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { claimSpec, volumeSpec } from '../support/volumes.ts';
import { workload } from '../support/workload.ts';
import { proxyOfFile } from './proxy.ts';

/** What is read for a preview is read once: the requests of each, as the API server gets them. */
const plane = sharedControlPlane();
const proxy = await proxyOfFile(plane);
const path = join(temporaryFolder(), 'kubeconfig');
writeFileSync(path, kubeconfig({ ...plane, server: proxy.address }, { token: '' }));
const home = 'counted';
const root = `/api/v1/namespaces/${home}`;
const others: string[] = [];

async function volume(name: string, persistentVolumeReclaimPolicy: string): Promise<void> {
  others.push(`/api/v1/persistentvolumes/${name}`);
  const storageClassName = 'none';
  const claimRef = { namespace: home, name };
  const policy = { persistentVolumeReclaimPolicy };
  const spec = volumeSpec('counted', { ...policy, storageClassName, claimRef });
  await plane.make(`PersistentVolume ${name}`, { spec });
  const claim = { ...claimSpec, storageClassName, volumeName: name };
  await plane.make(`PersistentVolumeClaim ${home}/${name}`, { spec: claim });
}

beforeAll(async () => {
  await plane.make(`Namespace ${home}`);
  others.push('/api/v1/nodes/counted-node');
  await plane.make('Node counted-node');
  await plane.make(`ConfigMap ${home}/alone`);
  const { metadata } = await plane.make(`ConfigMap ${home}/owner`);
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid };
  const spec = { nodeName: 'counted-node', containers: [{ name: 'c', image: 'x' }] };
  await plane.make(`Pod ${home}/worker`, { metadata: { ownerReferences: [owner] }, spec });
  await plane.make(`Deployment ${home}/web`, workload('web', { replicas: 1 }));
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
/** Those that are not read with facts everywhere, as Leases are. And Secrets. */
const withFacts =
  namespaced.filter((type) => readsFacts(type, true) && !readsFacts(type, 'few')).length + 1;
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
