import { expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';

/** The other ways to name objects stand in test/fixtures/transcripts/arguments.txt. */
const cluster = '--from test/fixtures/clusters/orphaned-replicaset.yaml';

test('-f - names the objects of stdin', async () => {
  const input =
    'apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web-6c4f9d, namespace: shop}';
  expect(await gc(`tree -o name -f - ${cluster}`, { input })).toEqual({
    code: 0,
    stdout: 'replicaset.apps/web-6c4f9d\npod/web-6c4f9d-abcde\npod/web-6c4f9d-fghij\n',
    stderr: '',
  });
  const owners = await gc(`owners -o name -f - ${cluster}`, { input });
  expect(owners).toEqual({ code: 0, stdout: 'replicaset.apps/web-6c4f9d\n', stderr: '' });
});

test('--from may be repeated, and stdin is one of several', async () => {
  const input = 'apiVersion: v1\nkind: Secret\nmetadata: {name: tls, namespace: shop, uid: u}\n';
  const run = await gc(`snapshot info ${cluster.slice(7)} --from - -o name`, { input });
  const stdout = 'deployments.apps\npods\nreplicasets.apps\nsecrets\n';
  expect(run).toEqual({ code: 0, stdout, stderr: '' });
});
