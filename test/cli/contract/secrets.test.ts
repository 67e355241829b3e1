import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, describe, expect, test } from 'vitest';
import { sealBackup } from '../../../src/restore/backup/backup.ts';
import { describeCommands } from '../../../src/shell/oclif/manifest.ts';
import { discoveryOf } from '../../support/discovery-answers.ts';
import { mockHttpServer } from '../../support/mock-cluster.ts';
import { gc } from '../../support/run-gc.ts';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWatching } from '../../support/watching.ts';

const folder = temporaryFolder();

const hidden = 'correct-horse-battery-staple';
const encoded = Buffer.from(hidden).toString('base64');
const lastApplied = JSON.stringify({ kind: 'Secret', stringData: { password: hidden } });

/** A Secret and a ConfigMap that hold something in every place where something can be held. */
const objects = [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: {
      name: 'login',
      namespace: 'shop',
      uid: 'uid-login',
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': lastApplied,
        'example.com/password': hidden,
      },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', uid: 'uid-settings' },
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'uid-gone' },
      ],
      managedFields: [
        {
          manager: 'kubectl',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2026-01-31T12:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:data': { [`f:${hidden}`]: {} },
            'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"uid-gone"}': {} } },
          },
        },
      ],
    },
    data: { password: encoded, [hidden]: encoded },
    stringData: { password: hidden },
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'settings',
      namespace: 'shop',
      uid: 'uid-settings',
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': lastApplied },
    },
    data: { 'app.conf': `password=${hidden}` },
    binaryData: { 'app.bin': encoded },
    immutable: true,
  },
  // Something for questions about nodes.
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'worker-1', uid: 'uid-node' },
    status: { images: [] },
  },
  // Something for questions about settings.
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'kube-controller-manager-a', namespace: 'kube-system', uid: 'uid-manager' },
    spec: {
      containers: [
        {
          name: 'kube-controller-manager',
          image: 'registry.k8s.io/kube-controller-manager:v1.36.3',
          command: ['kube-controller-manager', '--terminated-pod-gc-threshold=4'],
        },
      ],
    },
  },
];
const list = join(folder, 'list.json');
writeFileSync(list, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));

/** A backup of the Secret. */
const backups = join(folder, 'backups');
mkdirSync(join(backups, 'one/objects/shop/secrets'), { recursive: true });
writeFileSync(join(backups, 'one/objects/shop/secrets/login.yaml'), JSON.stringify(objects[0]));
writeFileSync(
  join(backups, 'one/backup.json'),
  JSON.stringify(
    sealBackup({
      ...{ apiVersion: 'kubectl-gc/v1', kind: 'Backup', format: 1, plan: '' },
      cluster: { server: 'https://shop.example.com', uid: '' },
      createdAt: '2026-01-31T12:00:00Z',
      objects: [
        {
          ...{
            apiVersion: 'v1',
            kind: 'Secret',
            namespace: 'shop',
            name: 'login',
            uid: 'uid-login',
          },
          ...{ resource: 'secrets', namespaced: true, fate: 'deleted', ownerReferences: [] },
          ...{ finalizers: [], file: 'objects/shop/secrets/login.yaml', sha256: '' },
        },
      ],
      problems: [],
    }),
  ),
);

function expectNothingOf(text: string): void {
  expect(text).not.toBe('');
  expect(text).not.toContain(hidden);
  expect(text).not.toContain(encoded.replace(/=+$/, ''));
}

const commands: Readonly<Record<string, string>> = {
  owners: 'owners secret/login -n shop',
  tree: 'tree configmap/settings -n shop',
  orphans: 'orphans -A --unmanaged',
  'invalid-ownerrefs': 'invalid-ownerrefs -A --fix',
  'snapshot:diff': `snapshot diff ${list}`,
  'snapshot:info': 'snapshot info',
  'snapshot:export': `snapshot export --to ${join(folder, 'tables')} --force`,
  images: 'images',
  containers: 'containers',
  'snapshot:save': 'snapshot save -',
  why: 'why configmap/settings -n shop',
  status: 'status',
  policies: 'policies',
  // Its answers are those of the other commands.
  mcp: 'mcp --help',
  delete: 'delete configmap/settings -n shop',
  restore: 'restore --preview',
  backups: `backups ${backups}`,
  simulate: 'simulate --delete configmap/settings -n shop',
  forecast: 'forecast',
  'podgc-preview': 'podgc-preview',
  settings: 'settings',
  audit: 'audit --fail-on never',
  report: 'report --fail-on never',
  rbac: 'rbac audit',
  'run-controllers': 'run-controllers',
  completion: 'completion',
  options: 'options',
  version: 'version',
  view: 'view -A',
};

/** Where nothing is but the namespace that things are restored to. */
const emptyCluster: Readonly<Record<string, object>> = {
  ...discoveryOf('ConfigMap', 'Secret', 'Namespace', 'Node'),
  '/api/v1/namespaces/kube-system': namespace('kube-system'),
  '/api/v1/namespaces/shop': namespace('shop'),
};

function namespace(name: string) {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, uid: `uid-${name}` } };
}

describe('the data of Secrets and ConfigMaps', async () => {
  const manifest = await describeCommands();
  const server = await mockHttpServer(({ url = '' }, response) => {
    const found = emptyCluster[url.split('?')[0] ?? ''];
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        found ?? { kind: 'Status', code: 404, reason: 'NotFound', details: { name: 'it' } },
      ),
    );
  });
  afterAll(() => server.close());

  test('is looked for in the output of every command', () => {
    expect(Object.keys(commands).sort()).toEqual(manifest.map(({ id }) => id).sort());
  });

  // What is served is asked for below.
  const printing = manifest.filter(({ id }) => id !== 'view');
  test.each(printing)('is in no output of $id', async ({ id, flags }) => {
    const { output } = flags;
    const values = output?.type === 'option' ? `${output.helpValue}`.split('|') : undefined;
    const formats = values?.map((format) => ` -o ${format}`) ?? [''];
    for (const format of formats) {
      // Pictures are of what a deletion would do.
      const preview = id === 'delete' && /svg|html/.test(format) ? ' --preview' : '';
      const { code, stdout, stderr } = await gcHere(
        `${commands[id]}${format}${preview} --from ${list} -v${id === 'restore' ? ` -s ${server.url}` : ''}`,
      );
      // Controllers run against a cluster only.
      expect([format, code], stderr).toEqual([format, id === 'run-controllers' ? 2 : 0]);
      expectNothingOf(stdout + stderr);
    }
  });

  test.each([
    ['json', (bytes: Buffer) => bytes],
    ['json.gz', gunzipSync],
    ['json.zst', zstdDecompressSync],
  ] as const)('is in no saved snapshot (.%s), which still answers', async (ending, unpack) => {
    const saved = join(folder, `saved.${ending}`);
    expect((await gcHere(`snapshot save ${saved} --from ${list}`)).code).toBe(0);
    expectNothingOf(unpack(readFileSync(saved)).toString());
    const question = 'owners secret/login -n shop -o tree --from';
    expect(await gcHere(`${question} ${saved}`)).toEqual(await gcHere(`${question} ${list}`));
  });

  test('is in no page that is served', async () => {
    const view = startWatching(`${commands.view} --from ${list}`, {});
    await view.shows('\n');
    const url = new URL(view.stdout().trim());
    const [page, data] = await Promise.all(
      ['/', '/page.json'].map(async (path) =>
        (await fetch(new URL(path + url.search, url))).text(),
      ),
    );
    expect(data).toContain('"name":"login"');
    expectNothingOf(`${page}${data}`);
    const { code, stderr } = await view.end();
    expect(code).toBe(0);
    expectNothingOf(stderr);
  });

  test('is in no exported table', async () => {
    const tables = join(folder, 'exported');
    expect((await gcHere(`snapshot export ${list} --to ${tables}`)).code).toBe(0);
    for (const name of readdirSync(tables)) {
      const { buffer } = Uint8Array.from(readFileSync(join(tables, name)));
      expectNothingOf(JSON.stringify(await parquetReadObjects({ file: buffer })));
    }
  });

  test.each([
    ['YAML that ends in the middle', `apiVersion: v1\nkind: Secret\nstringData: {a: "${hidden}`],
    ['YAML with a fault', `apiVersion: v1\nkind: Secret\nstringData:\n  a: ${hidden}\n b: [\n`],
    ['JSON that ends in the middle', JSON.stringify(objects[0]).slice(0, -20)],
    ['JSON with a fault', `{"kind": "Secret", "stringData": {"a": ${hidden}}}`],
    ['a Secret without a name', JSON.stringify({ ...objects[0], metadata: {} })],
    ['data alone', `password: ${hidden}\n${hidden}\n`],
  ])('is in no error about %s', async (_, input) => {
    const { code, stdout, stderr } = await gc('orphans -A --from - -v', { input });
    expect([code, stdout]).toEqual([3, '']);
    expectNothingOf(stderr);
  });
});
