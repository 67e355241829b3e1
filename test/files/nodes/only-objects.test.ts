import { expect, test } from 'vitest';
import { validDocument } from '../../contract/valid-document.ts';
import { gcHere } from '../../support/run-here.ts';
import { savedOutput } from './saved-output.ts';

const output = savedOutput();
const write = (name: string, ...documents: readonly unknown[]) =>
  output.write(name, documents.map((one) => JSON.stringify(one)).join('\n'));

function pod(name: string, spec: object, status: object) {
  const metadata = { name, namespace: 'shop', uid: name };
  return { kind: 'Pod', metadata, spec: { nodeName: 'w', ...spec }, status };
}

async function nodeIn(path: string) {
  const { stdout } = await gcHere(`images --from ${path} -o json`);
  return validDocument('images', stdout).nodes[0];
}

const pods = [
  pod(
    'web',
    {
      initContainers: [{ name: 'load', image: 'registry.io/load@sha256:2' }],
      containers: [{ name: 'web', image: 'web' }],
    },
    { phase: 'Pending' },
  ),
  // Its kubelet has refused it, and has made no container of it.
  pod('late', { containers: [{ name: 'app', image: 'late:1' }] }, { phase: 'Failed' }),
  // Its container is known to wait: there is none yet.
  pod(
    'slow',
    { containers: [{ name: 'app', image: 'slow:1' }] },
    { phase: 'Pending', containerStatuses: [{ name: 'app', state: { waiting: {} } }] },
  ),
  pod('moved', { containers: [{ name: 'app', image: 'moved:9' }] }, { phase: 'Running' }),
];

test('images in the spec of a pod without statuses are in use, and other names are reported', async () => {
  const names = ['docker.io/library/web:latest', 'other.io/load@sha256:2', 'late:1', 'slow:1'];
  const images = names.map((name, at) => ({
    id: `sha256:${at}`,
    repoTags: name.includes('@') ? [] : [name],
    repoDigests: name.includes('@') ? [name] : [],
    size: '10',
    pinned: false,
  }));
  const node = await nodeIn(write('w.txt', { images }, { kind: 'List', items: pods }));
  const lines = node.images.map(
    (one: { names: string[]; because: string }) => `${one.names[0]}: ${one.because}`,
  );
  const moved = node.remarks.filter((remark: string) => remark.includes('moved:9'));
  expect([...lines, ...moved].join('\n')).toMatchInlineSnapshot(`
    "late:1: unused; how full the disk is was not read
    slow:1: unused; how full the disk is was not read
    docker.io/library/web:latest: in use by container web in the spec of shop/web
    other.io/load@sha256:2: in use by container load in the spec of shop/web
    none of these images is called moved:9, as the spec of shop/moved says of container app: which one it uses is not known"
  `);
});

test('the word of the runtime on a pod without statuses counts before its spec', async () => {
  const node = {
    kind: 'Node',
    metadata: { name: 'w' },
    status: { images: [{ names: ['web:latest'] }, { names: ['moved:9'] }] },
  };
  const labels = { 'io.kubernetes.pod.uid': 'web' };
  const container = { id: 'c1', metadata: { name: 'web' }, imageId: 'sha256:0', labels };
  const path = write(
    'w.json',
    { containers: [{ ...container, state: 'CONTAINER_RUNNING' }] },
    { kind: 'List', items: [node, ...pods] },
  );
  const { images } = await nodeIn(path);
  expect(images.map((one: { because: string }) => one.because).join('\n')).toMatchInlineSnapshot(`
    "unused; how full the disk is was not read
    in use by container web in the spec of shop/web"
  `);
});

test('the disk usage in Events of a kubelet is shown beside the measured usage, and instead of it', async () => {
  const condition = (type: string, status: string) => ({
    type,
    status,
    lastTransitionTime: '2026-01-01T00:00:00Z',
    message: `kubelet says ${status}`,
  });
  const node = (name: string, status: string) => ({
    kind: 'Node',
    metadata: { name },
    status: {
      images: [{ names: ['web:1'], sizeBytes: 1 }],
      conditions: [condition('MemoryPressure', 'True'), condition('DiskPressure', status)],
    },
  });
  const event = (reason: string, more: object) => ({ kind: 'Event', reason, ...more });
  const about = (name: string) => ({ kind: 'Node', name });
  const items = [
    node('full', 'True'),
    node('silent', 'Unknown'),
    event('FreeDiskSpaceFailed', {
      regarding: about('full'),
      eventTime: '2026-01-05T00:00:00.000000Z',
      series: { count: 2, lastObservedTime: '2026-01-05T11:57:00.000000Z' },
      note: 'freed 0 bytes',
      reportingController: 'kubelet',
    }),
    event('FreeDiskSpaceFailed', {
      involvedObject: about('full'),
      lastTimestamp: '2026-01-04T00:00:00Z',
      message: 'freed 7 bytes',
      source: { component: 'kubelet' },
    }),
    event('Rebooted', { involvedObject: about('full'), message: 'no disk' }),
    event('ImageGCFailed', {
      involvedObject: about('silent'),
      lastTimestamp: null,
      message: 'no\nstatistics',
    }),
  ];
  const imageFs = { capacityBytes: 100, availableBytes: 50 };
  const summary = { node: { nodeName: 'full', fs: imageFs, runtime: { imageFs } } };
  const path = write('cluster.json', summary, { kind: 'List', items });
  const { stdout } = await gcHere(`images --from ${path} --now 2026-01-05T12:00:00Z`);
  const told = stdout.split('\n').filter((line) => /^Node|^ {2}(disk|evidence):/.test(line));
  expect(told.join('\n')).toMatchInlineSnapshot(`
    "Node full: the next pass removes nothing
      disk: 50% of 100 B used, 50 B available
      evidence: DiskPressure since 4d12h ago, reported by the kubelet: kubelet says True
      evidence: FreeDiskSpaceFailed 3m ago, reported by the kubelet: freed 0 bytes
    Node silent: the next pass may remove 0 to 1 image and free 0 B to 1 B
      disk: not known; this was reported of it, and may have changed since
      evidence: ImageGCFailed at an unknown time, reported by an unknown program: no^Jstatistics"
  `);
  expect((await nodeIn(path)).reports).toEqual([
    {
      kind: 'Condition',
      name: 'DiskPressure',
      time: '2026-01-01T00:00:00Z',
      message: 'kubelet says True',
      reportedBy: 'kubelet',
    },
    {
      kind: 'Event',
      name: 'FreeDiskSpaceFailed',
      time: '2026-01-05T11:57:00.000000Z',
      message: 'freed 0 bytes',
      reportedBy: 'kubelet',
    },
  ]);
});
