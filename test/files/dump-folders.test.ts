import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { showFolder } from './temp-folder.ts';

const item = (name: string, namespace?: string): object => ({
  metadata: { name, uid: `uid-${name}`, ...(namespace && { namespace }) },
});
const list = (kind: string, ...items: object[]): string =>
  JSON.stringify({ kind, apiVersion: 'v1', metadata: {}, items }, null, 4);
const yamlObject = (kind: string, name: string): string =>
  `---\napiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n  uid: uid-${name}\n`;

describe('fromFiles reads', () => {
  test('a folder of kubectl cluster-info dump', async () => {
    const shown = await showFolder({
      'nodes.json': list('NodeList', item('node-a')),
      'kube-system/pods.json': list('PodList', item('dns', 'kube-system')),
      'kube-system/events.json': list('EventList'),
      'kube-system/dns/logs.txt': '{"level":"info"}\n==== START logs\n',
      'kube-system/services.json': list('ServiceList'),
    });
    expect(shown.objects).toEqual([
      'kube-system/pods.json:6 v1 Pod kube-system/dns',
      'nodes.json:6 v1 Node node-a',
    ]);
    expect(shown.problems).toEqual([]);
    expect(shown.snapshot.coverage.read).toEqual([
      { resource: 'events', namespaces: ['kube-system'] },
      { resource: 'nodes' },
      { resource: 'pods', namespaces: ['kube-system'] },
      { resource: 'services', namespaces: ['kube-system'] },
    ]);
  });

  test.each([
    [
      'must-gather',
      { 'quay-io/cluster-scoped-resources/core/nodes/node-a.yaml': yamlObject('Node', 'node-a') },
    ],
    ['inspect', { 'quay-io/timestamp': '2026-01-01', 'quay-io/event-filter.html': '<html>' }],
  ])('a folder of "oc adm %s"', async (_, more) => {
    const shown = await showFolder({
      ...(more as Record<string, string>),
      'quay-io/namespaces/shop/core/pods.yaml':
        '---\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: web\n    namespace: shop\n    uid: uid-web\nkind: PodList\nmetadata:\n  resourceVersion: "7"\n',
      'quay-io/namespaces/shop/pods/web/web.yaml':
        '---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  namespace: shop\n  uid: uid-web\n',
      'quay-io/namespaces/shop/pods/web/web/web/logs/current.log': 'noise',
      'quay-io/namespaces/shop/shop.yaml': yamlObject('Namespace', 'shop'),
      'quay-io/namespaces/shop/rules.json': '{"status":"success","data":{}}',
      'quay-io/namespaces/shop/empty.yaml': '---\n',
      'quay-io/etcd_info/members.json': '{"header":{}}',
      'quay-io/version.yaml': 'a: 1',
    });
    const node = 'quay-io/cluster-scoped-resources/core/nodes/node-a.yaml:2 v1 Node node-a';
    expect(shown.objects).toEqual([
      ...('quay-io/timestamp' in more ? [] : [node]),
      'quay-io/namespaces/shop/core/pods.yaml:4 v1 Pod shop/web',
      'quay-io/namespaces/shop/shop.yaml:2 v1 Namespace shop',
    ]);
    expect(shown.problems).toEqual([]);
  });

  test.each([
    ['a namespaces folder', { 'namespaces/a.yaml': yamlObject('Node', 'a') }],
    [
      'a must-gather, in every folder',
      {
        'cluster-scoped-resources/core/a.yaml': yamlObject('Node', 'a'),
        'namespaces/shop/x.json': '["no", "object"]',
      },
    ],
  ])('%s, with other files', async (_, files) => {
    const shown = await showFolder({
      ...files,
      'pod_network_connectivity_check/checks.yaml': yamlObject('PersistentVolume', 'b'),
      'etcd_info/torn.json': '{"kind":"Node",',
    });
    expect(shown.objects.map((object) => object.replace(/.* /, ''))).toEqual(['a', 'b'].toSorted());
    expect(shown.problems).toEqual(['truncated etcd_info/torn.json:1']);
  });
});

test('one folder of the name that a must-gather has makes none: the rest is read, and what is passed by is named', async () => {
  const shown = await showFolder({
    'platform/cluster-scoped-resources/priority.yaml': yamlObject('PriorityClass', 'high'),
    'platform/apps/web.yml': yamlObject('ConfigMap', 'web'),
    'platform/apps/broken.json': '{"kind":"Node",',
    'teams/node.yaml': yamlObject('Node', 'a'),
  });
  const names = shown.objects.map((object) => object.replace(/.* /, ''));
  expect(names.toSorted()).toEqual(['a', 'high', 'web']);
  expect(shown.problems).toEqual(['truncated platform/apps/broken.json:1']);
});

describe('a file of a folder that is not named as a manifest', () => {
  const object = yamlObject('Node', 'a');
  const tar = Buffer.concat([Buffer.alloc(257, 'x'), Buffer.from('ustar'), Buffer.alloc(300)]);
  const utf16 = Buffer.from(`\ufeff${object}`, 'utf16le');

  test.each<[string, string, string | Buffer]>([
    ['text', 'nodes.txt', object],
    ['without an extension', 'dump', `# saved\n\n${object}`],
    ['gzip', 'cluster.gz', gzipSync(list('NodeList', item('a')))],
    ['zstd', 'cluster.zst', zstdCompressSync(object)],
    ['in UTF-16', 'nodes.out', utf16],
    [
      'an array element',
      'nodes.dump',
      `[\n  ${JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', uid: 'a' } })}]`,
    ],
  ])('is read for its first bytes: %s', async (_, name, content) => {
    const shown = await showFolder({ [name]: content });
    expect(shown.objects.map((line) => line.replace(/.* /, ''))).toEqual(['a']);
    expect(shown.problems).toEqual([]);
  });

  test.each<[string, string, Buffer, string]>([
    ['a packed tar archive', 'more.tar.gz', gzipSync(tar), 'a tar archive'],
    ['a tar archive', 'more.tar', tar, 'a tar archive'],
    ['a zip archive', 'more.zip', Buffer.from('PK\u0003\u0004...'), 'a zip archive'],
    ['text packed with xz', 'dump.txt.xz', Buffer.from('fd377a585a000000', 'hex'), 'with xz'],
    ['damaged gzip', 'dump.gz', Buffer.from('1f8b08000000000000ffffffff', 'hex'), 'cut off'],
  ])('is reported, and leaves coverage unknown: %s', async (_, name, content, why) => {
    const shown = await showFolder({ 'a.yaml': list('NodeList', item('a')), [name]: content });
    expect(shown.messages).toEqual([expect.stringContaining(why)]);
    expect(shown.snapshot.coverage.read).toEqual([]);
  });

  test.each<[string, string, string | Buffer]>([
    ['notes', 'README', 'Notes\n\napiVersion: v1\n'],
    ['text', 'requirements.txt', 'pyyaml\n'],
    ['packed text', 'site.css.gz', gzipSync('a { color: red }')],
    ['a log', 'audit.log.gz', gzipSync('{"kind":"Event","apiVersion":"audit.k8s.io/v1"}')],
    ['a kubeconfig', 'config', 'apiVersion: v1\nkind: Config\ncurrent-context: a\n'],
    ['a binary file', 'tool', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0])],
  ])('is skipped without objects: %s', async (_, name, content) => {
    const shown = await showFolder({ 'a.yaml': list('NodeList', item('a')), [name]: content });
    expect([shown.objects.length, shown.problems]).toEqual([1, []]);
    expect(shown.snapshot.coverage.read).toEqual([{ resource: 'nodes' }]);
  });

  test('is no part of the archive of a chart', async () => {
    const shown = await showFolder({
      'a.yaml': list('NodeList', item('a')),
      'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
      'chart/charts/redis-1.0.0.tgz': gzipSync(tar),
    });
    expect(shown.problems).toEqual([]);
  });
});
