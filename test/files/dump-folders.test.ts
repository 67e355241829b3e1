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
      { resource: 'events' },
      { resource: 'nodes' },
      { resource: 'pods' },
      { resource: 'services' },
    ]);
  });

  test.each([
    [
      'must-gather',
      { 'quay-io/cluster-scoped-resources/core/nodes/node-a.yaml': yamlObject('Node', 'node-a') },
    ],
    ['inspect', { 'quay-io/timestamp': '2026-01-01', 'quay-io/event-filter.html': '<html>' }],
  ])('a folder of oc adm %s', async (_, more) => {
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
});
