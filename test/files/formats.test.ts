import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { showFile, showFolder, showStdin } from './temp-folder.ts';

const meta = (name: string): string => `{"name":"${name}","namespace":"shop","uid":"uid-${name}"}`;
const pod = (name: string): string => `{"apiVersion":"v1","kind":"Pod","metadata":${meta(name)}}`;
const yamlPod = (name: string, dash = ''): string =>
  [
    `${dash}apiVersion: v1`,
    'kind: Pod',
    'metadata:',
    `  name: ${name}`,
    '  namespace: shop',
    `  uid: uid-${name}`,
    '',
  ].join(`\n${' '.repeat(dash.length)}`);

/** Every format, and the lines at which its objects begin. */
const formats: Record<string, readonly [content: string, ...objects: string[]]> = {
  'one YAML document': [yamlPod('web'), '1 v1 Pod shop/web'],
  'YAML documents': [
    `# shop\n---\n${yamlPod('web')}---\n---  # next\n\n${yamlPod('db')}...\n---\n# nothing\n`,
    '3 v1 Pod shop/web',
    '12 v1 Pod shop/db',
  ],
  'YAML with directive and CRLF': [
    `%YAML 1.1\n---\n${yamlPod('web')}`.replaceAll('\n', '\r\n'),
    '3 v1 Pod shop/web',
  ],
  'YAML that is indented': [
    '  apiVersion: v1\n  kind: Node\n  metadata: {name: a}\n',
    '1 v1 Node a',
  ],
  "kubectl's YAML list": [
    `apiVersion: v1\nitems:\n${yamlPod('web', '- ')}\n${yamlPod('db', '- ')}\nkind: List\nmetadata:\n  resourceVersion: ""\n`,
    '3 v1 Pod shop/web',
    '10 v1 Pod shop/db',
  ],
  'a YAML list with indented entries': [
    `kind: List\napiVersion: v1\nitems: # the pods\n  # first\n${yamlPod('web', '- ').replaceAll(/^/gm, '  ')}\n`,
    '5 v1 Pod shop/web',
  ],
  'a YAML list with flow items': [
    `{kind: List, apiVersion: v1, items: [${pod('web')}]}\n`,
    '1 v1 Pod shop/web',
  ],
  'a YAML list with anchors': [
    'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: &a {name: a}\n' +
      '- apiVersion: v1\n  kind: Namespace\n  metadata:\n    <<: *a\n',
    '4 v1 Node a',
    '7 v1 Namespace a',
  ],
  'a YAML list with a multi-line quoted string': [
    `apiVersion: v1\nitems:\n${yamlPod('web', '- ')}  annotations:\n      text: "a\n- b\nkind: c"\n` +
      `${yamlPod('db', '- ')}\nkind: List\n`,
    '1 v1 Pod shop/web',
    '1 v1 Pod shop/db',
  ],
  'YAML that only kubectl reads': [
    'apiVersion:\tv1\nkind: "Node"# a node\nmetadata:\n  name: a\n  finalizers: [\n]\n',
    '1 v1 Node a',
  ],
  KYAML: [
    '---\n{\n  apiVersion: "v1",\n  kind: "List",\n  items: [{\n    apiVersion: "v1",\n    kind: "Node",\n' +
      '    metadata: {\n      name: "a",\n    },\n  }],\n}\n',
    '2 v1 Node a',
  ],
  'JSON behind a YAML marker': [
    `---\n${pod('web')}\n---\n${pod('db')}\n`,
    '2 v1 Pod shop/web',
    '4 v1 Pod shop/db',
  ],
  'one JSON object': [`\n${pod('web')}`, '2 v1 Pod shop/web'],
  'a JSON list, fields sorted': [
    `{"apiVersion":"v1","items":[\n${pod('web')},\n${pod('db')}],"kind":"List"}`,
    '2 v1 Pod shop/web',
    '3 v1 Pod shop/db',
  ],
  'a typed list': [
    `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":${meta('web')}},\n{"metadata":${meta('db')}}]}`,
    '1 v1 Pod shop/web',
    '2 v1 Pod shop/db',
  ],
  'a typed list, fields sorted': [
    `{"apiVersion":"v1","items":[{"metadata":${meta('web')}},\n{"metadata":${meta('db')}}],"kind":"PodList"}`,
    '1 v1 Pod shop/web',
    '2 v1 Pod shop/db',
  ],
  'a typed YAML list, kind last': [
    'apiVersion: v1\nitems:\n- metadata:\n    name: a\n- metadata:\n    name: b\nkind: NodeList\n',
    '3 v1 Node a',
    '5 v1 Node b',
  ],
  'lists in a list': [
    `{"apiVersion":"v1","kind":"List","items":[\n{"apiVersion":"v1","kind":"List","items":[${pod('web')}]},\n` +
      `{"apiVersion":"v1","kind":"PodList","items":[{"metadata":${meta('db')}}]}]}`,
    '2 v1 Pod shop/web',
    '3 v1 Pod shop/db',
  ],
  'a JSON array': [`[${pod('web')},\n ${pod('db')}]`, '1 v1 Pod shop/web', '2 v1 Pod shop/db'],
  NDJSON: [`${pod('web')}\n${pod('db')}\n`, '1 v1 Pod shop/web', '2 v1 Pod shop/db'],
  'concatenated JSON': [
    `${pod('web')}${pod('db')}\n\n  ${pod('mail')}`,
    '1 v1 Pod shop/web',
    '1 v1 Pod shop/db',
    '3 v1 Pod shop/mail',
  ],
  'strings like structure': [
    `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Node","metadata":{"name":"a","annotations":{"x":"]}\\"items\\":[{","y":"\\\\"}}}],"x":"[{"}`,
    '1 v1 Node a',
  ],
  'a cluster-info dump with logs': [
    `{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}\n` +
      '==== START logs for container web of pod shop/web ====\n{"level":"info"}\n---\nkind: Pod\n' +
      '==== END logs for container db of pod shop/db ====\nno line break==== END logs for container web of pod shop/web ====\n' +
      `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":${meta('web')}}]}\n` +
      '==== START logs for container db of pod shop/db ====\n==== END logs for container db of pod shop/db ====\n',
    '1 v1 Node a',
    '8 v1 Pod shop/web',
  ],
  'a cluster-info dump in YAML': [
    'apiVersion: v1\nitems:\n- metadata:\n    name: a\nkind: NodeList\n' +
      '==== START logs for container web of pod shop/web ====\nfoo: bar\n==== END logs for container web of pod shop/web ====\n' +
      `---\n${yamlPod('web')}`,
    '3 v1 Node a',
    '10 v1 Pod shop/web',
  ],
  'a simulation': [
    `{"apiVersion":"kubectl-gc/v1","kind":"Simulation","coverage":{"problems":[]},"steps":[],"objects":[\n${pod('web')}],"ended":"quiet"}`,
    '2 v1 Pod shop/web',
  ],
  'a simulation in YAML': [
    `apiVersion: kubectl-gc/v1\nkind: Simulation\nobjects:\n${yamlPod('web', '- ')}\nended: quiet\n`,
    '4 v1 Pod shop/web',
  ],
  'a field named objects': [
    `{"apiVersion":"template.openshift.io/v1","kind":"Template","metadata":${meta('shop')},"objects":[${pod('web')}]}`,
    '1 template.openshift.io/v1 Template shop/shop',
  ],
};

const names = Object.keys(formats);

async function read(name: string, pack: (text: Buffer) => Buffer, file: string) {
  const [content = '', ...objects] = formats[name] ?? [];
  const shown = await showFile(file, pack(Buffer.from(content)));
  const problems = shown.problems.filter((problem) => !problem.startsWith('no-uid'));
  return {
    expected: objects.map((object) => `${file}:${object}`),
    objects: shown.objects,
    problems,
  };
}

describe('fromFiles', () => {
  test.each(names)('reads %s', async (name) => {
    const { expected, objects, problems } = await read(name, (text) => text, 'input');
    expect({ objects, problems }).toEqual({ objects: expected, problems: [] });
  });

  test.each([
    ['gzip', (text: Buffer) => gzipSync(text)],
    [
      'gzip in two parts',
      (text: Buffer) => Buffer.concat([gzipSync(text.subarray(0, 9)), gzipSync(text.subarray(9))]),
    ],
    ['zstd', (text: Buffer) => zstdCompressSync(text)],
    ['a byte order mark', (text: Buffer) => Buffer.concat([Buffer.from('\ufeff'), text])],
    ['UTF-16', (text: Buffer) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, big end first', (text: Buffer) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('reads every format with %s', async (_, pack) => {
    for (const name of names) {
      const { expected, objects, problems } = await read(name, pack, 'input.json');
      expect({ name, objects, problems }).toEqual({ name, objects: expected, problems: [] });
    }
  });

  test('reads standard input', async () => {
    const text = Buffer.from(`${pod('web')}\n${pod('db')}`);
    const shown = await showStdin(text.subarray(0, 20), text.subarray(20));
    expect(shown.objects).toEqual(['<stdin>:1 v1 Pod shop/web', '<stdin>:2 v1 Pod shop/db']);
    expect(shown.snapshot.origin).toEqual({ kind: 'files', paths: ['-'] });
  });

  test('reads a folder in lexical order, by the names of the files', async () => {
    const node = (name: string): string =>
      `apiVersion: v1\nkind: Node\nmetadata: {name: ${name}, uid: ${name}}\n`;
    const shown = await showFolder({
      'b.yml': node('b'),
      'a/z.json': '{"apiVersion":"v1","kind":"Node","metadata":{"name":"az","uid":"az"}}',
      'a/deep/c.ndjson': '{"apiVersion":"v1","kind":"Node","metadata":{"name":"c","uid":"c"}}',
      'a.yaml': node('a'),
      'c.YAML.gz': gzipSync(node('cz')),
      'd.jsonl.zst': zstdCompressSync(
        '{"apiVersion":"v1","kind":"Node","metadata":{"name":"d","uid":"d"}}',
      ),
      'notes.md': node('no'),
      Makefile: 'all: build\n',
      '.git/x.yaml': node('no'),
      '.hidden.yaml': node('hidden'),
    });
    expect(shown.objects).toEqual([
      '.hidden.yaml:1 v1 Node hidden',
      'a/deep/c.ndjson:1 v1 Node c',
      'a/z.json:1 v1 Node az',
      'a.yaml:1 v1 Node a',
      'b.yml:1 v1 Node b',
      'c.YAML.gz:1 v1 Node cz',
      'd.jsonl.zst:1 v1 Node d',
    ]);
    expect(shown.problems).toEqual([]);
  });

  test('reads several paths, and files of any name that begin as objects do', async () => {
    const shown = await showFolder(
      { 'b.md': pod('web'), 'a/x.json': pod('db'), 'a/y.txt': pod('mail'), 'a/z.md': pod('no') },
      { paths: ['b.md', 'a'] },
    );
    expect(shown.objects).toEqual([
      'b.md:1 v1 Pod shop/web',
      'a/x.json:1 v1 Pod shop/db',
      'a/y.txt:1 v1 Pod shop/mail',
    ]);
  });
});
