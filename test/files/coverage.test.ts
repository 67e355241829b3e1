import { crc32, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { encodeSnapshot } from '../../src/files/saved-snapshot.ts';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { groupResourceOf } from '../../src/kube/resource-type.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { deployment, pod, secret, snapshotOf } from '../support/builders.ts';
import { type Shown, showFile, showFolder } from './temp-folder.ts';

const json = (kind: string, name = 'a', apiVersion = 'v1'): string =>
  `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":{"name":"${name}","namespace":"shop","uid":"${kind}-${name}"}}`;
const list = (kind: string, items: string, metadata = ''): string =>
  `{"apiVersion":"v1","kind":"${kind}","metadata":{${metadata}},"items":[${items}]}`;
const item = (name: string): string =>
  `{"metadata":{"name":"${name}","namespace":"shop","uid":"Pod-${name}"}}`;
const read = ({ snapshot }: Shown): string[] =>
  snapshot.coverage.read.map(({ resource, namespaces }) =>
    namespaces ? `${resource} in ${namespaces.join()}` : resource,
  );
const save = (snapshot: Snapshot): string => [...encodeSnapshot(snapshot, crc32)].join('');

describe('what fromFiles counts as read', () => {
  const of = (namespace: string, kind: string, name = 'a', apiVersion = 'v1'): string =>
    json(kind, name, apiVersion).replace('"shop"', `"${namespace}"`);
  const deployments = (namespace: string) => of(namespace, 'Deployment', 'web', 'apps/v1');
  const bank = list('List', `${of('bank', 'Pod')},${of('bank', 'Pod', 'b')},${json('Node')}`);

  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    [
      'document kinds by namespace, and cluster-scoped kinds',
      { x: `${json('Pod')}${deployments('bank')}${of('bank', 'Pod')}${json('Node')}` },
      ['deployments.apps in bank', 'nodes', 'pods in shop,bank'],
    ],
    [
      'single objects alone',
      { 'a.yaml': deployments('shop'), 'b.yaml': deployments('bank'), 'c.yaml': json('Node') },
      [],
    ],
    [
      'single-namespace lists by namespace',
      { 'a.yaml': list('List', deployments('shop')), 'b.yaml': bank },
      ['deployments.apps in shop', 'nodes', 'pods in bank'],
    ],
    [
      'each list alone',
      { 'a.yaml': `${list('List', deployments('shop'))}${bank}` },
      ['deployments.apps in shop', 'nodes', 'pods in bank'],
    ],
    [
      'multi-namespace lists everywhere',
      { 'a.yaml': list('List', `${deployments('shop')},${of('bank', 'Pod')}`) },
      ['deployments.apps', 'pods'],
    ],
    [
      'a PodList like a List',
      {
        'a.json': list('PodList', item('a')),
        'b.json': list('SecretList', `${of('a', 'Secret')},${of('b', 'Secret')}`),
      },
      ['pods in shop', 'secrets'],
    ],
    [
      'arrays as single objects',
      { 'a.json': `[${of('a', 'Pod')},${of('b', 'Secret')}]`, 'b.yaml': `- ${of('a', 'Pod')}\n` },
      ['pods in a', 'secrets in b'],
    ],
    [
      'empty lists beside others',
      { 'a.json': `${list('PodList', item('a'))}${list('SecretList', '')}${list('NodeList', '')}` },
      ['nodes', 'pods in shop', 'secrets in shop'],
    ],
    [
      'empty lists by folder',
      {
        'nodes.json': list('NodeList', ''),
        'bank/pods.json': list('PodList', ''),
        'bank/secrets.json': list('SecretList', item('a')),
      },
      ['nodes', 'pods in bank', 'secrets in shop'],
    ],
    [
      'empty lists by file',
      { 'pods/bank.json': list('PodList', ''), 'pods/shop.json': list('PodList', item('a')) },
      ['pods in shop,bank'],
    ],
    [
      'must-gather folders',
      {
        'cluster-scoped-resources/core/nodes/a.yaml': json('Node'),
        'cluster-scoped-resources/core/nodes/b.yaml': json('Node', 'b'),
        'cluster-scoped-resources/core/persistentvolumes/b.yaml': json('PersistentVolume'),
        'namespaces/apps/core/pods.yaml': list('PodList', ''),
        'namespaces/apps/core/secrets.yaml': list('SecretList', of('apps', 'Secret')),
      },
      ['nodes', 'pods in apps', 'secrets in apps'],
    ],
  ])('is %s', async (_, files, expected) => {
    expect(read(await showFolder(files)).toSorted()).toEqual(expected);
  });

  test('is an object that is alone in its file', async () => {
    const { snapshot } = await showFolder({
      'a.yaml': deployments('bank'),
      'b.yaml': json('Node'),
    });
    expect(snapshot.coverage.asked).toEqual([
      { resource: 'deployments.apps', namespace: 'bank', name: 'web' },
      { resource: 'nodes', namespace: '', name: 'a' },
    ]);
  });

  test('is every kind with its own list, also an empty one', async () => {
    const shown = await showFile(
      'x',
      `${list('PodList', '')}\n{"kind":"NodeList","apiVersion":"v1","items":null}\n---\napiVersion: v1\nkind: SecretList\n---\nkind: FooList\napiVersion: foo.com/v1\nitems: []\n`,
    );
    expect(read(shown)).toEqual(['nodes', 'pods', 'secrets']);
  });

  test('is every kind that can be listed when the input is the whole cluster', async () => {
    const shown = await showFolder({ x: json('Pod') }, { paths: ['x'], complete: true });
    const listable = builtInTypes
      .filter(({ verbs }) => verbs.includes('list'))
      .map(groupResourceOf);
    expect(read(shown)).toEqual([...new Set(listable)].sort());
  });

  test('is not a kind of which only some pages are there', async () => {
    const first = list('PodList', item('a'), '"continue":"abc"');
    const shown = await showFile('x', `${list('NodeList', '')}\n${first}`);
    expect(read(shown)).toEqual(['nodes']);
    expect(shown.problems).toEqual(['truncated x:2']);
    expect(shown.messages.join('\n')).toMatchInlineSnapshot(
      `"truncated x:2: the PodList is one page of several (its metadata.continue is set), and the last one is missing"`,
    );
    const whole = await showFile('x', `${first}\n${list('PodList', item('b'))}`);
    expect([read(whole), whole.problems]).toEqual([['pods in shop'], []]);
  });

  test('is not a kind that was in a part that could not be read', async () => {
    const sound = `${json('Node')}\n${json('Pod')}\n${json('ConfigMap')}\n`;
    const lost = async (more: string): Promise<string[]> => read(await showFile('x', sound + more));
    const [configMaps, pods] = ['configmaps in shop', 'pods in shop'];
    expect(await lost('')).toEqual([configMaps, 'nodes', pods]);
    expect(await lost('---\nkind: Pod\nmetadata: {\n')).toEqual([configMaps, 'nodes']);
    expect(
      await lost('---\nkind: List\nitems:\n- kind: Pod\n  x: [\n- kind: Node\n  x: ]\n'),
    ).toEqual([configMaps]);
    expect(await lost('{"kind":"Pod","x" "y"}')).toEqual([configMaps, 'nodes']);
    expect(await lost(list('PodList', '{"metadata" "x"}'))).toEqual([configMaps, 'nodes']);
    expect(await lost('{"apiVersion":"v1","items":[{"metadata" "x"}],"kind":"PodList"}')).toEqual([
      configMaps,
      'nodes',
    ]);
    expect(await lost('{"kind":"PodList","apiVersion":"v1","items":[{"a":"\n"}]}')).toEqual([
      configMaps,
      'nodes',
    ]);
    expect(await lost('{"kind":"Pod"')).toEqual([]);
    expect((await lost('---\nreplicas: 3\n---\nimage: [\n')).join(' ')).toBe(
      `${configMaps} nodes ${pods}`,
    );
  });

  test('is nothing more when the input is cut off, whatever the caller believes', async () => {
    const packed = gzipSync(`${json('Node')}\n${json('Pod')}\n`, { level: 0 });
    const cut = packed.subarray(0, packed.length - 12);
    expect(read(await showFolder({ x: cut }, { paths: ['x'], complete: true }))).toEqual([]);
  });

  test('is for a saved snapshot what it says itself', async () => {
    const snapshot = snapshotOf([pod('web'), secret('key'), deployment('web')], {
      coverage: {
        read: [{ resource: 'pods', namespaces: ['shop', 'bank'] }, { resource: 'nodes' }],
        asked: [{ resource: 'secrets', namespace: 'shop', name: 'key' }],
        problems: [{ reason: 'forbidden', message: 'secrets are forbidden', resource: 'secrets' }],
      },
    });
    const shown = await showFile('x.json', save(snapshot));
    expect(shown.snapshot.coverage).toEqual(snapshot.coverage);
    expect(shown.snapshot.observedAt).toBe('2026-01-03T00:00:00Z');
    expect(shown.snapshot.serverVersion).toBe('v1.36.3');

    const merged = await showFolder({
      'a.json': save(snapshot),
      'b.json': save(
        snapshotOf([], {
          observedAt: '2026-01-04T00:00:00Z',
          coverage: {
            read: [{ resource: 'pods', namespaces: ['shop', 'mail'] }, { resource: 'secrets' }],
          },
        }),
      ),
      'c.json': list('List', json('Deployment', 'a', 'apps/v1')),
    });
    expect(read(merged)).toEqual([
      'pods in shop,bank,mail',
      'nodes',
      'secrets',
      'deployments.apps in shop',
    ]);
    expect(merged.snapshot.observedAt).toBe('2026-01-04T00:00:00Z');

    const everywhere = await showFolder({
      'a.json': save(snapshot),
      'b.json': list('PodList', `${of('a', 'Pod')},${of('b', 'Pod')}`),
    });
    expect(read(everywhere)).toEqual(['pods', 'nodes']);
  });

  test('excludes a damaged or truncated snapshot, and limits the files beside it', async () => {
    const snapshot = snapshotOf([pod('web'), secret('key')], {
      coverage: { read: [{ resource: 'pods' }, { resource: 'secrets' }] },
    });
    const text = save(snapshot);
    for (const fault of [text.replace('web', 'wab'), text.slice(0, -30)]) {
      const shown = await showFolder({ 'a.json': fault, 'b.json': list('List', json('Node')) });
      expect(read(shown)).toEqual([]);
      expect(shown.objects).toEqual(['b.json:1 v1 Node a']);
    }
  });

  test('takes over the problems of a simulation', async () => {
    const problem = { reason: 'forbidden', message: 'secrets are forbidden' };
    const shown = await showFile(
      'x',
      `{"apiVersion":"kubectl-gc/v1","kind":"Simulation","coverage":{"complete":false,"kinds":1,"objects":1,"problems":[${JSON.stringify(problem)}]},"objects":[${json('Pod')}]}`,
    );
    expect(shown.snapshot.coverage).toEqual({
      read: [{ resource: 'pods', namespaces: ['shop'] }],
      asked: [],
      problems: [problem],
    });
  });
});
