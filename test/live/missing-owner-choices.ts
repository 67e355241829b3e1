import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';

/**
 * Objects whose owners are gone: what is meant is answered first, then the garbage collector starts. On a control plane
 * of which no controller runs yet.
 */
export function missingOwnerChoices(plane: ControlPlane): void {
  let owner: KubeObject;
  const configMaps = '/api/v1/namespaces/choices/configmaps';
  const pods = '/api/v1/namespaces/choices/pods';
  const env = () => ({ KUBECONFIG: plane.kubeconfigPath });

  beforeAll(async () => {
    await plane.make('Namespace choices');
    await plane.make('ServiceAccount choices/default');
    owner = await plane.make('ConfigMap choices/owner');
  });

  function create(name: string, reference: object) {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', uid: 'former', ...reference }];
    return plane.make(`ConfigMap choices/${name}`, { metadata: { ownerReferences } });
  }

  async function stored(path = configMaps): Promise<Record<string, unknown>> {
    const { items } = await plane.get<{ items: KubeObject[] }>(path);
    return Object.fromEntries(
      items.flatMap(({ metadata: { name, ownerReferences } }) => {
        const references = ownerReferences as { uid: string }[] | undefined;
        return name === 'owner' ? [] : [[String(name), references?.map(({ uid }) => uid)]];
      }),
    );
  }

  const line = 'invalid-ownerrefs configmaps -n choices --fix -o name';

  test('without an answer it is let go, and that is said', async () => {
    await create('left', { name: 'gone' });
    const { code, stderr } = await gc(`${line} --yes`, { env: env() });
    expect([code, stderr]).toEqual([
      0,
      `configmap/left in namespace choices: let it go: the garbage collector deletes it. That is the default; see --missing-owner=keep.
No finding can be fixed by an edit.
`,
    ]);
    expect(await stored()).toEqual({ left: ['former'] });
  });

  test('what is chosen is done', async () => {
    const told: string[] = [];
    for (const [choice, name, of] of [
      ['keep', 'kept', 'gone'],
      ['relink', 'linked', 'owner'],
      ['let-go', 'refused', 'owner'],
    ] as const) {
      await create(name, { name: of });
      const only = `--field-selector metadata.name=${name} --missing-owner=${choice}`;
      const { code, stderr } = await gc(`${line} --yes ${only}`, { env: env() });
      expect(code, stderr).toBe(0);
      told.push(stderr.split('\n')[0] ?? '');
    }
    expect(await stored()).toEqual({
      kept: undefined,
      left: ['former'],
      linked: [owner.metadata.uid],
      refused: ['former'],
    });
    expect(told[0]).toBe(
      'configmap/kept in namespace choices: keep it: remove the reference; it then stays until it is deleted by hand.',
    );
    expect(told[2]).toBe(
      'configmap/refused in namespace choices: let it go: the garbage collector deletes it.',
    );
  });

  test('a kept pod of a ReplicaSet that is gone: nothing manages it, and that is said', async () => {
    const metadata = {
      name: 'web-1',
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'former', controller: true },
      ],
    };
    const spec = { containers: [{ name: 'web', image: 'example.com/web:1' }] };
    await plane.create(pods, { metadata, spec });
    const { code, stderr } = await gc(
      'invalid-ownerrefs pods -n choices --fix -o name --yes --missing-owner=keep',
      { env: env() },
    );
    expect([code, stderr.split('\n')[0]]).toEqual([
      0,
      'pod/web-1 in namespace choices: keep it: remove the reference; it then stays until it is deleted by hand, and nothing manages it: no ReplicaSet replaces it when it fails or its node goes, unless one with a matching selector adopts it.',
    ]);
  });

  test('each ends as it was said', async () => {
    await plane.startControllers(['garbage-collector-controller', 'replicaset-controller']);
    await eventually('what is let go to be gone', async () => {
      const names = Object.keys(await stored());
      return !names.some((name) => ['left', 'refused'].includes(name));
    });
    expect(await stored()).toEqual({
      kept: undefined,
      linked: [owner.metadata.uid],
    });
    expect(await stored(pods)).toEqual({ 'web-1': undefined });
    // What was re-linked goes with its new owner; what was kept does not.
    await plane.request(`${configMaps}/owner`, { method: 'DELETE' });
    await eventually(
      'the dependent of the new owner to be gone',
      async () => !('linked' in (await stored())),
    );
    expect(Object.keys(await stored())).toEqual(['kept']);
  });
}
