import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { coverageIndexOf } from '../../src/snapshot/coverage.ts';
import { type Shown, showFile, showFolder } from './temp-folder.ts';

/** Input that is not whole, or that no server would hold, beside something sound: told, and nothing is certain of what it may have held. */
const node = (name: string, indent = ''): string =>
  ['apiVersion: v1', 'kind: Node', 'metadata:', `  name: ${name}`, `  uid: ${name}`]
    .map((line, index) => (index === 0 ? line : `${indent}${line}`))
    .join('\n');
/** A list, which shows all Nodes. */
const sound =
  'apiVersion: v1\nkind: NodeList\nitems:\n- metadata:\n    {name: sound, uid: sound}\n';
const list = (...items: readonly string[]): string =>
  `apiVersion: v1\nitems:\n${items.map((item) => `- ${item}\n`).join('')}`;

/** Objects by name, where problems are, and whether Nodes count as read in full. */
function told({ objects, problems, snapshot }: Shown) {
  const type = snapshot.types.find('v1', 'Node');
  if (!type) throw new Error('no kind Node');
  return {
    objects: objects.map((object) => object.replace(/.* /, '')),
    problems: problems.filter((problem) => !problem.startsWith('no-uid')),
    certain: coverageIndexOf(snapshot.coverage).coversKind(type, ''),
  };
}

/** What is told where only one object is read of all, and more may have been there, or nothing else. */
const doubtful = (object: string, ...problems: readonly string[]) => ({
  objects: [object],
  problems,
  certain: false,
});
const certain = (object: string, ...problems: readonly string[]) => ({
  ...doubtful(object, ...problems),
  certain: true,
});

describe('kubectl get -o yaml', () => {
  const whole = `${list(node('a', '  '), node('b', '  '))}kind: List\nmetadata:\n  resourceVersion: ""\n`;

  test('is whole with the kind of the list behind its items', async () => {
    expect(told(await showFile('x', whole))).toEqual({
      objects: ['a', 'b'],
      problems: [],
      certain: true,
    });
  });

  test('is cut off anywhere before: its last item is not trusted', async () => {
    const kindAt = whole.lastIndexOf('kind: List');
    const ends = Array.from({ length: kindAt + 'kind: Lis'.length }, (_, index) => index + 1);
    const wrong: unknown[] = [];
    for (const end of ends.filter((at) => at > whole.indexOf('- apiVersion') + 20)) {
      const shown = told(await showFolder({ 'a.yaml': sound, 'b.yaml': whole.slice(0, end) }));
      const isCertain = shown.certain || shown.problems.length === 0;
      if (isCertain || shown.objects.includes('b') !== end > kindAt) wrong.push([end, shown]);
    }
    expect(wrong).toEqual([]);
  });
});

test('a dump that ends within the log of a container is cut off', async () => {
  const log = '==== START logs for container app of pod shop/web ====\nhello\n';
  expect(told(await showFile('x', `${sound}---\n${log}`))).toEqual(
    doubtful('sound', 'truncated x:7'),
  );
  const end = '==== END logs for container app of pod shop/web ====\n';
  expect(told(await showFile('x', `${sound}---\n${log}${end}`)).problems).toEqual([]);
});

test.each([
  ['zstd and text', [zstdCompressSync(sound), Buffer.from('more')]],
  ['zstd and gzip', [zstdCompressSync(sound), gzipSync(sound)]],
  ['gzip, padding and gzip', [gzipSync(sound), Buffer.alloc(512), gzipSync(sound)]],
  ['zstd, one more byte', [zstdCompressSync(sound), Buffer.from('28', 'hex')]],
  ['zstd, a truncated frame', [zstdCompressSync(sound), Buffer.from('502a4d', 'hex')]],
])('%s: trailing data is reported', async (_, parts) => {
  const shown = await showFile('x', Buffer.concat(parts));
  expect(told(shown)).toEqual(doubtful('sound', 'unreadable x'));
  expect(shown.messages.join('\n')).toMatchInlineSnapshot(
    `"unreadable x: data after the end of the compressed data was not read"`,
  );
});

test('20,000 things that are no objects are the last that is read of a list in little', async () => {
  const items = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"sound"}}${',{}'.repeat(1_000_000)}`;
  const list = `{"items":[${items}],"kind":"NodeList","apiVersion":"v1"}`;
  const shown = told(await showFile('x', zstdCompressSync(list)));
  expect([shown.objects, shown.problems[0], shown.problems.at(-2), shown.certain]).toEqual([
    ['sound'],
    'not-an-object x:1',
    'unreadable x',
    false,
  ]);
});

test.each([gzipSync, zstdCompressSync])('zeros behind packed data are padding', async (pack) => {
  const padded = Buffer.concat([pack(sound), Buffer.alloc(512)]);
  expect(told(await showFile('x', padded))).toEqual(certain('sound'));
});

const [one, other] = ['a', 'b'].map(
  (name) => `{"apiVersion":"v1","kind":"Node","metadata":{"name":"${name}","uid":"${name}"}}`,
);

test.each([
  `{"items":[${one}],"apiVersion":"v1","kind":"List","items":[${other}]}`,
  `{"items":[${one}],"apiVersion":"v1","kind":"List","items":null}`,
  `{"kind":"NodeList","apiVersion":"v1","items":[${one}],"items":{}}`,
  `items:\n- ${one}\napiVersion: v1\nkind: List\nitems:\n- ${other}\n`,
  `apiVersion: v1\nitems:\n- ${one}\n"items":\nkind: List\n`,
])('a second field "items" is reported in %j', async (list) => {
  const shown = await showFile('x', list);
  expect(told(shown)).toEqual(doubtful('a', 'unreadable x:1'));
  expect(shown.messages[0]).toMatchInlineSnapshot(
    `"unreadable x:1: the list has two fields named items: not all items are read"`,
  );
});

test('a List with a token for more is one page of several', async () => {
  const page = `${list(node('a', '  '))}kind: List\nmetadata:\n  continue: abc\n`;
  const shown = await showFile('x', page);
  expect(told(shown)).toEqual(doubtful('a', 'truncated x:1'));
  expect(shown.messages.join('\n')).toMatchInlineSnapshot(
    `"truncated x:1: the List is one page of several (its metadata.continue is set): the others may hold any kind"`,
  );
});

test('files of a folder that are empty or packed otherwise', async () => {
  const shown = await showFolder({
    'a.yaml': sound,
    'b.json': '',
    'c.json.bz2': 'BZh9',
    'd.yaml.xz': 'x',
    'e.txt.xz': 'x',
    'f.yaml': '',
  });
  expect(told(shown)).toEqual(
    doubtful('sound', 'unreadable c.json.bz2', 'unreadable d.yaml.xz', 'unreadable b.json'),
  );
  expect(shown.messages.join('\n')).toMatchInlineSnapshot(`
    "unreadable c.json.bz2 is compressed, but neither with gzip nor with zstd: decompress it first
    unreadable d.yaml.xz is compressed, but neither with gzip nor with zstd: decompress it first
    unreadable b.json: it is empty"
  `);
});

test('a binary file, or one with an endless line, leaves coverage unknown', async () => {
  const odd = [
    Buffer.from('a\0b'),
    Buffer.from(sound, 'utf16le'),
    Buffer.from(`a: ${'x'.repeat(33 << 20)}`),
  ];
  const messages: string[] = [];
  for (const content of odd) {
    const shown = await showFolder({ 'a.yaml': sound, 'b.yaml': content });
    expect(told(shown)).toEqual(doubtful('sound', 'unreadable b.yaml'));
    messages.push(...shown.messages);
  }
  expect(messages.join('\n')).toMatchInlineSnapshot(`
    "unreadable b.yaml: it is a binary file
    unreadable b.yaml: it is a binary file
    unreadable b.yaml: line 1 does not end"
  `);
});

/** What is written in metadata, and no server accepts. */
const odd = `
  namespace: 123
  uid: 123
  deletionTimestamp: 20260101
  deletionTimestamp: 2026-13-45
  finalizers: example.com/x
  finalizers: [example.com/x, 1]
  ownerReferences: {kind: Node}
  ownerReferences: [Node/a]
  ownerReferences: [{name: a, uid: a, controller: "no"}]
  ownerReferences: [{name: a, uid: 1}]
  labels: [app]
  labels: {app: web, tier: 1}
  annotations: {helm.sh/hook: {kind: Node}}
  annotations: none
  generation: "2"
  deletionGracePeriodSeconds: 0.5
  generateName: [web-]
`;
const oddFields = odd
  .trim()
  .split('\n')
  .map((field) => field.trim());

test('an object with a field of another type in its metadata is none', async () => {
  const messages: string[] = [];
  for (const field of oddFields) {
    const object = `apiVersion: v1\nkind: Node\nmetadata:\n  name: odd\n  ${field}\n`;
    const shown = await showFile('x', `${sound}---\n${object}`);
    expect(told(shown), field).toEqual(doubtful('sound', 'not-an-object x:7'));
    messages.push(...shown.messages);
  }
  expect(messages.join('\n')).toMatchInlineSnapshot(`
    "not-an-object x:7: no server accepts the Node: metadata.namespace is a number, not a string
    not-an-object x:7: no server accepts the Node: metadata.uid is a number, not a string
    not-an-object x:7: no server accepts the Node: metadata.deletionTimestamp is a number, not a string
    not-an-object x:7: no server accepts the Node: metadata.deletionTimestamp is not a time
    not-an-object x:7: no server accepts the Node: metadata.finalizers is a string, not a list
    not-an-object x:7: no server accepts the Node: metadata.finalizers[1] is a number, not a string
    not-an-object x:7: no server accepts the Node: metadata.ownerReferences is a mapping, not a list
    not-an-object x:7: no server accepts the Node: metadata.ownerReferences[0] is a string, not a mapping
    not-an-object x:7: no server accepts the Node: metadata.ownerReferences[0].controller is a string, not a boolean
    not-an-object x:7: no server accepts the Node: metadata.ownerReferences[0].uid is a number, not a string
    not-an-object x:7: no server accepts the Node: metadata.labels is a list, not a mapping
    not-an-object x:7: no server accepts the Node: metadata.labels[tier] is a number, not a string
    not-an-object x:7: no server accepts the Node: metadata.annotations[helm.sh/hook] is a mapping, not a string
    not-an-object x:7: no server accepts the Node: metadata.annotations is a string, not a mapping
    not-an-object x:7: no server accepts the Node: metadata.generation is a string, not a whole number
    not-an-object x:7: no server accepts the Node: metadata.deletionGracePeriodSeconds is a number, not a whole number
    not-an-object x:7: no server accepts the Node: metadata.generateName is a list, not a string"
  `);
});

test('metadata that is null where it is not set is that of an object', async () => {
  const unset = { labels: null, annotations: { note: null }, generation: null, generateName: null };
  const object = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', uid: 'a', ...unset } };
  const shown = await showFile(
    'x',
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [object] }),
  );
  expect(told(shown)).toEqual(certain('a'));
});

describe('an input without an end in sight', () => {
  const head = '{"apiVersion":"v1","kind":"Node","metadata":{"name":"sound","uid":"sound"}}\n';
  const endless: readonly [string, string | Buffer, string][] = [
    [
      'what unpacks to 600 times its size',
      gzipSync(`${sound}---\n${'\n'.repeat(20_000_000)}`),
      'unreadable x',
    ],
    [
      'YAML of more than 8 MiB in one document',
      `${sound}---\napiVersion: v1\nkind: Big\ndata:\n${'  a: b\n'.repeat(1_300_000)}`,
      'unreadable x:7',
    ],
    ['brackets inside brackets', `${head}${'['.repeat(1_000_000)}`, 'unreadable x:2'],
    ['a line behind damaged JSON', `${head}{"a": ]\n${'x'.repeat(40_000_000)}`, 'unreadable x:2'],
    [
      'a log line',
      `${sound}---\n==== START logs for container app of pod shop/web ====\n${'x'.repeat(40_000_000)}`,
      'truncated x:7',
    ],
  ];
  test('is read no further, and what was read of it is kept', async () => {
    const messages: string[] = [];
    for (const [title, content, problem] of endless) {
      const shown = await showFile('x', content);
      expect(told(shown), title).toEqual(doubtful('sound', problem));
      messages.push(`${title}: ${shown.messages.join()}`);
    }
    expect(messages.join('\n')).toMatchInlineSnapshot(`
      "what unpacks to 600 times its size: unreadable x: it unpacks to more than 600 times its size: unpack it first
      YAML of more than 8 MiB in one document: unreadable x:7: the YAML that begins here is too large to be read in one piece
      brackets inside brackets: unreadable x:2: invalid JSON: a bracket or brace where none may stand
      a line behind damaged JSON: unreadable x:2: invalid JSON: a bracket or brace where none may stand
      a log line: truncated x:7: the container log that begins here is cut off"
    `);
  });

  test('a list of more values that are no objects than any list of objects has', async () => {
    const items = `${head.trim()},${'1,'.repeat(30_000)}1`;
    const list = await showFile('x', `{"apiVersion":"v1","kind":"List","items":[${items}]}`);
    const shown = told(list);
    expect([shown.objects, shown.problems.at(-2), shown.problems.at(-1), shown.certain]).toEqual([
      ['sound'],
      'unreadable x',
      'not-an-object x',
      false,
    ]);
    expect(list.messages.slice(-2).join('\n')).toMatchInlineSnapshot(`
      "unreadable x: more than 20000 things in it are not objects
      not-an-object x: 19980 more problems like these"
    `);
  });

  test('blank lines in YAML that does not parse take time in proportion', async () => {
    const shown = await showFile('x', `${sound}---\na: [\n${'\n'.repeat(300_000)}b: ]]\n`);
    expect(told(shown)).toEqual(certain('sound', 'unreadable x:300008'));
  });
});
