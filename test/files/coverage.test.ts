import { crc32, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { groupResourceOf } from '../../src/kube/resource-type.ts';
import { encodeSnapshot } from '../../src/snapshot/saved-snapshot.ts';
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
  test('is every kind with an object, everywhere', async () => {
    const shown = await showFile(
      'x',
      `${json('Pod')}${json('Deployment', 'a', 'apps/v1')}${json('Pod', 'b')}`,
    );
    expect(shown.snapshot.coverage).toEqual({
      read: [{ resource: 'deployments.apps' }, { resource: 'pods' }],
      asked: [],
      problems: [],
    });
  });

  test('is every kind with a list of its own, also an empty one', async () => {
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
    const shown = await showFile('x', `${json('Node')}\n${first}`);
    expect(read(shown)).toEqual(['nodes']);
    expect(shown.problems).toEqual([
      'truncated x:2: the PodList is one page of several (its metadata.continue is set), and the last one is missing',
    ]);
    const whole = await showFile('x', `${first}\n${list('PodList', item('b'))}`);
    expect([read(whole), whole.problems]).toEqual([['pods'], []]);
  });

  test('is not a kind that was in a part that could not be read', async () => {
    const sound = `${json('Node')}\n${json('Pod')}\n${json('ConfigMap')}\n`;
    const lost = async (more: string): Promise<string[]> => read(await showFile('x', sound + more));
    expect(await lost('')).toEqual(['configmaps', 'nodes', 'pods']);
    expect(await lost('---\nkind: Pod\nmetadata: {\n')).toEqual(['configmaps', 'nodes']);
    expect(
      await lost('---\nkind: List\nitems:\n- kind: Pod\n  x: [\n- kind: Node\n  x: ]\n'),
    ).toEqual(['configmaps']);
    expect(await lost('{"kind":"Pod","x" "y"}')).toEqual(['configmaps', 'nodes']);
    expect(await lost(list('PodList', '{"metadata" "x"}'))).toEqual(['configmaps', 'nodes']);
    expect(await lost('{"apiVersion":"v1","items":[{"metadata" "x"}],"kind":"PodList"}')).toEqual([
      'configmaps',
      'nodes',
    ]);
    expect(await lost('{"kind":"PodList","apiVersion":"v1","items":[{"a":"\n"}]}')).toEqual([
      'configmaps',
      'nodes',
    ]);
    expect(await lost('{"kind":"Pod"')).toEqual([]);
    expect((await lost('---\nreplicas: 3\n---\nimage: [\n')).join(' ')).toBe(
      'configmaps nodes pods',
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
      'c.json': json('Deployment', 'a', 'apps/v1'),
    });
    expect(read(merged)).toEqual([
      'pods in shop,bank,mail',
      'nodes',
      'secrets',
      'deployments.apps',
    ]);
    expect(merged.snapshot.observedAt).toBe('2026-01-04T00:00:00Z');

    const everywhere = await showFolder({ 'a.json': save(snapshot), 'b.json': json('Pod') });
    expect(read(everywhere)).toEqual(['pods', 'nodes']);
  });

  test('is nothing of a snapshot that is damaged or cut off, and less of what is beside it', async () => {
    const snapshot = snapshotOf([pod('web'), secret('key')], {
      coverage: { read: [{ resource: 'pods' }, { resource: 'secrets' }] },
    });
    const text = save(snapshot);
    for (const fault of [text.replace('web', 'wab'), text.slice(0, -30)]) {
      const shown = await showFolder({ 'a.json': fault, 'b.json': json('Node') });
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
      read: [{ resource: 'pods' }],
      asked: [],
      problems: [problem],
    });
  });
});
