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
import { objectsWith, questions } from './planted.ts';

const folder = temporaryFolder();

const hidden = 'correct-horse-battery-staple';
const encoded = Buffer.from(hidden).toString('base64');
const objects = objectsWith(hidden);
const list = join(folder, 'list.json');
writeFileSync(list, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));

/** A backup of the Secret. */
const backups = join(folder, 'backups');
mkdirSync(join(backups, 'one/objects/shop/secrets'), { recursive: true });
writeFileSync(join(backups, 'one/objects/shop/secrets/login.yaml'), JSON.stringify(objects[0]));
const saved = {
  ...{ apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'login', uid: 'uid-login' },
  ...{ resource: 'secrets', namespaced: true, fate: 'deleted', ownerReferences: [] },
  ...{ finalizers: [], file: 'objects/shop/secrets/login.yaml', sha256: '' },
};
const index = {
  ...{ apiVersion: 'kubectl-gc/v1', kind: 'Backup', format: 1, plan: '', problems: [] },
  cluster: { server: 'https://shop.example.com', uid: '' },
  ...{ createdAt: '2026-01-31T12:00:00Z', objects: [saved] },
};
writeFileSync(join(backups, 'one/backup.json'), JSON.stringify(sealBackup(index)));

function expectNothingOf(text: string): void {
  expect(text).not.toBe('');
  expect(text).not.toContain(hidden);
  expect(text).not.toContain(encoded.replace(/=+$/, ''));
}

const commands: Readonly<Record<string, string>> = {
  ...questions,
  'snapshot:diff': `snapshot diff ${list}`,
  'snapshot:info': 'snapshot info',
  'snapshot:export': `snapshot export --to ${join(folder, 'tables')} --force`,
  'snapshot:save': 'snapshot save -',
  delete: 'delete configmap/settings -n shop',
  restore: 'restore --preview',
  backups: `backups ${backups}`,
  'run-controllers': 'run-controllers',
  guard: 'guard',
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
      // These run against a cluster only.
      const needsCluster = id === 'run-controllers' || id === 'guard';
      expect([format, code], stderr).toEqual([format, needsCluster ? 2 : 0]);
      expectNothingOf(stdout + stderr);
    }
  });

  test.each([
    ['json', (bytes: Buffer) => bytes],
    ['json.gz', gunzipSync],
    ['json.zst', zstdDecompressSync],
  ] as const)('is in no snapshot.%s, which still answers', async (ending, unpack) => {
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
    ['truncated YAML', `apiVersion: v1\nkind: Secret\nstringData: {a: "${hidden}`],
    ['YAML with a fault', `apiVersion: v1\nkind: Secret\nstringData:\n  a: ${hidden}\n b: [\n`],
    ['truncated JSON', JSON.stringify(objects[0]).slice(0, -20)],
    ['JSON with a fault', `{"kind": "Secret", "stringData": {"a": ${hidden}}}`],
    ['a Secret without a name', JSON.stringify({ ...objects[0], metadata: {} })],
    ['data alone', `password: ${hidden}\n${hidden}\n`],
  ])('stays out of errors: %s', async (_, input) => {
    const { code, stdout, stderr } = await gc('orphans -A --from - -v', { input });
    expect([code, stdout]).toEqual([3, '']);
    expectNothingOf(stderr);
  });
});
