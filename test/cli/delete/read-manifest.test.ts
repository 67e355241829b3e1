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

describe('a manifest', () => {
  test('keeps nothing of an object but what names it', async () => {
    expect(await read(secret('login'))).toEqual({
      objects: [
        {
          apiVersion: 'v1',
          kind: 'Secret',
          namespace: '',
          name: 'login',
          labels: {},
          inList: false,
        },
      ],
      failures: [],
    });
  });

  test.each([
    ['documents in a row', `${secret('a')}---\n${secret('b')}`, ['Secret/a', 'Secret/b']],
    ['empty documents', `---\n---\n${secret('a')}---\n# no more\n---\n`, ['Secret/a']],
    [
      'a marker with a comment',
      `--- # first\n${secret('a')}--- \n${secret('b')}`,
      ['Secret/a', 'Secret/b'],
    ],
    ['nothing', '', []],
    ['Windows lines', secret('a').replaceAll('\n', '\r\n'), ['Secret/a']],
    ['a byte order mark', `\ufeff${secret('a')}`, ['Secret/a']],
    [
      'JSON values in a row',
      '{"kind":"A","metadata":{"name":"}{"}}\n{"kind":"B","metadata":{"name":"\\"b"}}',
      ['A/}{', 'B/"b'],
    ],
    [
      'lists in lists',
      '{"kind":"List","items":[{"kind":"List","items":[{"kind":"A","metadata":{"name":"a"}}]},{"kind":"B","metadata":{"name":"b"}}]}',
      ['A/a', 'B/b'],
    ],
    ['a word that YAML 1.1 takes for no', 'kind: A\nmetadata: {name: "no"}', ['A/no']],
    [
      'no YAML, and what is behind it',
      `${secret('a')}---\nkind: [\n---\n${secret('c')}`,
      ['Secret/a', expect.stringMatching(/^error parsing x\.yaml: line \d+: invalid YAML/)],
    ],
    ['no kind', 'metadata: {name: a}', [`unable to decode "x.yaml": Object 'Kind' is missing`]],
    [
      'cut off JSON',
      '{"kind":"A"',
      [expect.stringMatching(/^error parsing x\.yaml: line 1: invalid JSON/)],
    ],
  ])('%s', async (_, text, names) => {
    expect(await namesOf(text)).toEqual(names);
  });

  test('in UTF-16', async () => {
    const { objects } = await readManifest(
      Buffer.from(`\ufeff${secret('a')}`, 'utf16le'),
      'x.yaml',
    );
    expect(objects.map(({ name }) => name)).toEqual(['a']);
  });

  test('that cannot be read does not show what is in it', async () => {
    const { failures } = await read(`data: {password: hunter2}\n---\npassword: "hunter2`);
    expect(JSON.stringify(failures)).not.toContain('hunter2');
    expect(failures).toHaveLength(2);
  });
});
