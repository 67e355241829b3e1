import { expect, test } from 'vitest';
import { controlPlaneProgramsIn } from '../../../src/controllers/settings/control-plane-pods.ts';

const manager = 'kube-controller-manager';

function pod(container: object, metadata: object = {}, spec: object = {}) {
  return {
    metadata: { name: 'p', namespace: 'kube-system', ...metadata },
    spec: { nodeName: 'cp-1', containers: [container], ...spec },
  };
}

test.each<[string, object]>([
  ['its label', pod({ name: 'x', command: ['/start'] }, { labels: { component: manager } })],
  ['its container', pod({ name: manager, command: ['/start'] })],
  [
    'its image',
    pod({
      name: 'x',
      image: `example.com:5000/k8s/${manager}:v1.35.1@sha256:0`,
      command: ['/start'],
    }),
  ],
  ['what it starts', pod({ name: 'x', command: ['/hyperkube', manager] })],
])('a pod is known by %s', (_, object) => {
  const found = controlPlaneProgramsIn(object as Record<string, unknown>, 'v1.36.3');
  expect(found.map(({ component, instance }) => [component, instance])).toEqual([
    [manager, 'cp-1'],
  ]);
});

test('a pod may run several programs, whose labels and image name others', () => {
  const containers = [
    { name: 'kube-apiserver', command: ['/start'] },
    { name: 'x', image: `${manager}@sha256:0` },
    { name: 'sidecar' },
  ];
  const labels = { component: 'etcd' };
  const found = controlPlaneProgramsIn(pod({}, { labels }, { containers }), 'v1.36.3');
  expect(found.map(({ component }) => component)).toEqual([manager, 'kube-apiserver']);
});

test('a pod without a Node goes by its own name', () => {
  const [found] = controlPlaneProgramsIn(
    { metadata: { name: 'kcm-0' }, spec: { containers: [{ name: manager }] } },
    undefined,
  );
  expect([found?.instance, found?.readFrom]).toEqual(['kcm-0', 'pod kube-system/kcm-0']);
});

test('others are not, nor are pods that have ended', () => {
  const other = pod({ name: 'etcd', image: 'etcd:3', command: ['etcd', `--name=${manager}`] });
  const logging = pod({ name: 'x', command: ['tail', `--file=/var/log/${manager}`] });
  const ended = ['Failed', 'Succeeded'].map((phase) => ({
    ...pod({ name: manager }),
    status: { phase },
  }));
  expect(
    [other, logging, ...ended].flatMap((one) => controlPlaneProgramsIn(one, 'v1.36.3')),
  ).toEqual([]);
});

test('the version is that of the image, or else of the server', () => {
  const versionOf = (image: string) =>
    controlPlaneProgramsIn(pod({ name: manager, image, command: [manager] }), 'v1.36.3')[0]
      ?.version;
  expect([
    versionOf('kcm:v1.35.1-eks-5'),
    versionOf('kcm:1.34.12'),
    versionOf('kcm:latest'),
  ]).toEqual(['v1.35.1', 'v1.34.12', 'v1.36.3']);
});

interface Start {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

/** The flags of a container with what was written, and why others may have been missed. */
function started(start: Start): Record<string, unknown> {
  const [program] = controlPlaneProgramsIn(pod({ name: manager, ...start }), undefined);
  const { flags = new Map(), unclear } = program?.commandLine ?? {};
  const written = [...flags].map(([name, values]) => [name, values.join(' + ')]);
  return { ...Object.fromEntries(written), ...(unclear !== undefined && { unclear }) };
}

const five = { 'concurrent-gc-syncs': '5' };

test.each<[string, Start, Record<string, unknown>]>([
  ['with =', { command: [manager, '--concurrent-gc-syncs=5'] }, five],
  ['apart', { command: [manager, '--concurrent-gc-syncs', '5'] }, five],
  ['in args', { command: [`/usr/local/bin/${manager}`], args: ['--concurrent-gc-syncs=5'] }, five],
  ['for the program of the image', { args: ['--concurrent-gc-syncs=5'] }, five],
  [
    'for the program of the image, with its name in a value',
    { args: [`--log-file=/var/log/${manager}`, '--concurrent-gc-syncs=5'] },
    five,
  ],
  ['with underscores', { command: [manager, '--concurrent_gc_syncs=5'] }, five],
  [
    'a switch by itself',
    { command: [manager, '--leader-elect', '--concurrent-gc-syncs', '5'] },
    { 'leader-elect': 'true', ...five },
  ],
  [
    'a switch before a word',
    { command: [manager, '--leader-elect', 'x', '--concurrent-gc-syncs=5'] },
    { 'leader-elect': 'true', ...five },
  ],
  [
    'a switch turned off',
    { command: [manager, '--enable-garbage-collector=false'] },
    { 'enable-garbage-collector': 'false' },
  ],
  [
    'repeated',
    { command: [manager, '--controllers=*', '--controllers', '-ttl'] },
    { controllers: '* + -ttl' },
  ],
  ['without a value', { command: [manager, '--concurrent-gc-syncs'] }, {}],
  [
    'what looks like a flag, as upstream takes it',
    { command: [manager, '--feature-gates', '--v=2'] },
    { 'feature-gates': '--v=2' },
  ],
  [
    'beside flags that no setting is about',
    { command: [manager, '--unheard-of', 'x', '-v4', '--concurrent-gc-syncs=5', '--last'] },
    five,
  ],
  [
    'after a wrapper that is told its name',
    { command: ['/wrapper', '--name', manager, `/usr/bin/${manager}`, '--concurrent-gc-syncs=5'] },
    five,
  ],
  ['after --', { command: [manager, '--concurrent-gc-syncs=5', '--', '--controllers=*'] }, five],
  [
    'behind a wrapper',
    { command: ['/go-runner', '--x=/x', manager, '--controllers=*'] },
    {
      controllers: '*',
    },
  ],
  [
    'of a shell',
    { command: ['/bin/sh', '-ec', `exec ${manager} --v=2`, manager, '--v=3'] },
    { unclear: 'a shell starts it, and scripts are not read' },
  ],
  [
    'of a command that is a flag',
    { command: ['--concurrent-gc-syncs=5'] },
    { unclear: `it starts --concurrent-gc-syncs=5, which is not ${manager}` },
  ],
  ['of nothing at all', {}, { unclear: 'the image decides how it is started' }],
  [
    'of another program',
    { command: ['/opt/start'] },
    { unclear: `it starts /opt/start, which is not ${manager}` },
  ],
  [
    'of arguments that are no flags',
    { args: ['serve'] },
    { unclear: `it starts serve, which is not ${manager}` },
  ],
])('flags %s', (_, start, expected) => {
  expect(started(start)).toEqual(expected);
});
