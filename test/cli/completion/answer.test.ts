import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bareEnvironment, gc } from '../../support/run-gc.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('kubectl gc answer ');
const kubeconfig = join(folder, 'config');
writeFileSync(
  kubeconfig,
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'far', cluster: { server: 'http://127.0.0.1:1' } }],
    users: [{ name: 'me', user: {} }],
    contexts: [
      { name: 'staging', context: { cluster: 'far', user: 'me' } },
      { name: 'production', context: { cluster: 'far', user: 'me' } },
      { name: 'prod\u202euction', context: { cluster: 'far', user: 'me' } },
    ],
    'current-context': 'staging',
  }),
);

const answered = (stdout: string) => ({ code: 0, stdout, stderr: '' });

test('the last line is the directive, and descriptions stand behind a tab', async () => {
  expect(await gc(['__complete', 'tree', '--output', 'j'])).toEqual(answered('json\n:4\n'));
  const described = expect.stringMatching(/^owners\t[^\t\n]+\n:4\n$/);
  expect(await gc(['__complete', 'own'])).toEqual({ ...answered(''), stdout: described });
  expect(await gc(['__complete', 'tree', '--from', ''])).toEqual(answered(':0\n'));
});

test('contexts are those of the kubeconfig that can be printed, and no cluster is asked for them', async () => {
  const env = { KUBECONFIG: kubeconfig };
  const answer = answered('production\nstaging\n:4\n');
  expect(await gc(['__complete', 'tree', '--context', ''], { env })).toEqual(answer);
});

test.each([
  [['tree', 'pods', '']],
  [['tree', '']],
  [['tree', '-n', '']],
  [['tree', 'nonsense', '']],
  [['tree', '--kubeconfig', join(folder, 'nowhere'), '--context', '']],
  [['tree', '--from', 'examples/clusters/shop.json.gz', 'pods', '']],
])('completion of %j fails silently', async (words) => {
  const env = { KUBECONFIG: kubeconfig };
  expect(await gc(['__complete', ...words], { env })).toEqual(answered(':4\n'));
});

test('completion answers without a home and without a writable folder', async () => {
  const { HOME: _, XDG_CACHE_HOME: __, ...env } = bareEnvironment;
  for (const place of [{ HOME: '' }, { HOME: '/dev/null' }]) {
    expect(
      await gc(['__complete', 'own'], { env: { ...env, ...place, XDG_CACHE_HOME: '' } }),
    ).toEqual(await gc(['__complete', 'own']));
  }
});
