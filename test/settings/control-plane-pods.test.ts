import { expect, test } from 'vitest';
import { controlPlanePodsIn, leaderOf } from '../../src/settings/control-plane-pods.ts';
import { rowsOf } from '../support/rows.ts';

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
])('recognizes a pod by %s', (_, object) => {
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

test('other Pods, and Pods that have ended, are no control plane Pods', () => {
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
const apiServer = controlPlanePodsIn(pod({ name: 'kube-apiserver' }), 'v1.36.3');

/** Who replicates, whom the Lease names, at which second of twelve o'clock, and who leads or why that is unknown. */
const leaders = rowsOf(`
  none of which a pod is seen                     |               |               | 05 | sole
  the only one, without a Lease                  | a             | no Lease      | 05 | sole
  one whose Node has its domain                  | a.example.com b | a_1         | 05 | a.example.com
  one with its domain                            | a b           | a.example.com_1 | 05 | a
  none whose name only begins or ends so         | aa x.a        | a_1           | 05 | names a, of which no pod was seen
  another one, at a time that is not known       | a b           | c_1           |    | names c, of which no pod was seen
  the only one, and the leader before it is gone | a             | c_1           | 16 | sole
  one of two                                     | a b           | b_1-2         | 05 | b
  one with an underscore in its name             | a_b a         | a_b_1-2       | 05 | a_b
  two, without a Lease                           | a b           | no Lease      | 05 | could not be read
  two, none of them leading                      | a b           |               | 05 | names no leader
  two, and the leader is gone                    | a b           | c_1           | 16 | has expired
  one, and another one leads                     | a             | c_1           | 05 | names c, of which no pod was seen
`);

test.each(leaders)('who leads: %s', (_, nodes = '', holder = '', second, expected = '') => {
  const written = `Lease kube-system/${manager}`;
  const pods = [...replicas(...nodes.split(' ').filter(Boolean)), ...apiServer];
  const now = second ? `2026-01-01T12:00:${second}Z` : undefined;
  const leader = leaderOf(pods, holder === 'no Lease' ? undefined : lease(holder), now);
  if (leader.kind === 'sole') expect(expected).toBe('sole');
  else if (leader.kind === 'known')
    expect(leader).toEqual({ kind: 'known', instance: expected, lease: written });
  else {
    const elsewhere = expected.startsWith('names ') &&
      expected !== 'names no leader' && { elsewhere: true };
    expect(leader).toEqual({ kind: 'unknown', because: `${written} ${expected}`, ...elsewhere });
  }
});
