import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fromNodeFiles } from '../../../src/files/nodes/from-node-files.ts';
import { gcHere } from '../../support/run-here.ts';
import { savedOutput } from './saved-output.ts';

const bundle = readFileSync('examples/nodes/worker-1.txt', 'utf8');
const { at, write } = savedOutput();
const text = (value: unknown) => JSON.stringify(value);

test('output that PowerShell saved, in UTF-16, is read', async () => {
  const path = write('utf-16/worker-1.txt', Buffer.from(`\uFEFF${bundle}`, 'utf16le'));
  expect(await fromNodeFiles([path])).toEqual(
    await fromNodeFiles([write('utf-8/worker-1.txt', bundle)]),
  );
});

describe('output of another crictl', () => {
  const image = { id: 'sha256:a', repoDigests: ['web@sha256:1'], size: 1024 };

  test('from before pins, with a number for the size and no tags', async () => {
    const ps = {
      containers: [{ id: 'c1', imageRef: 'sha256:a', createdAt: '2026-01-01T12:00:00Z' }],
    };
    write('before-pins/images.json', { images: [image, { ...image, id: 'sha256:b', size: '7' }] });
    write('before-pins/ps.json', ps);
    const [facts] = await fromNodeFiles([at('before-pins')]);
    expect([facts?.images, facts?.containers?.[0]?.createdAt, facts?.problems]).toEqual([
      [
        { id: 'sha256:a', names: ['web@sha256:1'], size: 1024, pinned: undefined },
        { id: 'sha256:b', names: ['web@sha256:1'], size: 7, pinned: undefined },
      ],
      Date.parse('2026-01-01T12:00:00Z'),
      [],
    ]);
  });

  test('from before pins, never makes it certain that an image goes', async () => {
    const path = write('unpinned/worker-1.txt', bundle.replace(/,\s*"pinned": \w+/g, ''));
    const { stdout } = await gcHere(`images --from ${path} -o json`);
    const [node] = JSON.parse(stdout).nodes;
    expect(node.images.map(({ fate }: { fate: string }) => fate)).not.toContain('removed');
    expect(node.remarks[0]).toMatchInlineSnapshot(
      `"this crictl does not show the images that the runtime pins: a newer one does"`,
    );
  });

  test('that does not print the ids of images: images are recognized by their names', async () => {
    const name = 'example.com/web@sha256:1';
    const images = [{ ...image, pinned: false, repoDigests: [name] }];
    const container = { id: 'c1', metadata: { name: 'web' }, state: 'CONTAINER_RUNNING' };
    const ps = (given: object) => ({ containers: [{ ...container, ...given }] });
    write('names/cri-o/images.json', { images });
    write('names/cri-o/ps.json', ps({ imageRef: name }));
    write('names/status/ps.json', ps({ imageRef: 'sha256:a', imageId: 'sha256:a' }));
    const status = {
      containerStatuses: [
        { name: 'web', containerID: 'cri-o://c1', image: name, state: { running: {} } },
      ],
    };
    write('names/cluster.json', {
      kind: 'List',
      items: [
        { kind: 'Node', metadata: { name: 'status' }, status: { images: [{ names: [name] }] } },
        { kind: 'Pod', metadata: { uid: 'u' }, spec: { nodeName: 'status' }, status },
      ],
    });
    const { stdout, stderr } = await gcHere(`images --from ${at('names')} -o json`);
    type Item = { node: string; images: { because: string }[] };
    const nodes = (JSON.parse(stdout).nodes as Item[]).map(({ node, images }) => [
      node,
      ...images.map(({ because }) => because),
    ]);
    expect([nodes, stderr]).toEqual([
      [
        ['cri-o', expect.stringMatching(/^in use .* web$/)],
        ['status', expect.stringMatching(/^in use .* web$/)],
      ],
      '',
    ]);
  });

  test('without sizes, and twice in one file', async () => {
    const { size, ...bare } = image;
    const path = write(
      'twice.json',
      [{ images: [image] }, { images: [bare] }].map(text).join('\n'),
    );
    const [facts] = await fromNodeFiles([path]);
    expect([size, facts?.images?.[0]?.size]).toEqual([1024, 0]);
    const messages = facts?.problems.map(({ message }) => message.replace(path, 'twice.json'));
    expect(messages?.join('\n')).toMatchInlineSnapshot(`
      "twice.json contains the images of a node more than once: the last one counts
      crictl images gives no size for 1 image, which counts as 0 bytes"
    `);
  });
});

describe('what belongs to another node', () => {
  const other = readFileSync('examples/nodes/worker-2.txt', 'utf8');
  const part = (source: string, from: string, to: string) =>
    source.slice(source.indexOf(from), source.indexOf(to));
  const images = (source: string) => part(source, '{\n "images"', '{\n "containers"');

  test('containers beside images of another node make nothing certain', async () => {
    write('mixed/n/images.txt', images(other));
    write('mixed/n/rest.txt', bundle.replace(images(bundle), ''));
    const { code, stdout, stderr } = await gcHere(`images --from ${at('mixed')} -o json`);
    const [node] = JSON.parse(stdout).nodes;
    expect([code, node.images.map(({ fate }: { fate: string }) => fate)]).toEqual([
      0,
      expect.not.arrayContaining(['removed']),
    ]);
    expect(stderr).toMatch(/ not among .* images/);
  });

  test('a file may have any name: the pods name its node', async () => {
    const path = write('renamed/my-node.txt', bundle);
    const [facts, ...others] = await fromNodeFiles([path]);
    const [whole] = await fromNodeFiles(['examples/nodes/worker-1.txt']);
    expect([facts, others]).toEqual([{ ...whole, node: 'my-node' }, []]);
  });

  test('a file under the name of another node of the cluster is no word on gone pods', async () => {
    const pods = part(other, '{\n "apiVersion": "v1"', 'apiVersion: kubelet.config');
    const path = write('misnamed/worker-2.txt', `${bundle}\n`);
    const [, misnamed] = await fromNodeFiles([path, write('misnamed-pods.json', pods)]);
    expect([misnamed?.node, misnamed?.pods]).toEqual(['worker-2', undefined]);
    expect(
      misnamed?.problems.map(({ reason, message }) => `${reason}: ${message}`).join('\n'),
    ).toMatchInlineSnapshot(
      `"unreadable: the saved output of node worker-2 lists containers of node worker-1: it does not show which Pods were deleted"`,
    );
  });
});
