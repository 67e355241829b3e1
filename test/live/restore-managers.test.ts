import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { playground } from './delete-playground.ts';

/** Who manages which field of a restored object. */
const plane = sharedControlPlane();
const { run, folder, env, remove } = playground(plane);
afterAll(remove);

interface Managed {
  readonly metadata: {
    readonly managedFields: readonly {
      readonly manager: string;
      readonly operation: string;
      readonly subresource?: string;
      readonly fieldsV1: object;
    }[];
  };
}

const path = '/apis/apps/v1/namespaces/managed/deployments/web';

function apply(manager: string, object: object) {
  return plane.request(`${path}?fieldManager=${manager}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, ...object },
  });
}

const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image }] },
});
const wanted = (image: string) => ({
  spec: { selector: { matchLabels: { app: 'web' } }, template: template(image) },
});

async function managers(): Promise<string[]> {
  const { metadata } = await plane.get<Managed>(path);
  return metadata.managedFields
    .filter(({ subresource }) => subresource === undefined)
    .map(
      ({ manager, operation, fieldsV1 }) => `${manager} ${operation} ${JSON.stringify(fieldsV1)}`,
    )
    .sort();
}

beforeAll(async () => {
  await plane.make('Namespace managed');
});
afterAll(() => plane.request('/api/v1/namespaces/managed', { method: 'DELETE' }));

test('a restored object has its field managers, and the next server-side apply is no conflict', async () => {
  expect((await apply('pipeline', wanted('shop/web:1'))).status).toBe(201);
  expect((await apply('autoscaler', { spec: { replicas: 0 } })).status).toBe(200);
  const before = await managers();
  const backup = join(folder, 'managed');
  const deleted = await run(`deploy/web -n managed --yes --backup ${backup}`);
  expect(deleted.code).toBe(0);
  const restored = await gc(`restore ${backup} --yes`, { env });
  expect([restored.code, restored.stdout + restored.stderr]).toEqual([
    0,
    expect.stringMatching(/created/),
  ]);
  const after = await managers();
  expect(after).toEqual(expect.arrayContaining(before));
  expect(after.filter((one) => one.startsWith('kubectl-gc'))).toEqual([]);
  const again = await apply('pipeline', wanted('shop/web:2'));
  expect([again.status, again.body]).toEqual([200, expect.stringContaining('shop/web:2')]);
  const other = await apply('intruder', wanted('shop/web:3'));
  expect([other.status, other.body]).toEqual([409, expect.stringContaining('pipeline')]);
});
