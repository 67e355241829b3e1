import { createHash } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { findInputs } from '../../src/files/find-inputs.ts';
import { fromFiles } from '../../src/files/from-files.ts';
import { casesOf } from '../support/rows.ts';
import { refusal, showFile, showFolder, showStdin, tempFolder } from './temp-folder.ts';

const node = (name: string, uid = name): string =>
  `apiVersion: v1\nkind: Node\nmetadata:\n  name: ${name}\n  uid: ${uid}\n`;
const jsonNode = (name: string): string =>
  `{"apiVersion":"v1","kind":"Node","metadata":{"name":"${name}","uid":"${name}"}}`;

const grows = [0, 1, 2, 3, 4, 5, 6, 7]
  .map((i) => `b${i}: &a${i + 1} [${`*a${i},`.repeat(10)}]\\n`)
  .join('');

/** Behind a sound object in six lines, so that the rest is a problem and not a refusal: what follows, and the problems. */
const beside = casesOf(String.raw`
invalid YAML
  apiVersion: v1\nkind: Node\n  metadata: x
  unreadable x.yaml:9: invalid YAML: wrong indentation, or a sign that is not allowed there
a tab in the indentation
  apiVersion: v1\nmetadata:\n	name: x
  unreadable x.yaml:9: invalid YAML: a tab in the indentation
a name that would lead to another path
  apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ".."
  not-an-object x.yaml:7: no server accepts the ConfigMap: invalid resource name "..": [may not be '..']
a namespace that would lead to another path
  apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  namespace: a%b
  not-an-object x.yaml:7: no server accepts the ConfigMap: invalid namespace "a%b": [may not contain '%']
an alias to nothing
  apiVersion: v1\nmetadata: *nothing
  unreadable x.yaml:7: invalid YAML: an alias without its anchor
a Helm template
  {{- if .Values.node }}\napiVersion: v1\nkind: Node\nmetadata:\n  name: {{ .Release.Name }}\n{{- end }}
  unreadable x.yaml:7: a template, not YAML: render it first, for instance with "helm template"
Helm values
  replicas: 3\nimage: {tag: v1}
  not-an-object x.yaml:7: not a Kubernetes object: it has neither apiVersion nor kind
Helm values with items
  items:\n- name: a\n- name: b\nreplicas: 3
  not-an-object x.yaml:7: not a Kubernetes object: it has neither apiVersion nor kind
a kustomization
  apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [x.yaml]
  not-an-object x.yaml:7: the Kustomization has no name
a string
  just text
  not-an-object x.yaml:7: a string instead of an object
a number
  42
  not-an-object x.yaml:7: a number instead of an object
a list of scalars
  - a\n- null
  not-an-object x.yaml:7: a string instead of an object
  not-an-object x.yaml:7: nothing instead of an object
no kind
  apiVersion: v1
  not-an-object x.yaml:7: not a Kubernetes object: it has no kind
no apiVersion
  kind: Node\nmetadata: {name: x}
  not-an-object x.yaml:7: not a Kubernetes object: the Node has no apiVersion
a malformed apiVersion
  apiVersion: a/b/c\nkind: Node\nmetadata: {name: x}
  not-an-object x.yaml:7: the Node has a malformed apiVersion
only a generateName
  apiVersion: v1\nkind: Pod\nmetadata: {generateName: web-}
  not-an-object x.yaml:7: the Pod has only a generateName: no such object exists
a name that is a number
  apiVersion: v1\nkind: Pod\nmetadata: {name: 123}
  not-an-object x.yaml:7: the name of the Pod is a number, not a string: quote it
another document of ours
  apiVersion: kubectl-gc/v1\nkind: Plan\nobjects:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: x}
  not-an-object x.yaml:7: a Plan document, not an object of a cluster
metadata without a kind
  apiVersion: meta.k8s.io/v1\nkind: PartialObjectMetadata\nmetadata: {name: x}
  not-an-object x.yaml:7: a PartialObjectMetadata does not say which kind it is of
one bad entry of a list
  apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: [}\n- kind: Pod\n- apiVersion: v1\n  kind: Node\n  metadata: {name: b}
  unreadable x.yaml:12: invalid YAML: a missing quote, bracket, comma, colon or space
  not-an-object x.yaml:13: not a Kubernetes object: the Pod has no apiVersion
  no-uid x.yaml: 1 object has no uid, as if never applied: no reference can name it
YAML that grows beyond measure
  a: &a0 [${'x,'.repeat(100)}]\n${grows}
  unreadable x.yaml:7: YAML whose aliases expand too far
YAML that is nested too deeply
  a: ${'['.repeat(10_000)}
  unreadable x.yaml:7: invalid YAML: it is nested too deeply
a saved snapshot of an older version
  {"apiVersion":"kubectl-gc/v1","kind":"Snapshot","objects":[${jsonNode('b')}]}
  unreadable x.yaml:7: a saved snapshot in the format kubectl-gc/v1, that an older version wrote: this one reads kubectl-gc/v3. Save it again with this version
`);

describe('fromFiles, given something broken beside something sound,', () => {
  test.each(beside)('keeps the sound part: %s', async (_, text = '', ...problems) => {
    const content = `${text.replaceAll('\\n', '\n')}\n`;
    const shown = await showFile('x.yaml', `${node('a')}---\n${content}`);
    expect(shown.problems).toEqual(problems);
    expect(shown.objects[0]).toBe('x.yaml:1 v1 Node a');
  });

  test('goes on behind a broken line of NDJSON', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map(jsonNode);
    const lines = [a, '{"a": [}', b, '{"a": "b', 'lost', c, 'oops', ''];
    const shown = await showFile('x.ndjson', lines.join('\n'));
    expect(shown.objects).toEqual([
      'x.ndjson:1 v1 Node a',
      'x.ndjson:3 v1 Node b',
      'x.ndjson:6 v1 Node c',
    ]);
    expect(shown.problems).toEqual([
      'unreadable x.ndjson:2: invalid JSON: a bracket or brace where none may stand',
      'unreadable x.ndjson:4: invalid JSON: a line break inside a string',
      'unreadable x.ndjson:7: neither JSON nor the beginning of a YAML document',
    ]);
  });

  test('names the line of a fault inside of a list, and never quotes the text', async () => {
    const shown = await showFile(
      'x.json',
      `{"apiVersion":"v1","kind":"List","items":[\n${jsonNode('a')},\n{"apiVersion":"v1","kind":"Secret",\n"data":{"password": "hunter2" "x"}},\n${jsonNode('b')}]}`,
    );
    expect(shown.objects).toEqual(['x.json:2 v1 Node a', 'x.json:5 v1 Node b']);
    expect(shown.problems).toEqual(['unreadable x.json:4: invalid JSON']);
    expect(JSON.stringify(shown.snapshot)).not.toContain('hunter2');
  });

  test.each([
    [3, `{"apiVersion":"v1","items":[\n${jsonNode('a')},\n{"apiVersion":"v1","ki`],
    [1, `{"apiVersion":"v1","items":[\n${jsonNode('a')},\n`],
    [2, `${jsonNode('a')}\n{"apiVersion":`],
  ])('reports in line %i JSON that ends too soon', async (line, content) => {
    const shown = await showFile('x', content);
    expect(shown.objects.map((object) => object.replace(/.* /, ''))).toEqual(['a']);
    expect(shown.problems).toEqual([`truncated x:${line}: the JSON that begins here is cut off`]);
  });

  test('counts problems that are too many to list', async () => {
    const shown = await showFile('x.json', `${jsonNode('a')}[${'1,'.repeat(500)}1]`);
    expect(shown.problems.length).toBe(21);
    expect(shown.problems.at(-1)).toBe('not-an-object x.json: 481 more problems like these');
  });

  test('gives up after 20,000 of a million documents that are none, and keeps the object in front of them', async () => {
    const shown = await showFile('x.ndjson', `${jsonNode('a')}\n${'{}\n'.repeat(1_000_000)}`);
    expect(shown.objects).toEqual(['x.ndjson:1 v1 Node a']);
    expect(shown.problems.at(-1)).toBe('not-an-object x.ndjson: 19980 more problems like these');
  });

  test('reports what it may not read in a folder', async () => {
    const folder = tempFolder({
      'a.yaml': node('a'),
      'b.yaml': Buffer.from([0, 1, 2, 0]),
      'c.yaml': '',
    });
    symlinkSync('nowhere.yaml', `${folder}/d.yaml`);
    symlinkSync('.', `${folder}/e`);
    symlinkSync('a.yaml', `${folder}/f.yaml`);
    const snapshot = await fromFiles([folder], { now: () => new Date(0) });
    expect(snapshot.records.map(({ name }) => name)).toEqual(['a']);
    expect(snapshot.coverage.problems.map(({ message }) => message.replaceAll(folder, ''))).toEqual(
      ['/d.yaml is a broken link', '/b.yaml: it is a binary file'],
    );
  });

  test('reads each folder once where links fan out', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `f${index}`);
    const folder = tempFolder(
      Object.fromEntries(names.map((name) => [`${name}/node.yaml`, node(name)])),
    );
    for (const from of names) {
      for (const to of names) symlinkSync(`../${to}`, `${folder}/${from}/to-${to}`);
    }
    const { files, problems } = await findInputs(folder);
    expect({ files: files.length, problems }).toEqual({ files: 12, problems: [] });
    const { records } = await fromFiles([folder], { now: () => new Date(0) });
    expect(records.map(({ name }) => name).sort()).toEqual([...names].sort());
  });
});

describe('fromFiles, given packed input that ends too soon,', () => {
  const text = Array.from({ length: 9000 }, (_, index) =>
    jsonNode(createHash('sha256').update(String(index)).digest('hex')),
  );
  const list = `{"apiVersion":"v1","kind":"List","items":[${text.join(',\n')}]}`;
  test.each([
    ['gzip', gzipSync(list)],
    ['zstd', zstdCompressSync(list)],
  ])('keeps what came before: %s', async (_, packed) => {
    const whole = await showFile('x.json', packed);
    const shown = await showFile('x.json', packed.subarray(0, packed.length - packed.length / 3));
    expect(whole.problems).toEqual([]);
    expect(whole.objects.slice(0, shown.objects.length)).toEqual(shown.objects);
    expect(shown.problems.map((problem) => problem.replace(/\d+/, 'N'))).toEqual([
      'truncated x.json:N: the JSON that begins here is cut off',
    ]);
  });

  test('reports damage at a boundary between documents', async () => {
    const packed = gzipSync(`${jsonNode('a')}\n`, { level: 0 });
    const shown = await showFile('x.json', packed.subarray(0, packed.length - 4));
    expect(shown.objects).toEqual(['x.json:1 v1 Node a']);
    expect(shown.problems).toEqual(['truncated x.json:2: the input is cut off']);
  });
});

// What else is of no use stands in the transcript of input.
describe('fromFiles, given nothing of use,', () => {
  const tar = Buffer.concat([Buffer.alloc(257, 'x'), Buffer.from('ustar')]);
  test.each([
    ['a binary file', Buffer.from([1, 0, 2]), 'it is a binary file'],
    ['a zip archive', Buffer.from('PK\u0003\u0004...'), 'it is a zip archive: unpack it first'],
    ['a packed tar archive', gzipSync(tar), 'it is a tar archive: unpack it first'],
    ['gzip without data', gzipSync('').subarray(0, 12), 'line 1: the input is cut off'],
  ])('refuses %s', async (_, content, why) => {
    expect(await refusal(showFile('x.yaml', content))).toBe(
      `3 unreadable-input: nothing could be read from x.yaml: ${why}`,
    );
  });

  test('refuses a folder in which nothing is an object', async () => {
    expect(await refusal(showFolder({ 'a/values.yaml': 'a: 1' }, { paths: ['a'] }))).toBe(
      '3 unreadable-input: nothing could be read from a: it holds no .yaml, .yml, .json, .ndjson or .jsonl file with objects',
    );
  });

  test('refuses empty standard input, no path at all, and standard input twice', async () => {
    expect(await refusal(showStdin())).toBe(
      '3 unreadable-input: nothing could be read from standard input: it is empty',
    );
    expect(await refusal(showFolder({}, { paths: [] }))).toBe(
      '2 usage: no file, folder or "-" to read was named',
    );
    expect(await refusal(showFolder({}, { paths: ['-', '-'] }))).toBe(
      '2 usage: standard input ("-") can be read only once',
    );
  });

  test('accepts lists without entries', async () => {
    const shown = await showFile('x.yaml', 'apiVersion: v1\nitems: []\nkind: List\nmetadata: {}\n');
    expect([shown.objects, shown.problems, shown.snapshot.coverage.read]).toEqual([[], [], []]);
  });
});
