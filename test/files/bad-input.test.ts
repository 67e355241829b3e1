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

/** Behind a sound object in six lines, so that the rest is a problem and not a refusal: what follows. */
const beside = casesOf(String.raw`
invalid YAML
  apiVersion: v1\nkind: Node\n  metadata: x
a tab in the indentation
  apiVersion: v1\nmetadata:\n	name: x
a name that would lead to another path
  apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ".."
a namespace that would lead to another path
  apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  namespace: a%b
an alias to nothing
  apiVersion: v1\nmetadata: *nothing
a Helm template
  {{- if .Values.node }}\napiVersion: v1\nkind: Node\nmetadata:\n  name: {{ .Release.Name }}\n{{- end }}
Helm values
  replicas: 3\nimage: {tag: v1}
Helm values with items
  items:\n- name: a\n- name: b\nreplicas: 3
a kustomization
  apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [x.yaml]
a string
  just text
a number
  42
a list of scalars
  - a\n- null
no kind
  apiVersion: v1
no apiVersion
  kind: Node\nmetadata: {name: x}
a malformed apiVersion
  apiVersion: a/b/c\nkind: Node\nmetadata: {name: x}
only a generateName
  apiVersion: v1\nkind: Pod\nmetadata: {generateName: web-}
a name that is a number
  apiVersion: v1\nkind: Pod\nmetadata: {name: 123}
another document of ours
  apiVersion: kubectl-gc/v1\nkind: Plan\nobjects:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: x}
metadata without a kind
  apiVersion: meta.k8s.io/v1\nkind: PartialObjectMetadata\nmetadata: {name: x}
one bad entry of a list
  apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: [}\n- kind: Pod\n- apiVersion: v1\n  kind: Node\n  metadata: {name: b}
YAML that grows beyond measure
  a: &a0 [${'x,'.repeat(100)}]\n${grows}
YAML that is nested too deeply
  a: ${'['.repeat(10_000)}
a saved snapshot of an older version
  {"apiVersion":"kubectl-gc/v1","kind":"Snapshot","objects":[${jsonNode('b')}]}
`);

describe('fromFiles, given something broken beside something sound,', () => {
  test('keeps the sound part, and says what the rest is', async () => {
    const outcomes: string[] = [];
    for (const [title = '', text = ''] of beside) {
      const content = `${text.replaceAll('\\n', '\n')}\n`;
      const shown = await showFile('x.yaml', `${node('a')}---\n${content}`);
      expect(shown.objects[0], title).toBe('x.yaml:1 v1 Node a');
      outcomes.push([title, ...shown.messages].join('\n  '));
    }
    expect(outcomes.join('\n')).toMatchInlineSnapshot(`
      "invalid YAML
        unreadable x.yaml:9: invalid YAML: wrong indentation, or a sign that is not allowed there
      a tab in the indentation
        unreadable x.yaml:9: invalid YAML: a tab in the indentation
      a name that would lead to another path
        not-an-object x.yaml:7: no server accepts the ConfigMap: invalid resource name "..": [may not be '..']
      a namespace that would lead to another path
        not-an-object x.yaml:7: no server accepts the ConfigMap: invalid namespace "a%b": [may not contain '%']
      an alias to nothing
        unreadable x.yaml:7: invalid YAML: an alias without its anchor
      a Helm template
        unreadable x.yaml:7: a template, not YAML: render it first, for instance with "helm template"
      Helm values
        not-an-object x.yaml:7: not a Kubernetes object: it has neither apiVersion nor kind
      Helm values with items
        not-an-object x.yaml:7: not a Kubernetes object: it has neither apiVersion nor kind
      a kustomization
        not-an-object x.yaml:7: the Kustomization has no name
      a string
        not-an-object x.yaml:7: a string instead of an object
      a number
        not-an-object x.yaml:7: a number instead of an object
      a list of scalars
        not-an-object x.yaml:7: a string instead of an object
        not-an-object x.yaml:7: nothing instead of an object
      no kind
        not-an-object x.yaml:7: not a Kubernetes object: it has no kind
      no apiVersion
        not-an-object x.yaml:7: not a Kubernetes object: the Node has no apiVersion
      a malformed apiVersion
        not-an-object x.yaml:7: the Node has a malformed apiVersion
      only a generateName
        not-an-object x.yaml:7: the Pod has only a generateName: no such object exists
      a name that is a number
        not-an-object x.yaml:7: the name of the Pod is a number, not a string: quote it
      another document of ours
        not-an-object x.yaml:7: a Plan document, not an object of a cluster
      metadata without a kind
        not-an-object x.yaml:7: a PartialObjectMetadata does not say which kind it is of
      one bad entry of a list
        unreadable x.yaml:12: invalid YAML: a missing quote, bracket, comma, colon or space
        not-an-object x.yaml:13: not a Kubernetes object: the Pod has no apiVersion
        no-uid x.yaml: 1 object has no uid, as if never applied: no reference can name it
      YAML that grows beyond measure
        unreadable x.yaml:7: YAML whose aliases expand too far
      YAML that is nested too deeply
        unreadable x.yaml:7: invalid YAML: it is nested too deeply
      a saved snapshot of an older version
        unreadable x.yaml:7: a saved snapshot in the format kubectl-gc/v1, that an older version wrote: this one reads kubectl-gc/v3. Save it again with this version"
    `);
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
    expect(shown.messages.join('\n')).toMatchInlineSnapshot(`
      "unreadable x.ndjson:2: invalid JSON: a bracket or brace where none may stand
      unreadable x.ndjson:4: invalid JSON: a line break inside a string
      unreadable x.ndjson:7: neither JSON nor the beginning of a YAML document"
    `);
  });

  test('names the line of a fault inside of a list, and never quotes the text', async () => {
    const shown = await showFile(
      'x.json',
      `{"apiVersion":"v1","kind":"List","items":[\n${jsonNode('a')},\n{"apiVersion":"v1","kind":"Secret",\n"data":{"password": "hunter2" "x"}},\n${jsonNode('b')}]}`,
    );
    expect(shown.objects).toEqual(['x.json:2 v1 Node a', 'x.json:5 v1 Node b']);
    expect(shown.problems).toEqual(['unreadable x.json:4']);
    expect(JSON.stringify(shown.snapshot)).not.toContain('hunter2');
  });

  test.each([
    [3, `{"apiVersion":"v1","items":[\n${jsonNode('a')},\n{"apiVersion":"v1","ki`],
    [1, `{"apiVersion":"v1","items":[\n${jsonNode('a')},\n`],
    [2, `${jsonNode('a')}\n{"apiVersion":`],
  ])('reports in line %i JSON that ends too soon', async (line, content) => {
    const shown = await showFile('x', content);
    expect(shown.objects.map((object) => object.replace(/.* /, ''))).toEqual(['a']);
    expect(shown.problems).toEqual([`truncated x:${line}`]);
  });

  test('counts problems that are too many to list', async () => {
    const shown = await showFile('x.json', `${jsonNode('a')}[${'1,'.repeat(500)}1]`);
    expect(shown.problems.length).toBe(21);
    expect(shown.messages.at(-1)).toContain(' 481 ');
  });

  test('gives up after 20,000 of a million documents that are none, and keeps the object in front of them', async () => {
    const shown = await showFile('x.ndjson', `${jsonNode('a')}\n${'{}\n'.repeat(1_000_000)}`);
    expect(shown.objects).toEqual(['x.ndjson:1 v1 Node a']);
    expect(shown.messages.at(-1)).toContain(' 19980 ');
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
    const { problems } = snapshot.coverage;
    expect(
      problems.map(({ message }) => message.replaceAll(folder, '')).join('\n'),
    ).toMatchInlineSnapshot(`
      "/d.yaml is a broken link
      /b.yaml: it is a binary file"
    `);
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
      'truncated x.json:N',
    ]);
    expect(shown.messages[0]?.replace(/\d+/, 'N')).toMatchInlineSnapshot(
      `"truncated x.json:N: the JSON that begins here is cut off"`,
    );
  });

  test('reports damage at a boundary between documents', async () => {
    const packed = gzipSync(`${jsonNode('a')}\n`, { level: 0 });
    const shown = await showFile('x.json', packed.subarray(0, packed.length - 4));
    expect(shown.objects).toEqual(['x.json:1 v1 Node a']);
    expect(shown.problems).toEqual(['truncated x.json:2']);
  });
});

// What else is of no use stands in the transcript of input.
describe('fromFiles without useful input', () => {
  const tar = Buffer.concat([Buffer.alloc(257, 'x'), Buffer.from('ustar')]);
  test('is refused, and says what it was given', async () => {
    const refusals = [
      refusal(showFile('binary.yaml', Buffer.from([1, 0, 2]))),
      refusal(showFile('zip.yaml', Buffer.from('PK\u0003\u0004...'))),
      refusal(showFile('tar.yaml', gzipSync(tar))),
      refusal(showFile('gzip.yaml', gzipSync('').subarray(0, 12))),
      refusal(showFolder({ 'a/values.yaml': 'a: 1' }, { paths: ['a'] })),
      refusal(showStdin()),
      refusal(showFolder({}, { paths: [] })),
      refusal(showFolder({}, { paths: ['-', '-'] })),
    ];
    expect((await Promise.all(refusals)).join('\n')).toMatchInlineSnapshot(`
      "3 unreadable-input: nothing could be read from binary.yaml: it is a binary file
      3 unreadable-input: nothing could be read from zip.yaml: it is a zip archive: unpack it first
      3 unreadable-input: nothing could be read from tar.yaml: it is a tar archive: unpack it first
      3 unreadable-input: nothing could be read from gzip.yaml: line 1: the input is cut off
      3 unreadable-input: nothing could be read from a: it contains no .yaml, .yml, .json, .ndjson or .jsonl file with objects
      3 unreadable-input: nothing could be read from standard input: it is empty
      2 usage: no file or folder to read was named
      2 usage: standard input ("-") can be read only once"
    `);
  });

  test('accepts lists without entries', async () => {
    const shown = await showFile('x.yaml', 'apiVersion: v1\nitems: []\nkind: List\nmetadata: {}\n');
    expect([shown.objects, shown.problems, shown.snapshot.coverage.read]).toEqual([[], [], []]);
  });
});
