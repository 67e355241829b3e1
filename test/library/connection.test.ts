import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openClient } from '../../src/library/connection.ts';

const kubeconfig = (server: string) => ({
  exportConfig: () =>
    JSON.stringify({
      clusters: [{ name: 'one', cluster: { server } }],
      contexts: [{ name: 'dev', context: { cluster: 'one', namespace: 'shop' } }],
    }),
});

test('a kubeconfig given as an object is never written to a file', async () => {
  const gone = join(mkdtempSync(join(tmpdir(), 'kubectl-gc-library-')), 'gone');
  vi.stubEnv('TMPDIR', gone);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const client = await openClient({ kubeconfig: kubeconfig('http://one.example'), context: 'dev' });
  onTestFinished(() => client.close());
  expect([client.server, client.namespace]).toEqual(['http://one.example', 'shop']);
});

test('the file of a token that client-node names in a pod is read as kubectl reads tokenFile', async () => {
  const tokenFile = join(mkdtempSync(join(tmpdir(), 'kubectl-gc-library-')), 'token');
  const config = (file: string) => ({
    exportConfig: () =>
      JSON.stringify({
        clusters: [
          {
            name: 'in',
            cluster: { server: 'https://127.0.0.1:1', 'insecure-skip-tls-verify': true },
          },
        ],
        users: [
          {
            name: 'in',
            user: { 'auth-provider': { name: 'tokenFile', config: { tokenFile: file } } },
          },
        ],
        contexts: [{ name: 'in', context: { cluster: 'in', user: 'in' } }],
        'current-context': 'in',
      }),
  });
  const asked = async (file: string) => {
    const client = await openClient({ kubeconfig: config(file) });
    onTestFinished(() => client.close());
    return client.request({ path: '/version' });
  };
  await expect(asked(tokenFile)).rejects.toMatchObject({
    message: expect.stringContaining(tokenFile),
  });
  writeFileSync(tokenFile, 'secret');
  await expect(asked(tokenFile)).rejects.toMatchObject({ code: 'connection-refused' });
});

test('an invalid kubeconfig object is reported with its error', async () => {
  const opened = openClient({ kubeconfig: { exportConfig: () => 'kind: Pod' } });
  await expect(opened).rejects.toMatchObject({
    code: 'kubeconfig-invalid',
    message: expect.stringContaining('it contains a Pod of v1, not a Config of v1'),
  });
});
