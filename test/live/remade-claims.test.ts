import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gc } from '../support/run-gc.ts';

const plane = await ownControlPlane({
  controllers: ['ephemeral-volume-controller', 'persistentvolumeclaim-protection-controller'],
});
const pods = '/api/v1/namespaces/default/pods';
const claims = '/api/v1/namespaces/default/persistentvolumeclaims';

/** The uid of each claim by its name, once there are so many that none of `earlier` is among. */
const untilThere = (count: number, earlier: readonly unknown[] = []) =>
  eventually(`${count} claims`, async () => {
    const { items } = await plane.get<{ items: KubeObject[] }>(claims);
    const uids = items.map(({ metadata }) => metadata.uid);
    const isOther = items.length === count && !uids.some((uid) => earlier.includes(uid));
    return isOther ? uids : undefined;
  });

test('claims of ephemeral volumes are made again for their pods, also for one that has ended, as planned', async () => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  for (const name of ['web', 'done']) {
    await plane.make(`Pod default/${name}`, {
      spec: {
        containers: [{ name: 'main', image: 'example.com/main' }],
        volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec } } }],
      },
    });
  }
  await plane.patch(`${pods}/done/status`, { status: { phase: 'Succeeded' } });
  const first = await untilThere(2);
  const line = 'delete pvc/web-scratch pvc/done-scratch --preview -o json';
  const { stdout } = await gc(line, { env: { KUBECONFIG: plane.kubeconfigPath } });
  const { objects } = JSON.parse(stdout) as { objects: { name: string; fate: string }[] };
  expect(objects.map(({ name, fate }) => `${name} ${fate}`)).toEqual([
    'web-scratch recreated',
    'done-scratch recreated',
  ]);
  for (const name of ['web', 'done']) {
    await plane.request(`${claims}/${name}-scratch`, { method: 'DELETE' });
  }
  await untilThere(2, first);
});
