import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
import { eventually } from '../support/eventually.ts';
import { olderNode } from '../support/older-node.ts';
import { bareEnvironment, bash, bin, gc } from '../support/run-gc.ts';
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

interface Loaded {
  readonly code: number;
  readonly stdout: string;
  /** Bundled files, by name and content. */
  readonly chunks: readonly { readonly name: string; readonly text: string }[];
  /** Those of them that V8 had to compile. */
  readonly compiled: readonly string[];
  /** Node's own modules for networks. */
  readonly network: readonly string[];
  /** Node's own modules to start processes with. */
  readonly processes: readonly string[];
}

async function loadedBy(line: string, more: Record<string, string> = {}): Promise<Loaded> {
  const record = join(folder, 'loaded.json');
  const env = { NODE_OPTIONS: `--require ${recorder}`, LOADED: record, ...more };
  const { code, stdout } = await gc(line, { env });
  const loaded = JSON.parse(readFileSync(record, 'utf8')) as {
    readonly files: string[];
    readonly compiled: string[];
    readonly modules: string[];
  };
  return {
    code,
    stdout,
    chunks: loaded.files.map((path) => ({
      name: basename(path),
      text: readFileSync(path, 'utf8'),
    })),
    compiled: loaded.compiled,
    network: loaded.modules.filter((name) => /^NativeModule (https?|tls|http2)$/.test(name)),
    processes: loaded.modules.filter((name) => /^NativeModule child_process$/.test(name)),
  };
}

/** Words that the code of client-node and of our own connection contains, minified or not. */
const clientWords = ['node:https', '@kubernetes/client-node', 'loadFromCluster', 'id-token'];

function clientsIn({ chunks }: Loaded): string[] {
  return chunks
    .filter(({ text }) => clientWords.some((word) => text.includes(word)))
    .map(({ name }) => name);
}

/** The chunk of a command: it alone holds the command's class. */
function commandsIn({ chunks }: Loaded): string[] {
  const names = new Set(Object.keys(commands).map((id) => `${id.replace(/^.*:/, '')}.cjs`));
  return chunks.map(({ name }) => name).filter((name) => names.has(name));
}

const file = '--from test/fixtures/clusters/orphaned-replicaset.yaml';

test.each([
  ['owners.cjs', `owners rs/web-6c4f9d -n shop ${file}`],
  ['tree.cjs', `tree rs/web-6c4f9d -n shop -o dot ${file}`],
  ['orphans.cjs', `orphans -A -o yaml ${file}`],
  ['invalid-ownerrefs.cjs', `invalid-ownerrefs -A --fix ${file}`],
  ['info.cjs', 'snapshot info test/fixtures/clusters/orphaned-replicaset.yaml'],
  ['diff.cjs', `snapshot diff test/fixtures/clusters/orphaned-replicaset.yaml ${file}`],
  ['save.cjs', `snapshot save - ${file}`],
  ['version.cjs', 'version -o json'],
])(
  '%s from files loads neither another command nor anything to reach a cluster with',
  async (chunk, line) => {
    const loaded = await loadedBy(line);
    expect(loaded.code).toBe(0);
    expect(commandsIn(loaded)).toEqual([chunk]);
    expect(clientsIn(loaded)).toEqual([]);
    expect(loaded.network).toEqual([]);
  },
);

test.each(['--version', 'version', '--help', 'tree --help', 'help snapshot', 'tre'])(
  '%s loads no command',
  async (line) => {
    const loaded = await loadedBy(line);
    expect(commandsIn(loaded)).toEqual([]);
    expect(clientsIn(loaded)).toEqual([]);
    expect(loaded.network).toEqual([]);
  },
);

/** oclif's parser of flags: whatever loads it loads oclif. */
const loadsOclif = ({ chunks }: Loaded) =>
  chunks.some(({ text }) => text.includes('NonExistentFlagsError'));

test('a command starts no process, and loads nothing to start one with', async () => {
  const loaded = await loadedBy(`tree rs/web-6c4f9d -n shop ${file}`);
  expect([loadsOclif(loaded), loaded.processes]).toEqual([true, []]);
});

test('a live question does load the client, or the tests above would prove nothing', async () => {
  const loaded = await loadedBy('tree deployment/web -s http://127.0.0.1:1');
  expect(loaded.code).toBe(3);
  expect(commandsIn(loaded)).toEqual(['tree.cjs']);
  expect(clientsIn(loaded)).not.toEqual([]);
  expect(loaded.network).not.toEqual([]);
});

test('a deletion is loaded in few files, what plans once there is something to plan, and a tree without any of them', async () => {
  const namesOf = async (line: string) =>
    (await loadedBy(`${line} -s http://127.0.0.1:1`)).chunks.map(({ name }) => name);
  const deletion = await namesOf('delete configmap/one --yes');
  expect(deletion.length).toBeLessThanOrEqual(26);
  expect(deletion).not.toContain('for-files.cjs');
  expect(deletion).not.toContain('yaml-value.cjs');
  const filesOf = (moments: string) => moments.split(' ').map((moment) => `for-${moment}.cjs`);
  const later = filesOf('decisions flags change deletion');
  const planning = filesOf('settings finalizers controllers simulation planning');
  expect(deletion).toEqual(expect.arrayContaining(later));
  expect(deletion.filter((name) => planning.includes(name))).toEqual([]);
  const tree = await namesOf('tree deployment/web');
  expect(tree.filter((name) => [...later, ...planning].includes(name))).toEqual([]);
});

test('no text of the bundle takes two bytes for each sign', () => {
  const dist = join(root, 'dist');
  const files = ['main.cjs', ...globSync('chunks/*.cjs', { cwd: dist })];
  const isAscii = (name: string) => !/[^\0-\x7f]/.test(readFileSync(join(dist, name), 'utf8'));
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((name) => !isAscii(name))).toEqual([]);
});

describe('the Tab key', () => {
  /** oclif's parser of flags, and the YAML parser: together they take longer to load than all else. */
  const parsersIn = (loaded: Loaded) => ({
    flags: loadsOclif(loaded),
    yaml: loaded.chunks.some(({ text }) => text.includes('deficient indentation')),
  });

  test.each(['tr', 'tree --field', 'tree --output me'])(
    'loads neither a command nor a parser for %s',
    async (line) => {
      const loaded = await loadedBy(`__complete ${line}`);
      expect([commandsIn(loaded), clientsIn(loaded), loaded.network]).toEqual([[], [], []]);
      expect(parsersIn(loaded)).toEqual({ flags: false, yaml: false });
    },
  );

  test('asks a cluster without a parser of flags, which every command loads', async () => {
    const asked = await loadedBy('__complete tree -s http://127.0.0.1:1 pod/');
    expect([commandsIn(asked), clientsIn(asked).length > 0]).toEqual([[], true]);
    expect(parsersIn(asked).flags).toBe(false);
    expect(parsersIn(await loadedBy(`orphans -A ${file}`))).toEqual({ flags: true, yaml: true });
  });
});

test('only an encrypted backup loads the encryption', async () => {
  const line = 'delete deployment/web -n shop --preview --from examples/clusters/shop.json.gz';
  const recipient = await identityToRecipient(await generateX25519Identity());
  const hasEncryption = async (rest: string) =>
    (await loadedBy(line + rest)).chunks.some(({ text }) => text.includes('age-encryption.org/v1'));
  expect(await hasEncryption('')).toBe(false);
  expect(await hasEncryption(` --backup-recipient ${recipient}`)).toBe(true);
});

describe('compiled code', () => {
  const line = `owners rs/web-6c4f9d -n shop ${file}`;
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
    const second = await loadedBy(line, env);
    expect(second).toEqual({ ...first, compiled: [] });
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

  test('of another build is not run', async () => {
    const { env, owners } = cacheOf('built');
    const { stdout } = await loadedBy(line, env);
    const kept = readFileSync(owners, 'latin1').replaceAll(/"build":"...../g, '"build":"other');
    writeFileSync(owners, kept, 'latin1');
    const again = await loadedBy(line, env);
    expect(again).toMatchObject({ code: 0, stdout });
    expect(again.compiled).toHaveLength(again.chunks.length);
    expect(await loadedBy(line, env)).toMatchObject({ compiled: [] });
  });

  test.each<[string, (kept: Buffer) => Buffer]>([
    ['with another byte', (kept) => Buffer.from(kept.with(-5000, (kept.at(-5000) ?? 0) ^ 1))],
    ['with another byte in front', (kept) => Buffer.from(kept.with(5000, (kept[5000] ?? 0) ^ 1))],
    ['with zeros at its end', (kept) => Buffer.from(kept).fill(0, 5000)],
    ['cut off', (kept) => kept.subarray(0, -1)],
    ['cut in half', (kept) => kept.subarray(0, kept.length / 2)],
    ['empty', () => Buffer.alloc(0)],
    ['without its header', (kept) => kept.subarray(kept.indexOf(10) + 1)],
  ])('that is damaged is not run: %s', async (name, damaged) => {
    const { env, owners } = cacheOf(`damaged ${name}`);
    const { stdout } = await loadedBy(line, env);
    writeFileSync(owners, damaged(readFileSync(owners)));
    const again = await loadedBy(line, env);
    expect(again).toMatchObject({ code: 0, stdout });
    expect(again.compiled).toHaveLength(again.chunks.length);
    expect(await loadedBy(line, env)).toMatchObject({ compiled: [] });
  });

  test('is not kept of a wrong command line, and changes no answer where it cannot be written', async () => {
    const { env, compiled } = cacheOf('refused');
    expect(await loadedBy('tre', env)).toMatchObject({ code: 2 });
    expect(existsSync(compiled)).toBe(false);
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const { code, stdout } = await loadedBy(line, { XDG_CACHE_HOME: file });
    expect({ code, stdout }).toEqual(await gc(line).then(({ code, stdout }) => ({ code, stdout })));
  });
});

const old = { env: olderNode() };

test('an older Node hands over to the one of the checkout, with input, output and exit code', async () => {
  expect(await gc('--version', old)).toEqual(await gc('--version'));
  const input = readFileSync(join(root, 'test/fixtures/clusters/orphaned-replicaset.yaml'));
  const line = 'orphans -A -o name --from -';
  expect(await gc(line, { ...old, input })).toEqual(await gc(line, { input }));
  expect(await gc('tre', old)).toEqual(await gc('tre'));
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'an older Node passes %s on, and ends as the one that it started',
  async (signal) => {
    // The inner process waits for its input; it tells the outer one by its own output that it runs.
    const started = join(folder, `started-${signal}`);
    const record = join(folder, `record-${signal}.cjs`);
    writeFileSync(
      record,
      `if (process.ppid === Number(process.env.KUBECTL_GC_LAUNCHER))
        require('node:fs').writeFileSync(process.env.STARTED, String(process.pid));`,
    );
    const launcher = spawn(process.execPath, [bin, 'orphans', '-A', '--from', '-'], {
      cwd: root,
      env: {
        ...bareEnvironment,
        NODE_OPTIONS: `${old.env.NODE_OPTIONS} --require ${record}`,
        STARTED: started,
      },
    });
    const inner = await eventually('the inner process runs', async () =>
      existsSync(started) ? Number(readFileSync(started, 'utf8')) || undefined : undefined,
    );
    launcher.kill(signal);
    expect(await once(launcher, 'close')).toEqual([null, signal]);
    expect(() => process.kill(inner, 0)).toThrow('ESRCH');
  },
);

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
