import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { playground } from './delete-playground.ts';
import { startProxy, type TestProxy } from './proxy.ts';

/** `delete --raw`: alone it is kubectl's, and with a flag that guards it is planned. */
const plane = sharedControlPlane();
const { folder, run, familyIn, namesIn, remove } = playground(plane);
const namespace = 'delete-raw';
const uri = `/api/v1/namespaces/${namespace}/configmaps`;
const whole = ['bottom', 'left', 'right', 'top'];
let proxy: TestProxy;
let path: string;
beforeAll(async () => {
  path = await familyIn(namespace);
  await plane.patch(`${path}/left`, { metadata: { labels: { side: 'left' } } });
  proxy = await startProxy(plane);
});
beforeEach(() => proxy.forget());
afterAll(async () => {
  await proxy.close();
  await remove();
});

const raw = (line: string) => run(`-s ${proxy.address} --raw ${line}`);
/** The methods of what was sent; to ask for one's permissions changes nothing. */
const methods = () => {
  const sent = proxy.requests.filter(({ path: asked }) => !asked.includes('subjectaccessreviews'));
  return new Set(sent.map(({ method }) => method));
};
const note = (flag: string, rest: string) =>
  `Note: --raw with ${flag} is planned as kubectl gc delete ${rest}\n`;

describe('a flag that a bare request cannot honour has the URI planned', () => {
  const left = '?labelSelector=side%3Dleft';

  test.each([
    ['a collection', `${uri}${left}`, `cm -n ${namespace} -l side=left`],
    [
      'fields',
      `${uri}?fieldSelector=metadata.name%21%3Dtop`,
      `cm -n ${namespace} --field-selector metadata.name!=top`,
    ],
    ['all', `${uri}/`, `cm -n ${namespace} --all`],
    ['an object', `${uri}/top`, `cm/top -n ${namespace}`],
    ['a Namespace', `/api/v1/namespaces/${namespace}`, `ns/${namespace}`],
  ])('--preview: %s', async (_, target, line) => {
    const { code, stdout, stderr } = await raw(`${target} --preview`);
    const direct = await run(`${line} --preview`);
    expect([code, stdout]).toEqual([0, direct.stdout]);
    expect(stderr).toMatch(/^Note: --raw with --preview is planned as kubectl gc delete /);
    expect([...methods()]).toEqual(['GET']);
    expect(await namesIn(path)).toEqual(whole);
  });

  test('the note says which command line does the same', async () => {
    const { stderr } = await raw(`${uri}${left} --preview --cascade=orphan`);
    const same = `configmaps -l side=left -n ${namespace} --cascade=orphan`;
    expect(stderr).toBe(note('--preview', same));
  });

  test('--compare, --dry-run and --plan send nothing either', async () => {
    const file = join(folder, 'raw.json');
    const planned = await raw(`${uri}/top --plan ${file}`);
    expect([planned.code, planned.stdout]).toEqual([0, '']);
    const { requests, objects } = JSON.parse(readFileSync(file, 'utf8'));
    expect([requests.length, objects.length]).toEqual([1, 4]);
    expect(await raw(`${uri}/top --compare`)).toMatchObject({
      code: 0,
      stdout: (await run(`cm/top -n ${namespace} --compare`)).stdout,
    });
    expect(await raw(`${uri}${left} --dry-run=client`)).toMatchObject({
      code: 0,
      stdout: `configmap "left" deleted from ${namespace} namespace (dry run)\n`,
    });
    expect([...methods()]).toEqual(['GET']);
    expect(await namesIn(path)).toEqual(whole);
  });

  test('--max-deletes refuses', async () => {
    const { code, stdout, stderr } = await raw(`${uri}/top --max-deletes 3`);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toBe(
      [
        note('--max-deletes', `configmap/top -n ${namespace} --cascade=background`).trimEnd(),
        'error: 4 objects would be deleted, and --max-deletes allows 3; nothing was sent',
        '  See them with --preview, or allow them with --max-deletes=4.',
        '',
      ].join('\n'),
    );
    expect([...methods()]).toEqual(['GET']);
  });

  test.each([
    [
      'no objects',
      '/healthz --preview',
      /^error: --preview cannot be honoured: \/healthz names no/,
    ],
    ['a part of one', `${uri}/top/status --preview`, /names no object and no collection/],
    ['an unknown type', '/api/v1/nonsense/x --preview', /resource type "nonsense" in v1$/m],
    ['no namespace', '/api/v1/configmaps --preview', /the URI names none$/m],
    [
      'one too many',
      '/apis/rbac.authorization.k8s.io/v1/namespaces/x/clusterroles/y --preview',
      /the URI names one$/m,
    ],
    ['one by one', '/api/v1/namespaces --max-deletes 9', /deletes namespaces one by one only/],
    ['a parameter', `${uri}/top?propagationPolicy=Orphan --preview`, /say it with --cascade/],
    ['a body', `${uri}/top -f body.json --backup x`, /^error: --backup cannot be honoured/],
    ['names', `${uri}/left cm/top --preview`, /cannot be given too$/m],
    ['files', `${uri}/top --from x.yaml --preview`, /^error: --raw is a request to a server/],
  ])('what cannot be planned is refused: %s', async (_, line, error) => {
    const { code, stdout, stderr } = await raw(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(error);
    expect(methods().has('DELETE')).toBe(false);
    expect(await namesIn(path)).toEqual(whole);
  });

  test('with a backup it is deleted and followed as if it were named', async () => {
    const directory = join(folder, 'raw-backup');
    const { code, stdout } = await run(`--raw ${uri}${left} --backup ${directory}`);
    expect([code, stdout]).toEqual([0, `configmap "left" deleted from ${namespace} namespace\n`]);
    expect(existsSync(join(directory, 'backup.json'))).toBe(true);
    expect(await namesIn(path)).toEqual(['right', 'top']);
  });
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
    expect(await namesIn(path)).toEqual(['right', 'top']);
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

  test('--allow-protected sends it, and a planned URI is refused without it', async () => {
    const protectedPath = '/api/v1/namespaces/kube-public/configmaps';
    await plane.create(protectedPath, configMap('stays'));
    const planned = await raw(`${protectedPath}/stays --max-deletes 1 --allow-incomplete`);
    expect([planned.code, planned.stdout]).toEqual([3, '']);
    expect(planned.stderr).toMatch(/^error: ConfigMap stays in namespace kube-public would be/m);
    const { code, stdout } = await raw(`${protectedPath}/stays --allow-protected`);
    expect([code, JSON.parse(stdout).status]).toEqual([0, 'Success']);
  });
});
