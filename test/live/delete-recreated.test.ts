import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { type Named, playground } from './delete-playground.ts';

/** What comes back, who makes it and how to stop that; and a claim that a pod uses. */
const plane = sharedControlPlane();
const namespace = 'delete-recreated';
const { run, familyIn, remove } = playground(plane);
const node = 'recreating-node';
const core = `/api/v1/namespaces/${namespace}`;
afterAll(async () => {
  await plane.request(`${core}/pods/db-0?gracePeriodSeconds=0`, { method: 'DELETE' });
  await plane.request(`/api/v1/nodes/${node}`, { method: 'DELETE' });
  await remove();
});

beforeAll(async () => {
  await familyIn(namespace);
  await plane.create('/api/v1/nodes', { metadata: { name: node } });
  await plane.create(`${core}/persistentvolumeclaims`, {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  await plane.create(`${core}/services`, {
    metadata: { name: 'front' },
    spec: { selector: { app: 'front' }, ports: [{ port: 80 }] },
  });
  await eventually('the default ServiceAccount is made', async () =>
    (await plane.request(`${core}/serviceaccounts/default`)).status === 200 ? true : undefined,
  );
  await plane.create(`${core}/pods`, {
    metadata: { name: 'db-0' },
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: 45,
      automountServiceAccountToken: false,
      containers: [{ name: 'db', image: 'example.com/db' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  });
});

interface Told {
  readonly objects: readonly {
    readonly name: string;
    readonly fate: string;
    readonly because: string;
  }[];
  readonly remarks: readonly { readonly code: string; readonly message: string }[];
}

async function planOf(line: string): Promise<Told> {
  const { stdout, stderr } = await run(`${line} -n ${namespace} --preview -o json`);
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout);
}

const uidOf = async (path: string) => {
  const { status, body } = await plane.request(path);
  return status === 200 ? (JSON.parse(body) as Named).metadata.uid : undefined;
};

test('a claim in use says by which pod, and together with it how long', async () => {
  const [alone] = (await planOf('pvc/data')).objects;
  expect([alone?.fate, alone?.because]).toEqual([
    'terminating',
    'requested; it is marked as being deleted and waits for kubernetes.io/pvc-protection; used by Pod db-0; the PVC protection controller removes kubernetes.io/pvc-protection when no pod that is bound to a node names the claim, finished ones included',
  ]);
  const both = (await planOf('pvc/data pod/db-0')).objects;
  const claim = both.find(({ name }) => name === 'data');
  expect([claim?.fate, claim?.because.split('; ').at(-1)]).toEqual([
    'deleted',
    'Pod db-0 uses it, and is gone within 45 s',
  ]);
});

test('Endpoints of a Service with a selector come back, as the plan says', async () => {
  const path = `${core}/endpoints/front`;
  const first = await eventually('the Endpoints are made', () => uidOf(path));
  const { objects, remarks } = await planOf('endpoints/front');
  expect(objects.map(({ name, fate }) => `${name} ${fate}`)).toContain('front recreated');
  expect(remarks.find(({ message }) => message.includes('1 Endpoints'))?.message).toMatch(
    /^Service front makes .*1 Endpoints.* again\. To be rid of (it|them), delete service\/front instead, or take the selector out of the Service\.$/,
  );
  const { code, stderr } = await run(`endpoints/front -n ${namespace} --yes --no-backup`);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('unplanned')]);
  // Its controller makes them when it looks at the Service again.
  await plane.patch(`${core}/services/front`, { metadata: { labels: { touched: 'yes' } } });
  const second = await eventually('the Endpoints are made again', async () => {
    const uid = await uidOf(path);
    return uid === first ? undefined : uid;
  });
  expect(second).not.toBe(first);
});
