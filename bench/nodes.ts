// Saved crictl output of 200 nodes with 50,000 images between them: what the kubelets would remove.
//   npm run build && node bench/nodes.ts [--nodes 200] [--images 250] [--rounds 7]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Command, inTurns, report } from './in-turns.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string' },
    images: { type: 'string' },
    rounds: { type: 'string' },
  },
});
const nodes = Number(values.nodes ?? 200);
const imagesOfNode = Number(values.images ?? 250);
const rounds = Number(values.rounds ?? 7);
const gigabyte = 2 ** 30;
const measured = Date.parse('2026-01-01T12:00:00Z');
const created = `${measured - 86_400_000}000000`;

const root = new URL('..', import.meta.url).pathname;
const directory = mkdtempSync(join(tmpdir(), 'gc-nodes-'));
try {
  for (let node = 0; node < nodes; node++) {
    const documents = [summary(node), images(node), containers(node)];
    writeFileSync(
      join(directory, `worker-${node}.json`),
      documents.map((one) => JSON.stringify(one, undefined, 2)).join('\n'),
    );
  }
  const gc = (...args: string[]): Command['argv'] => [
    process.execPath,
    join(root, 'bin/kubectl-gc.cjs'),
    ...args,
    '--from',
    directory,
  ];
  const parse = `const fs = require('fs'); let n = 0;
for (const file of fs.readdirSync('${directory}'))
  for (const part of fs.readFileSync('${directory}/' + file, 'utf8').split(/^(?=\\{)/m))
    n += Object.keys(JSON.parse(part)).length;`;
  console.log(`${nodes} nodes, ${nodes * imagesOfNode} images`);
  report(
    await inTurns(
      [
        { name: 'kubectl gc images', argv: gc('images') },
        { name: 'kubectl gc images -o json', argv: gc('images', '-o', 'json') },
        { name: 'kubectl gc containers -o json', argv: gc('containers', '-o', 'json') },
        { name: 'node, reading and parsing only', argv: [process.execPath, '-e', parse] },
      ],
      rounds,
    ),
  );
} finally {
  rmSync(directory, { recursive: true });
}

/** Nine of ten disks are above the high threshold. */
function summary(node: number) {
  const disk = {
    time: new Date(measured).toISOString(),
    capacityBytes: 200 * gigabyte,
    availableBytes: (node % 10 === 0 ? 90 : 25) * gigabyte,
    inodes: 13_107_200,
    inodesFree: 10_000_000,
  };
  return { node: { nodeName: `worker-${node}`, fs: disk, runtime: { imageFs: disk } } };
}

/** Every node has most images of a common stock, and some of its own. */
function images(node: number) {
  return {
    images: Array.from({ length: imagesOfNode }, (_, at) => {
      const digest = digestOf(at < imagesOfNode - 20 ? at : at + node * 20);
      const name = `registry.example.com/team-${at % 30}/service-${at}`;
      return {
        id: digest,
        repoTags: [`${name}:1.${digest.length}.${at < imagesOfNode - 20 ? 0 : node}`],
        repoDigests: [`${name}@${digest}`],
        size: String(((at * 7919) % 900) * 2 ** 20),
        pinned: at === 0,
      };
    }),
  };
}

/** A third of the images are used, half of them by dead containers. */
function containers(node: number) {
  return {
    containers: Array.from({ length: Math.floor(imagesOfNode / 3) }, (_, at) => ({
      id: digestOf(at + node * 1000).slice(7),
      podSandboxId: digestOf(at + 1e6).slice(7),
      metadata: { name: `service-${at}`, attempt: 0 },
      imageId: digestOf(at),
      state: at % 2 === 0 ? 'CONTAINER_RUNNING' : 'CONTAINER_EXITED',
      createdAt: created,
      labels: {
        'io.kubernetes.pod.uid': `00000000-0000-0000-${node}-${at}`,
        'io.kubernetes.pod.namespace': `team-${at % 30}`,
        'io.kubernetes.pod.name': `service-${at}-${node}`,
      },
    })),
  };
}

function digestOf(number: number): string {
  return `sha256:${number.toString(16).padStart(64, '0')}`;
}
