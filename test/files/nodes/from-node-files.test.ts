import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { fromNodeFiles } from '../../../src/files/nodes/from-node-files.ts';
import { gcHere } from '../../support/run-here.ts';
import { savedOutput } from './saved-output.ts';

const bundle = readFileSync('examples/nodes/worker-1.txt', 'utf8');
const { at, write } = savedOutput();

const crictlImages = (id: string) => ({
  images: [{ id, repoTags: ['<none>:<none>'], repoDigests: [], size: '1024', pinned: false }],
});
const crictlPs = {
  containers: [
    {
      id: 'c1',
      podSandboxId: 's1',
      metadata: { name: 'web', attempt: 0 },
      imageRef: 'sha256:a',
      state: 'CONTAINER_EXITED',
      createdAt: '1767268800123456789',
      labels: { 'io.kubernetes.pod.uid': 'u1' },
    },
  ],
};

describe('saved output', () => {
  test('of one node in one file', async () => {
    const [facts, ...others] = await fromNodeFiles(['examples/nodes/worker-1.txt']);
    expect(others).toEqual([]);
    expect({
      node: facts?.node,
      observedAt: facts?.observedAt,
      images: facts?.images?.length,
      containers: facts?.containers?.length,
      sandboxes: facts?.sandboxes?.length,
      imageFs: facts?.imageFs?.capacityBytes,
      layout: facts?.layout,
      settingsSource: facts?.settingsSource,
      problems: facts?.problems,
    }).toEqual({
      node: 'worker-1',
      observedAt: '2026-01-01T12:00:00.000Z',
      images: 10,
      containers: 6,
      sandboxes: 4,
      imageFs: 40 * 2 ** 30,
      layout: 'one-filesystem',
      settingsSource: 'file',
      problems: [],
    });
  });

  test('is the same when it is packed', async () => {
    const path = write('packed/worker-1.txt.gz', gzipSync(bundle));
    expect(await fromNodeFiles([path])).toEqual(
      await fromNodeFiles(['examples/nodes/worker-1.txt']),
    );
  });

  test('of one node in a folder, one file for each output, whatever they are called', async () => {
    write('several/node-a/1.json', crictlImages('sha256:a'));
    write('several/node-a/2.json', crictlPs);
    write('several/node-b/x.json', crictlImages('sha256:b'));
    const facts = await fromNodeFiles([at('several')]);
    expect(facts.map(({ node, images, containers }) => [node, images?.[0], containers])).toEqual([
      [
        'node-a',
        { id: 'sha256:a', names: [], size: 1024, pinned: false },
        [
          {
            id: 'c1',
            name: 'web',
            podUid: 'u1',
            pod: '',
            sandboxId: 's1',
            state: 'exited',
            createdAt: 1767268800123.4568,
            withoutId: true,
            imageRefs: ['sha256:a'],
          },
        ],
      ],
      ['node-b', { id: 'sha256:b', names: [], size: 1024, pinned: false }, undefined],
    ]);
  });

  test('of kubectl get nodes,pods', async () => {
    const items = [
      {
        kind: 'Node',
        metadata: { name: 'n1' },
        status: { images: [{ names: ['web:1'], sizeBytes: 5 }] },
      },
      { kind: 'Node', metadata: { name: 'n2' }, status: {} },
      { kind: 'Pod', metadata: { name: 'p', namespace: 'd', uid: 'u' }, spec: { nodeName: 'n1' } },
    ];
    const facts = await fromNodeFiles([write('cluster.json', { kind: 'List', items })]);
    expect(facts.map(({ node, pods, imagesSource }) => [node, pods?.length, imagesSource])).toEqual(
      [
        ['n1', 1, 'api'],
        ['n2', 0, 'api'],
      ],
    );
  });
});

describe('bad input', () => {
  test('a document that is cut off is said, and the rest is used', async () => {
    const cut = bundle.slice(0, bundle.indexOf('"containers"') + 200);
    const [facts] = await fromNodeFiles([write('cut.txt', cut)]);
    expect([facts?.images?.length, facts?.containers]).toEqual([10, undefined]);
    expect(facts?.problems).toMatchObject([{ reason: 'truncated', path: at('cut.txt') }]);
  });

  test('is refused, and says what it was given', async () => {
    const contents = {
      'other.json': '{"kind": "ConfigMap", "metadata": {"name": "a"}}',
      'cut.json': '{"images": [',
      'broken.json': '{"images": nope}',
      'words.txt': 'FATA[0000] validate service connection',
      'broken.yaml': 'kind: [',
      'empty.json': '',
      'login.json': '<!DOCTYPE html><html></html>',
    };
    const told = new Set<string>();
    for (const [name, content] of Object.entries(contents)) {
      const path = write(`bad/${name}`, content);
      const { code, stdout, stderr } = await gcHere(`images --from ${path}`);
      expect([code, stdout], name).toEqual([3, '']);
      for (const line of stderr.replaceAll(path, name).split('\n')) told.add(line);
    }
    expect([...told].join('\n')).toMatchInlineSnapshot(`
      "error: no node's images or containers could be read from other.json: other.json does not list the images or containers of a node
        Save them on the node: { crictl images -o json; crictl ps -a -o json; crictl pods -o json; crictl imagefsinfo -o json; } > NODE.json
        Or save what the API server knows in a file.
        It prints that with: kubectl get nodes,pods -A -o json

      error: no node's images or containers could be read from cut.json: cut.json, line 1: it ends in the middle of a JSON document
      error: no node's images or containers could be read from broken.json: broken.json, line 1: what begins there is not JSON
      error: no node's images or containers could be read from words.txt: words.txt does not list the images or containers of a node
      error: no node's images or containers could be read from broken.yaml: broken.yaml, line 1: what begins there is not YAML
      error: no node's images or containers could be read from empty.json: empty.json does not list the images or containers of a node
      error: no node's images or containers could be read from login.json: login.json does not list the images or containers of a node"
    `);
  });

  test('a node of which nothing was saved', async () => {
    expect(await gcHere('images worker-9 --from examples/nodes')).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^error: .* node worker-9\n {2}.*: worker-1, worker-2\.\n$/),
    });
  });
});

describe('wrong usage', () => {
  test.each([
    ['images', 'You must name the nodes.'],
    ['images --all worker-1', 'nodes are named, and chosen by --all or -l as well'],
    ['images --from examples/nodes -l a=b', '-l needs a cluster'],
    ['images --from examples/nodes -o tree', 'output format "tree"'],
  ])('%s', async (line, message) => {
    const { code, stdout, stderr } = await gcHere(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});

test('without Pods, results that depend on Pods are uncertain', async () => {
  const start = bundle.indexOf('{\n "apiVersion": "v1"');
  const end = bundle.indexOf('apiVersion: kubelet.config');
  const path = write('without-pods.txt', bundle.slice(0, start) + bundle.slice(end));
  const fates = async (question: string, kind: string) => {
    const { stdout } = await gcHere(`${question} -o json`);
    const items: { fate: string; names?: string[]; name?: string }[] =
      JSON.parse(stdout).nodes[0][kind];
    return items
      .filter(({ fate }) => fate !== 'kept')
      .map(({ fate, names, name }) => `${name ?? names?.[0]?.replace(/.*\//, '')} ${fate}`);
  };
  const images = ['postgres:16.4', 'web:4.1.0', 'web:4.0.3', 'cart:2.6.0', 'busybox:1.36'];
  const whole = 'examples/nodes/worker-1.txt';
  expect(await fates(`images --from ${whole}`, 'images')).toEqual(
    images.map((name) => `${name} removed`),
  );
  expect(await fates(`images --from ${path}`, 'images')).toEqual(
    images.map((name) => `${name} may-be-removed`),
  );
  expect(await fates(`containers --from ${whole}`, 'containers')).toEqual([
    'reports removed',
    'cart removed',
  ]);
  expect(await fates(`containers --from ${path}`, 'containers')).toEqual([
    'cart removed',
    'reports may-be-removed',
  ]);
});
