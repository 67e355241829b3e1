import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { encodeSnapshot } from '../../src/snapshot/saved-snapshot.ts';
import { pod as podRecord, snapshotOf } from '../support/builders.ts';
import { bash, gc } from '../support/run-gc.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const pod = (name: string, uid = `uid-${name}`) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: shop, uid: ${uid}}\n`;
const compressed = gzipSync(Array.from({ length: 50 }, (_, i) => pod(`p${i}`)).join('---\n'));
const noise = Uint8Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256);

mkdirSync(join(folder, 'notes'));
writeFileSync(join(folder, 'notes', 'readme.txt'), 'nothing to see');
symlinkSync('round', join(folder, 'about'));
symlinkSync('about', join(folder, 'round'));

/** What is read, and why nothing of it is of use. */
const useless: readonly [string, string, string][] = [
  ['no such file', join(folder, 'nowhere.yaml'), 'it does not exist'],
  ['below a file', join(file('plain.yaml', pod('a')), 'x'), 'it does not exist'],
  ['a link in circles', join(folder, 'round'), 'its symbolic links form a loop'],
  ['an empty file', file('empty.yaml', ''), 'it is empty'],
  ['only comments', file('comments.yaml', '# nothing\n---\n# here\n'), 'it is empty'],
  [
    'invalid YAML',
    file('invalid.yaml', 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n bad: [\n'),
    'line 5: invalid YAML: wrong indentation',
  ],
  [
    'JSON that is cut off',
    file('cut.json', '\n{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"'),
    'line 2: the JSON that begins here is cut off',
  ],
  ['binary junk', file('junk.yaml', noise), 'it is a binary file'],
  [
    'something else in YAML',
    file('values.yaml', 'replicas: 3\n'),
    'line 1: not a Kubernetes object: it has neither apiVersion nor kind',
  ],
  [
    'a folder without manifests',
    join(folder, 'notes'),
    'it holds no .yaml, .yml, .json, .ndjson or .jsonl file with objects',
  ],
];

describe('input of no use', () => {
  test.each(useless)('%s is an error: 3', async (_, path, why) => {
    expect(await gcHere(`orphans -A --from ${path}`)).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: nothing could be read from ${path}: ${why}
  Name a file or folder of Kubernetes objects, as get -o yaml and cluster-info dump of kubectl and snapshot save write it.
`,
    });
  });

  test('an empty stdin is an error: 3', async () => {
    expect(await gc('orphans -A --from -')).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: nothing could be read from standard input: it is empty
  Name a file or folder of Kubernetes objects, as get -o yaml and cluster-info dump of kubectl and snapshot save write it.
`,
    });
  });
});

/** What is read, and what is said of it while the rest is used: `PATH` stands for the file. */
const partly: readonly [string, string, string, string][] = [
  [
    'one document of several',
    file('half.yaml', `${pod('a')}---\nfoo: [\n---\n${pod('b')}`),
    'Warning: PATH:5: invalid YAML: a missing quote, bracket, comma, colon or space\n',
    'pod/a\npod/b\n',
  ],
  ['a List within a List', file('nested.json', nestedList()), '', 'pod/inner\n'],
  [
    'an object without a uid',
    file('no-uid.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n'),
    'Warning: PATH: 1 object has no uid, as if never applied: no reference can name it\n',
    'pod/a\n',
  ],
  [
    'two objects with one uid',
    file('same-uid.yaml', `${pod('a', 'u')}---\n${pod('b', 'u')}`),
    'Warning: Pod shop/a (PATH:1) and Pod shop/b (PATH:5) have the same uid u\n',
    'pod/a\npod/b\n',
  ],
];

function nestedList(): string {
  const list = (items: object[]) => ({ apiVersion: 'v1', kind: 'List', items });
  const inner = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'inner', uid: 'u' } };
  return JSON.stringify(list([list([inner])]));
}

describe('input of some use', () => {
  test.each(partly)('%s is a warning', async (_, path, warning, names) => {
    expect(await gcHere(`orphans pods -A --unmanaged -o name --from ${path}`)).toEqual({
      code: 0,
      stdout: names,
      stderr: warning.replaceAll('PATH', path),
    });
  });

  test('a gzip that is cut off gives what came before', async () => {
    const path = file('cut.yaml.gz', compressed.subarray(0, compressed.length - 20));
    const { code, stdout, stderr } = await gcHere(`snapshot info -o json --from ${path}`);
    const { coverage } = JSON.parse(stdout);
    expect([code, coverage.complete]).toEqual([0, false]);
    expect(coverage.objects).toBeGreaterThan(0);
    expect(stderr).toBe(
      coverage.problems.map(({ message }: { message: string }) => `Warning: ${message}\n`).join(''),
    );
    expect(stderr).toContain('cut off');
  });

  test('gzip and zstd are known by their content, whatever the name', async () => {
    const plain = file('all.yaml', pod('a'));
    const expected = (await gcHere(`orphans -A --unmanaged --from ${plain}`)).stdout;
    for (const bytes of [gzipSync(pod('a')), zstdCompressSync(pod('a'))]) {
      const path = file('packed.yaml', bytes);
      expect((await gcHere(`orphans -A --unmanaged --from ${path}`)).stdout).toBe(expected);
    }
  });

  test('more than ten warnings are counted', async () => {
    const path = file('wrong.yaml', `${'a: 1\n---\n'.repeat(14)}${pod('a')}`);
    const { stderr } = await gcHere(`orphans -A -o name --from ${path}`);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(12);
    expect(lines.slice(-2)).toEqual([
      'Warning: 4 more problems; -o json lists them all under coverage',
      'No orphans found in what could be read.',
    ]);
  });

  test('that an input was not read to its end is told before what is wrong in it', async () => {
    const [wrong, cut] = [
      '{"a":1}\n'.repeat(14),
      '{"apiVersion":"v1","kind":"Pod","metadata":{"na',
    ];
    const path = file(
      'cut.ndjson',
      `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}\n${wrong}${cut}`,
    );
    const { stderr } = await gcHere(`orphans -A -o name --from ${path}`);
    const [first = ''] = stderr.split('\n');
    expect(first).toBe(`Warning: ${path}:16: the JSON that begins here is cut off`);
  });
});

describe('what was asked for', () => {
  const cluster = '--from test/fixtures/clusters/orphaned-replicaset.yaml';

  test.each([
    ['owners pod/nobody -n shop', 'pods "nobody" not found in namespace shop', ''],
    [
      'owners pod/web-6c4f9d-abcdf -n shop',
      'pods "web-6c4f9d-abcdf" not found in namespace shop',
      '  Did you mean web-6c4f9d-abcde or web-6c4f9d-fghij?\n',
    ],
    [
      'tree rs/web-6c4f9d -n bank',
      'replicasets.apps "web-6c4f9d" not found in namespace bank',
      '  It is in namespace shop: use -n.\n',
    ],
  ])('and is not there is an error: 3: %s', async (line, message, hint) => {
    const stderr = `error: ${message}\n${hint}`;
    expect(await gcHere(`${line} ${cluster}`)).toEqual({ code: 3, stdout: '', stderr });
  });

  test('is there twice: 2, until -n says which', async () => {
    const two = '--from test/fixtures/clusters/cross-namespace-secret.yaml';
    expect(await gcHere(`tree secret/tls -A ${two}`)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: secrets "tls" is in 2 namespaces: platform, shop\n  Say which one with -n.\n',
    });
    expect((await gcHere(`owners secret/tls -n shop ${two}`)).code).toBe(0);
  });

  test('is of a kind that could not be read: it is unknown', async () => {
    const path = file('lost.json', savedWithoutPods());
    expect(await gcHere(`owners pod/web -n shop --from ${path}`)).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: it is unknown whether pods "web" is in namespace shop
  pods cannot be listed: forbidden
`,
    });
  });

  test('names two kinds: a note says which was taken', async () => {
    const widget = (group: string) =>
      `apiVersion: ${group}/v1\nkind: Widget\nmetadata: {name: ${group}, namespace: shop, uid: ${group}}\n`;
    const groups = ['a.example.com', 'b.example.com'];
    const path = file(
      'widgets.yaml',
      groups.flatMap((group) => [definition(group), widget(group)]).join('---\n'),
    );
    expect(await gcHere(`tree widgets -n shop -o name --from ${path}`)).toEqual({
      code: 0,
      stdout: 'widget.a.example.com/a.example.com\n',
      stderr: `Note: "widgets" names 2 kinds; widgets.a.example.com was taken, as kubectl would. The others: widgets.b.example.com
Warning: more may be deleted: the input has no configmaps, endpoints, endpointslices.discovery.k8s.io and 26 more kinds. If it holds the whole cluster, say --complete.
No reference points here (3 kinds searched).
`,
    });
  });
});

function definition(group: string): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.${group}, uid: crd-${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget}
  versions: [{name: v1, served: true, storage: true}]
`;
}

function savedWithoutPods(): string {
  const problem = {
    reason: 'forbidden',
    resource: 'pods',
    message: 'pods cannot be listed: forbidden',
  } as const;
  const snapshot = snapshotOf([], {
    observedAt: '2026-01-31T12:00:00Z',
    serverVersion: undefined,
    coverage: { read: [{ resource: 'secrets' }], problems: [problem] },
    types: new ResourceTypes([podRecord('web').type], { exhaustive: true }),
  });
  return [...encodeSnapshot(snapshot, crc32)].join('');
}

describe('a file to write', () => {
  const cluster = '--from test/fixtures/clusters/orphaned-replicaset.yaml';
  const target = join(folder, 'out');
  mkdirSync(target);

  test.each([
    [
      'in a folder that is not there',
      join(target, 'nowhere', 'a.json.gz'),
      'there is no such folder',
    ],
    [
      'below a file',
      join(folder, 'plain.yaml', 'a.json'),
      `${join(folder, 'plain.yaml')} is not a folder`,
    ],
    ['where a folder is', target, 'it is a folder'],
  ])('%s is refused: 3', async (_, path, why) => {
    expect(await gcHere(`snapshot save ${path} ${cluster}`)).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: cannot write ${path}: ${why}
  Nothing was saved. Name a file in a folder you may write to.
`,
    });
    expect(readdirSync(target)).toEqual([]);
  });

  test('is refused before anything is read', async () => {
    const { stderr } = await gcHere(`snapshot save ${target}/no/a -s http://127.0.0.1:1`);
    expect(stderr).toMatch(/^error: cannot write /);
  });

  test('on a full device is refused: 3', async () => {
    expect(await gcHere(`snapshot save /dev/full ${cluster}`)).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: cannot write /dev/full: no space is left on the device
  Nothing was saved. Name a file in a folder you may write to.
`,
    });
  });

  test('may be a device, which is written to and not replaced', async () => {
    const { code, stdout } = await bash(`gc snapshot save /dev/stdout ${cluster} | cat`);
    expect([code, JSON.parse(stdout).kind]).toEqual([0, 'Snapshot']);
  });
});
