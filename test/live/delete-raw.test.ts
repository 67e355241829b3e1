import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { playground } from './delete-playground.ts';
import { proxyOfFile } from './proxy.ts';

/** `delete --raw`: it is kubectl's, and refuses what one request cannot keep. */
const plane = sharedControlPlane();
const { run, familyIn, namesIn, remove } = playground(plane);
const namespace = 'delete-raw';
const uri = `/api/v1/namespaces/${namespace}/configmaps`;
const whole = ['bottom', 'left', 'right', 'top'];
const proxy = await proxyOfFile(plane);
let path: string;
beforeAll(async () => {
  path = await familyIn(namespace);
});
afterAll(async () => {
  await remove();
});

const raw = (line: string) => run(`-s ${proxy.address} --raw ${line}`);
test.each([
  '--preview',
  '--compare',
  '--dry-run=client',
  '--dry-run=server',
  '--plan x.json',
  '--max-deletes 9',
  '--backup x',
  '--wait=tree',
  '--wait=object',
  '--from x.yaml',
])('what one request cannot keep is refused before anything is sent: %s', async (flags) => {
  const { code, stdout, stderr } = await raw(`${uri}/top ${flags}`);
  const [flag] = flags.startsWith('--wait') ? [flags] : flags.split(/[ =]/);
  // The printed command asks what this call asked.
  const asked = ` --server ${proxy.address}${flag === '--from' ? ` ${flags}` : ''}`;
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    `error: --raw sends one request as it is, and ${flag} cannot be honoured with it\n  Name the objects instead: kubectl gc delete TYPE/NAME${asked}\n`,
  ]);
  expect(proxy.requests).toEqual([]);
});

describe('alone', () => {
  const configMap = (name: string) => ({ metadata: { name, labels: { alone: 'yes' } } });

  test('one request is sent as it stands, and the answer printed', async () => {
    await plane.create(path, configMap('one'));
    await plane.create(path, configMap('two'));
    const line = `${uri}?labelSelector=alone%3Dyes`;
    const { code, stdout, stderr } = await raw(`${line} cm/top --cascade=orphan --yes`);
    expect([code, stderr]).toEqual([
      0,
      'Warning: --raw sends the URI as it is, and ignores: cm/top, --cascade\n',
    ]);
    const { kind, items } = JSON.parse(stdout);
    const names = items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    expect([kind, names]).toEqual(['ConfigMapList', ['one', 'two']]);
    expect(proxy.requests).toEqual([{ method: 'DELETE', path: line }]);
    expect(await namesIn(path)).toEqual(whole);
  });

  test.each([
    ['an object', '/api/v1/namespaces/kube-public/configmaps/stays'],
    ['encoded', '/api/v1/namespaces/kube%2Dpublic/configmaps/stays'],
    ['in a roundabout way', '/api/v1/namespaces/x/../kube-public/configmaps/%73tays'],
    ['a collection', '/api/v1/namespaces/kube-public/configmaps?labelSelector=alone%3Dyes'],
    ['a whole URL', 'https://elsewhere.example.com/api/v1/namespaces/kube-public/configmaps/stays'],
    ['a Namespace', '/api/v1/namespaces/kube-node-lease'],
    ['default', '/api/v1/namespaces/default?dryRun=All'],
  ])('what is protected is refused: %s', async (_, target) => {
    const { pathname } = new URL(target, 'http://server');
    expect(await raw(target)).toEqual({
      code: 3,
      stdout: '',
      stderr: [
        `error: ${pathname} would be deleted; nothing was sent`,
        '  kube-system, kube-public, kube-node-lease and the namespace default hold what every cluster needs. If you mean it: --allow-protected.',
        '',
      ].join('\n'),
    });
    expect(proxy.requests).toEqual([]);
  });

  test('--allow-protected sends it', async () => {
    const protectedPath = '/api/v1/namespaces/kube-public/configmaps';
    await plane.create(protectedPath, configMap('stays'));
    const { code, stdout } = await raw(`${protectedPath}/stays --allow-protected`);
    expect([code, JSON.parse(stdout).status]).toEqual([0, 'Success']);
  });
});
