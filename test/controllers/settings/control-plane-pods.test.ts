import { expect, test } from 'vitest';
import {
  type ControlPlanePod,
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
const [soon, late] = ['2026-01-01T12:00:05Z', '2026-01-01T12:00:16Z'];
const apiServer = controlPlanePodsIn(pod({ name: 'kube-apiserver' }), 'v1.36.3');
const unseen = 'of which no pod was seen';

test.each<[string, ControlPlanePod[], string | undefined, string | undefined, string]>([
  ['nobody', [], undefined, soon, 'sole'],
  ['the only one, without a Lease', replicas('a'), undefined, soon, 'sole'],
  ['the only one, beside an API server', [...replicas('a'), ...apiServer], undefined, soon, 'sole'],
  ['one whose Node has its domain', replicas('a.example.com', 'b'), 'a_1', soon, 'a.example.com'],
  ['one with its domain', replicas('a', 'b'), 'a.example.com_1', soon, 'a'],
  [
    'none whose name only begins or ends so',
    replicas('aa', 'x.a'),
    'a_1',
    soon,
    `names a, ${unseen}`,
  ],
  [
    'another one, at a time that is not known',
    replicas('a', 'b'),
    'c_1',
    undefined,
    `names c, ${unseen}`,
  ],
  ['the only one, and the leader before it is gone', replicas('a'), 'c_1', late, 'sole'],
  ['one of two', replicas('a', 'b'), 'b_1-2', soon, 'b'],
  ['one with an underscore in its name', replicas('a_b', 'a'), 'a_b_1-2', soon, 'a_b'],
  ['two, without a Lease', replicas('a', 'b'), undefined, soon, 'could not be read'],
  ['two, none of them leading', replicas('a', 'b'), '', soon, 'names no leader'],
  ['two, and the leader is gone', replicas('a', 'b'), 'c_1', late, 'has expired'],
  ['one, and another one leads', replicas('a'), 'c_1', soon, `names c, ${unseen}`],
])('who leads: %s', (_, pods, holder, now, expected) => {
  const written = `Lease kube-system/${manager}`;
  const leader = leaderOf(pods, holder === undefined ? undefined : lease(holder), now);
  if (leader.kind === 'sole') expect(expected).toBe('sole');
  else if (leader.kind === 'known')
    expect(leader).toEqual({ ...leader, instance: expected, lease: written });
  else {
    const elsewhere = expected.endsWith(unseen) && { elsewhere: true };
    expect(leader).toEqual({ kind: 'unknown', because: `${written} ${expected}`, ...elsewhere });
  }
});
