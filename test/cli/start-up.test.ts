import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/commands/index.ts';
import { root } from '../support/command-line.ts';
import { olderNode } from '../support/older-node.ts';
import { rowsOf } from '../support/rows.ts';
import { bash, gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

/** Loaded before anything else; at the end it writes down what was loaded. */
const recorder = join(folder, 'recorder.cjs');
writeFileSync(
  recorder,
  `const vm = require('node:vm');
  const scripts = new Map();
  vm.Script = class extends vm.Script {
    constructor(text, options) {
      super(text, options);
      scripts.set(options.filename, this);
    }
  };
  process.on('exit', () => {
    const files = [...scripts.keys()];
    const compiled = files.filter((file) => scripts.get(file).cachedDataRejected !== false);
    const loaded = { files, compiled, modules: process.moduleLoadList };
    require('node:fs').writeFileSync(process.env.LOADED, JSON.stringify(loaded));
  });`,
);

/** Words in the code of the parts that take long to load, minified or not, and Node's modules for the last three. */
const signs: Readonly<Record<string, RegExp>> = {
  client: /node:https|@kubernetes\/client-node|loadFromCluster|id-token/,
  flags: /NonExistentFlagsError/,
  yaml: /deficient indentation/,
  age: /age-encryption\.org\/v1/,
  network: /^NativeModule (https?|tls|http2)$/m,
  processes: /^NativeModule child_process$/m,
  measures: /^NativeModule perf_hooks$/m,
};
const commandNames = new Set(Object.keys(commands).map((id) => `${id.replace(/^.*:/, '')}.cjs`));
const file = 'test/fixtures/clusters/orphaned-replicaset.yaml';

/** How a line ended, the bundled files that it loaded, those of them that V8 had to compile, and the parts in them. */
async function loadedBy(line: string, more: Readonly<Record<string, string>> = {}) {
  const record = join(folder, 'loaded.json');
  const env = { NODE_OPTIONS: `--require ${recorder}`, LOADED: record, ...more };
  const { code, stdout } = await gc(line.replaceAll('FILE', file), { env });
  const loaded = JSON.parse(readFileSync(record, 'utf8')) as Record<string, string[]>;
  const { files = [], compiled = [], modules = [] } = loaded;
  const text = [...files.map((path) => readFileSync(path, 'utf8')), ...modules].join('\n');
  const parts = Object.keys(signs).filter((part) => signs[part]?.test(text));
  return { code, stdout, chunks: files.map((path) => basename(path)), compiled, parts };
}

test.each(
  rowsOf(`
    owners rs/web-6c4f9d -n shop --from FILE           | 0 | for-tree.cjs owners.cjs                | flags yaml
    tree rs/web-6c4f9d -n shop -o dot --from FILE      | 0 | for-tree.cjs                           | flags yaml
    orphans -A -o yaml --from FILE                     | 0 | for-orphans.cjs for-tree.cjs           | flags yaml
    invalid-ownerrefs -A --fix --from FILE             | 0 | for-invalid-ownerrefs.cjs for-tree.cjs for-why.cjs | flags yaml
    snapshot info FILE                                 | 0 | for-tree.cjs info.cjs                  | flags yaml
    snapshot diff FILE --from FILE                     | 0 | for-diff.cjs for-tree.cjs              | flags yaml
    snapshot save - --from FILE                        | 0 | for-tree.cjs save.cjs                  | flags yaml
    version -o json                                    | 0 | version.cjs                            | flags
    --version                                          | 0 |                                        |
    version                                            | 0 |                                        |
    --help                                             | 0 |                                        | flags
    tree --help                                        | 0 |                                        | flags
    help snapshot                                      | 0 |                                        | flags
    tre                                                | 2 |                                        |
    __complete tr                                      | 0 |                                        |
    __complete tree --field                            | 0 |                                        |
    __complete tree --output me                        | 0 |                                        |
    __complete tree -s http://127.0.0.1:1 pod/         | 0 |                                        | client network
    tree deployment/web -s http://127.0.0.1:1          | 3 | for-tree.cjs                           | client flags network
  `),
)('%s loads its chunks alone', async (line, code, command, parts) => {
  const loaded = await loadedBy(line ?? '');
  const chunks = loaded.chunks.filter((name) => !/^for-(version|completion)/.test(name));
  const own = chunks.filter((name) => commandNames.has(name.replace(/^for-/, ''))).sort();
  expect([loaded.code, own.join(' '), loaded.parts.join(' ')]).toEqual([
    Number(code),
    command,
    parts,
  ]);
});

test('a deletion is loaded in few files, what plans once there is something to plan, and a tree without any of them', async () => {
  const namesOf = async (line: string) => (await loadedBy(`${line} -s http://127.0.0.1:1`)).chunks;
  const deletion = await namesOf('delete configmap/one --yes');
  expect(deletion.length).toBeLessThanOrEqual(26);
  const notYet = /^(for-tree|for-files|yaml-value|for-(preview|delete|planning)[-\w]*)\.cjs$/;
  expect(deletion.filter((name) => notYet.test(name))).toEqual([]);
  const tree = await namesOf('tree deployment/web');
  expect(tree.filter((name) => /-(preview|delete|planning)/.test(name))).toEqual([]);
});

test('no string of the bundle takes two bytes for each character', () => {
  const dist = join(root, 'dist');
  const files = ['main.cjs', ...globSync('chunks/*.cjs', { cwd: dist })];
  const isAscii = (name: string) => !/[^\0-\x7f]/.test(readFileSync(join(dist, name), 'utf8'));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((name) => !isAscii(name))).toEqual([]);
});

test('hardly an export of the bundle is looked up by a function', () => {
  const chunks = globSync('chunks/*.cjs', { cwd: join(root, 'dist') });
  const texts = chunks.map((name) => readFileSync(join(root, 'dist', name), 'utf8')).join('\n');
  const looked = texts.match(/Object\.defineProperty\(exports,"/g) ?? [];
  const plain = texts.match(/(?<=Object\.assign\(exports,\{)[^}]+/g) ?? [];
  const named = plain.join().split(',');
  expect(named.length).toBeGreaterThan(800);
  expect(looked.length).toBeLessThan(named.length / 3);
});

test('only an encrypted backup loads the encryption', async () => {
  const line = 'delete deployment/web -n shop --preview --from examples/clusters/shop.json.gz';
  const recipient = await identityToRecipient(await generateX25519Identity());
  const encrypted = `${line} --backup-recipient ${recipient}`;
  const [plain, other] = [await loadedBy(line), await loadedBy(encrypted)];
  expect([plain.parts.includes('age'), other.parts.includes('age')]).toEqual([false, true]);
});

describe('compiled code', () => {
  const line = 'owners rs/web-6c4f9d -n shop --from FILE';
  /** A cache of its own, with the file of a command in it. */
  const cacheOf = (name: string) => {
    const home = join(folder, name);
    const compiled = join(home, 'kubectl-gc', 'compile', `${process.version}-${process.arch}`);
    return { env: { XDG_CACHE_HOME: home }, compiled, owners: join(compiled, 'owners') };
  };

  test('is kept when a command runs first, and not compiled when it runs again', async () => {
    const { env, owners } = cacheOf('kept');
    const first = await loadedBy(line, env);
    expect(first.compiled).toHaveLength(first.chunks.length);
    const kept = statSync(owners).mtimeMs;
    expect(await loadedBy(line, env)).toEqual({ ...first, compiled: [] });
    expect(statSync(owners).mtimeMs).toBe(kept);
  });

  test('is kept also where much was read', async () => {
    const { env } = cacheOf('much');
    const many = join(folder, 'many.ndjson');
    const objects = Array.from({ length: 60_000 }, (_, at) => {
      const metadata = { name: `map-${at}`, namespace: `of-${at % 100}`, uid: `uid-of-map-${at}` };
      return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    });
    writeFileSync(many, objects.join('\n'));
    const large = `orphans -A --from ${many}`;
    await loadedBy(large, env);
    expect(await loadedBy(large, env)).toMatchObject({ code: 0, compiled: [] });
  });

  test('is completed by what another run of the command loads', async () => {
    const { env } = cacheOf('completed');
    await loadedBy(line, env);
    const drawn = `${line} -o dot`;
    expect(await loadedBy(drawn, env)).not.toMatchObject({ compiled: [] });
    expect(await loadedBy(drawn, env)).toMatchObject({ compiled: [] });
    expect(await loadedBy(line, env)).toMatchObject({ compiled: [] });
  });

  test.each<[string, (kept: Buffer) => Buffer | string]>([
    [
      'of another build',
      (kept) => `${kept.toString('latin1')}`.replaceAll(/(?<="build":")...../g, 'other'),
    ],
    ['with another byte', (kept) => Buffer.from(kept.with(-5000, (kept.at(-5000) ?? 0) ^ 1))],
    ['with another byte first', (kept) => Buffer.from(kept.with(5000, (kept[5000] ?? 0) ^ 1))],
    ['ending with zeros', (kept) => Buffer.from(kept).fill(0, 5000)],
    ['cut off', (kept) => kept.subarray(0, -1)],
    ['cut in half', (kept) => kept.subarray(0, kept.length / 2)],
    ['empty', () => ''],
    ['without its header', (kept) => kept.subarray(kept.indexOf(10) + 1)],
  ])('is discarded if damaged: %s', async (name, damaged) => {
    const { env, owners } = cacheOf(`damaged ${name}`);
    const { stdout } = await loadedBy(line, env);
    writeFileSync(owners, damaged(readFileSync(owners)), 'latin1');
    const again = await loadedBy(line, env);
    expect(again).toMatchObject({ code: 0, stdout });
    expect(again.compiled).toHaveLength(again.chunks.length);
    expect(await loadedBy(line, env)).toMatchObject({ compiled: [] });
  });

  test('is not kept of a wrong command line, and changes no answer where it cannot be written', async () => {
    const { env, compiled } = cacheOf('refused');
    expect(await loadedBy('tre', env)).toMatchObject({ code: 2 });
    expect(existsSync(compiled)).toBe(false);
    writeFileSync(join(folder, 'a-file'), '');
    const { code, stdout } = await gc(line.replace('FILE', file));
    const unwritable = { XDG_CACHE_HOME: join(folder, 'a-file') };
    expect(await loadedBy(line, unwritable)).toMatchObject({ code, stdout });
  });
});

/** That an older Node passes signals on stands in signals.test.ts. */
const old = { env: olderNode() };

test('an older Node hands over to the one of the checkout, with input, output and exit code', async () => {
  expect(await gc('--version', old)).toEqual(await gc('--version'));
  const input = readFileSync(join(root, file));
  const line = 'orphans -A -o name --from -';
  expect(await gc(line, { ...old, input })).toEqual(await gc(line, { input }));
  expect(await gc('tre', old)).toEqual(await gc('tre'));
});

test('an older Node without a newer one says what is needed', async () => {
  const installed = join(folder, 'bin');
  mkdirSync(installed);
  copyFileSync(join(root, 'bin', 'kubectl-gc.cjs'), join(installed, 'kubectl-gc.cjs'));
  expect(await bash(`"${process.execPath}" ${installed}/kubectl-gc.cjs orphans -A`, old)).toEqual({
    code: 3,
    stdout: '',
    stderr: `error: kubectl gc needs Node 22.19 or newer; this is Node 22.18.0.
  Install a newer Node, or put one first in PATH.
`,
  });
});

test('the launcher can be read by any Node there ever was', () => {
  const launcher = readFileSync(join(root, 'bin', 'kubectl-gc.cjs'), 'utf8');
  expect(launcher).not.toMatch(/\b(const|let|=>|async|class)\b|`|\?\./);
});
