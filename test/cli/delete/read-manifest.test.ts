import { describe, expect, test } from 'vitest';
import { readManifest } from '../../../src/commands/delete/targets/targets-of-files.ts';

const read = (text: string, encoding: BufferEncoding = 'utf8') =>
  readManifest(Buffer.from(text, encoding), 'x.yaml');

async function namesOf(text: string): Promise<string[]> {
  const { objects, failures } = await read(text);
  return [
    ...objects.map(({ kind, name }) => `${kind}/${name}`),
    ...failures.map(({ message }) => message),
  ];
}

const secret = (name: string) =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}}\ndata: {password: aHVudGVyMg==}\n`;

const named = { apiVersion: 'v1', kind: 'Secret', namespace: '' };

describe('a manifest', () => {
  test('keeps only kind, namespace, name and labels of an object', async () => {
    expect(await read(secret('login'))).toEqual({
      objects: [{ ...named, name: 'login', labels: {} }],
      failures: [],
    });
  });

  const [a, b] = ['a', 'b'].map(secret);
  const jsonRow = '{"kind":"A","metadata":{"name":"}{"}}\n{"kind":"B","metadata":{"name":"\\"b"}}';
  const inner = '{"kind":"List","items":[{"kind":"A","metadata":{"name":"a"}}]}';
  const lists = `{"kind":"List","items":[${inner},{"kind":"B","metadata":{"name":"b"}}]}`;
  const noYaml = expect.stringMatching(/^error parsing x\.yaml: line \d+: invalid YAML/);
  const cutOff = expect.stringMatching(/^error parsing x\.yaml: line 1: the JSON .* cut off$/);
  const noSeparator = expect.stringMatching(/^error parsing x\.yaml: line 1: invalid document sep/);
  const noKind = `unable to decode "x.yaml": Object 'Kind' is missing`;

  test.each([
    ['documents in a row', `${a}---\n${b}`, ['Secret/a', 'Secret/b']],
    ['empty documents', `---\n---\n${a}---\n# no more\n---\n`, ['Secret/a']],
    ['a commented marker', `--- # first\n${a}--- \n${b}`, ['Secret/a', 'Secret/b']],
    ['nothing', '', []],
    ['Windows lines', secret('a').replaceAll('\n', '\r\n'), ['Secret/a']],
    ['a byte order mark', `\ufeff${a}`, ['Secret/a']],
    ['JSON values in a row', jsonRow, ['A/}{', 'B/"b']],
    ['lists in lists', lists, ['A/a', 'B/b']],
    ['a word that YAML 1.1 takes for no', 'kind: A\nmetadata: {name: "no"}', ['A/no']],
    ['invalid YAML, with documents behind it', `${a}---\nkind: [\n---\n${b}`, ['Secret/a', noYaml]],
    ['no kind', 'metadata: {name: a}', [noKind]],
    ['cut off JSON', '{"kind":"A"', [cutOff]],
    ['text behind a separator', `--- {kind: A, metadata: {name: a}}\n---\n${b}`, [noSeparator]],
    ['JSON values between separators', '{"kind":"A"}\n---\n{"kind":"B"}\n', ['A/', 'B/']],
    ['comments in front of JSON', `# first\n${inner}\n# second\n`, ['A/a']],
    ['comments in braces', '{\n# first\nkind: A, "metadata": {name: a} # last\n}\n', ['A/a']],
    ['a typed list', 'kind: AList\nitems: [{metadata: {name: a}}]\n', ['A/a']],
    ['a list without items', 'kind: AList\napiVersion: v1\nitems: []\n', []],
    ['an array', '[{"kind":"A","metadata":{"name":"a"}}]', [noKind]],
    [
      'a saved snapshot',
      '{"apiVersion":"kubectl-gc/v3","kind":"Snapshot",\n"objects":[\n',
      [cutOff],
    ],
  ])('%s', async (_, text, names) => {
    expect(await namesOf(text)).toEqual(names);
  });

  test('in UTF-16', async () => {
    const { objects } = await read(`\ufeff${secret('a')}`, 'utf16le');
    expect(objects.map(({ name }) => name)).toEqual(['a']);
  });

  test('that cannot be read does not show what is in it', async () => {
    const { failures } = await read(`data: {password: hunter2}\n---\npassword: "hunter2`);
    expect(JSON.stringify(failures)).not.toContain('hunter2');
    expect(failures).toHaveLength(2);
  });
});
