import { mkdtempSync } from 'node:fs';
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

test('what is wrong with a kubeconfig given as an object is said', async () => {
  const opened = openClient({ kubeconfig: { exportConfig: () => 'kind: Pod' } });
  await expect(opened).rejects.toMatchObject({
    code: 'kubeconfig-invalid',
    message: expect.stringContaining('it holds a Pod of v1, not a Config of v1'),
  });
});
