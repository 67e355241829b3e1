import { expect, test } from 'vitest';
import {
  controlPlanePodsIn,
  leaderOf,
} from '../../../src/controllers/settings/control-plane-pods.ts';

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
  const found = controlPlanePodsIn(object as Record<string, unknown>, 'v1.36.3');
  expect(found.map(({ program, hosts }) => [program.component, program.instance, hosts])).toEqual([
    [manager, 'cp-1', ['cp-1', 'p']],
  ]);
});

test('a pod may run several programs, whose labels and image name others', () => {
  const containers = [
    { name: 'kube-apiserver', command: ['/start'] },
    { name: 'x', image: `${manager}@sha256:0` },
    { name: 'sidecar' },
  ];
  const labels = { component: 'etcd' };
  const found = controlPlanePodsIn(pod({}, { labels }, { containers }), 'v1.36.3');
  expect(found.map(({ program }) => program.component)).toEqual([manager, 'kube-apiserver']);
});

test('a pod without a Node goes by its own name, and its host by all names that it has', () => {
  const [found] = controlPlanePodsIn(
    { metadata: { name: 'kcm-0' }, spec: { hostname: 'kcm', containers: [{ name: manager }] } },
    undefined,
  );
  expect([found?.program.instance, found?.program.readFrom, found?.hosts]).toEqual([
    'kcm-0',
    'pod kube-system/kcm-0',
    ['kcm', 'kcm-0'],
  ]);
});

test('others are not, nor are pods that have ended', () => {
  const other = pod({ name: 'etcd', image: 'etcd:3', command: ['etcd', `--name=${manager}`] });
  const logging = pod({ name: 'x', command: ['tail', `--file=/var/log/${manager}`] });
  const ended = ['Failed', 'Succeeded'].map((phase) => ({
    ...pod({ name: manager }),
    status: { phase },
  }));
  expect([other, logging, ...ended].flatMap((one) => controlPlanePodsIn(one, 'v1.36.3'))).toEqual(
    [],
  );
});

test('the version is that of the image, or else of the server', () => {
  const versionOf = (image: string) =>
    controlPlanePodsIn(pod({ name: manager, image, command: [manager] }), 'v1.36.3')[0]?.program
      .version;
  expect([
    versionOf('kcm:v1.35.1-eks-5'),
    versionOf('kcm:1.34.12'),
    versionOf('kcm:latest'),
  ]).toEqual(['v1.35.1', 'v1.34.12', 'v1.36.3']);
});

const replicas = (...nodes: readonly string[]) =>
  nodes.flatMap((nodeName) =>
    controlPlanePodsIn(
      pod({ name: manager, command: [manager] }, { name: `kcm-${nodeName}` }, { nodeName }),
      'v1.36.3',
    ),
  );
const lease = (holderIdentity: string) => ({
  spec: { holderIdentity, renewTime: '2026-01-01T12:00:00.000000Z', leaseDurationSeconds: 15 },
});
const written = `Lease kube-system/${manager}`;
const now = '2026-01-01T12:00:05Z';

test.each<[string, Parameters<typeof leaderOf>, ReturnType<typeof leaderOf>]>([
  ['nobody', [[], undefined, now], { kind: 'sole' }],
  ['the only one, without a Lease', [replicas('a'), undefined, now], { kind: 'sole' }],
  [
    'the only one, beside an API server',
    [
      [...replicas('a'), ...controlPlanePodsIn(pod({ name: 'kube-apiserver' }), 'v1.36.3')],
      undefined,
      now,
    ],
    { kind: 'sole' },
  ],
  [
    'one whose Node has its domain, where the Lease does not',
    [replicas('a.example.com', 'b'), lease('a_1'), now],
    { kind: 'known', instance: 'a.example.com', lease: written },
  ],
  [
    'none whose name only begins or ends so',
    [replicas('aa', 'x.a'), lease('a_1'), now],
    { kind: 'unknown', because: `${written} names a, of which no pod was seen`, elsewhere: true },
  ],
  [
    'another one, at a time that is not known',
    [replicas('a', 'b'), lease('c_1'), undefined],
    { kind: 'unknown', because: `${written} names c, of which no pod was seen`, elsewhere: true },
  ],
  [
    'the only one, and the leader before it is gone',
    [replicas('a'), lease('c_1'), '2026-01-01T12:00:16Z'],
    { kind: 'sole' },
  ],
  [
    'one of two',
    [replicas('a', 'b'), lease('b_1-2'), now],
    { kind: 'known', instance: 'b', lease: written },
  ],
  [
    'one with an underscore in its name',
    [replicas('a_b', 'a'), lease('a_b_1-2'), now],
    { kind: 'known', instance: 'a_b', lease: written },
  ],
  [
    'one with its domain',
    [replicas('a', 'b'), lease('a.example.com_1'), now],
    { kind: 'known', instance: 'a', lease: written },
  ],
  [
    'two, without a Lease',
    [replicas('a', 'b'), undefined, now],
    { kind: 'unknown', because: `${written} could not be read` },
  ],
  [
    'two, none of them leading',
    [replicas('a', 'b'), lease(''), now],
    { kind: 'unknown', because: `${written} names no leader` },
  ],
  [
    'two, and the leader is gone',
    [replicas('a', 'b'), lease('c_1'), '2026-01-01T12:00:16Z'],
    { kind: 'unknown', because: `${written} has expired` },
  ],
  [
    'one, and another one leads',
    [replicas('a'), lease('c_1'), now],
    { kind: 'unknown', because: `${written} names c, of which no pod was seen`, elsewhere: true },
  ],
])('who leads: %s', (_, question, leader) => {
  expect(leaderOf(...question)).toEqual(leader);
});
