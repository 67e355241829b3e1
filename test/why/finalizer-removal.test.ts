import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { rowsOf } from '../support/rows.ts';
import {
  account,
  bound,
  clusterRole,
  database,
  finalizer,
  found,
  lease,
  program,
  readAt,
  role,
  rule,
} from './database-stage.ts';

const removal = (name: string) =>
  `PATCH Database/d test /metadata/finalizers/0 ${name}, remove /metadata/finalizers/0`;
/** State and cause of the link, its programs with how much shows that they remove the finalizer, and the step. */
const told = ({ state, cause, programs, fix }: Awaited<ReturnType<typeof found>>) => ({
  state,
  cause,
  programs: programs.map(({ program, evidence, because }) => `${evidence}: ${program}: ${because}`),
  fix,
});
const free = {
  state: 'stuck',
  cause: 'finalizer-controller-missing',
  programs: [] as string[],
  fix: removal(finalizer) as string | undefined,
};
const held = (...programs: string[]) => ({
  state: 'unknown',
  cause: 'finalizer-controller-unknown',
  programs,
  fix: undefined,
});
const subjects: Readonly<Record<string, object>> = {
  account,
  another: { ...account, name: 'b' },
  user: { kind: 'User', name: 'system:serviceaccount:ops:sa' },
  group: { kind: 'Group', name: 'system:serviceaccounts:ops' },
};
const every = rule({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
/** A program whose ServiceAccount a binding gives a ClusterRole. */
const may = (rules = rule()) => [program(), clusterRole([rules]), bound('ClusterRole')];

describe('a finalizer that no list knows', () => {
  /** `in`: the namespace of a Role and its binding; of a ClusterRole that of a RoleBinding. */
  function objectsOf(text: string): KubeObject[] {
    const { program: told, lease: leased, ...given } = parse(text) ?? {};
    const { may: rules, by: subject = 'account', role: kind = 'ClusterRole', in: home } = given;
    const isNarrow = kind === 'Role';
    return [
      ...(told || rules ? [program(told)] : []),
      ...(rules ? [isNarrow ? role(home, [rule(rules)]) : clusterRole([rule(rules)])] : []),
      ...(rules ? [bound(kind, subjects[subject], home)] : []),
      ...(leased ? [lease(leased.name, leased.at)] : []),
    ];
  }

  // MAY: its ServiceAccount may change it.
  const rows = rowsOf(`
    no program at all                   |                                            | nothing
    a program that may change nothing   | program: {}                                | nothing
    its name | program: {name: my-db-server} | hint: Deployment ops/my-db-server: its name contains "db"
    a word in another word              | program: {name: mariadb}                   | nothing
    a common word                       | program: {name: cluster-operator}          | nothing
    the task of a finalizer             | program: {name: cleanup}                   | nothing
    no ready pod                        | program: {name: my-db-server, ready: 0}
        | hint: Deployment ops/my-db-server: its name contains "db"
    no replicas                         | program: {name: my-db-server, replicas: 0}
        | hint: Deployment ops/my-db-server: its name contains "db"
    a label | program: {labels: {app: db}} | hint: Deployment ops/tool: its label db contains "db"
    any label with the domain | program: {labels: {team: x.db.example.com}}
        | hint: Deployment ops/tool: its label x.db.example.com contains the domain of the finalizer
    an image with the domain | program: {image: db.example.com/tool}
        | hint: Deployment ops/tool: its image db.example.com/tool contains the domain of the finalizer
    a registry below the domain         | program: {image: registry.db.example.com/tool} | nothing
    a ClusterRole | may: {} | MAY databases.db.example.com by ClusterRole r
    as a user | {may: {}, by: user} | MAY databases.db.example.com by ClusterRole r
    in a group | {may: {}, by: group} | MAY databases.db.example.com by ClusterRole r
    somebody else                       | {may: {}, by: another}                     | nothing
    only reading                        | may: {verbs: [get, delete]}                | nothing
    only watching                       | may: {verbs: [get, watch]}
        | possibility: Deployment ops/tool: ClusterRole r lets it watch databases.db.example.com
    watching everything                 | may: {apiGroups: ["*"], resources: ["*"], verbs: [list, watch]} | nothing
    another kind                        | may: {resources: [users]}                  | nothing
    its status only                     | may: {resources: [databases/status]}       | nothing
    another object                      | may: {resourceNames: [e]}                  | nothing
    this object | may: {resourceNames: [d]} | MAY databases.db.example.com by ClusterRole r
    a Role                              | {may: {}, role: Role, in: shop}            | MAY databases.db.example.com by Role r
    a Role of another namespace         | {may: {}, role: Role, in: ops}             | nothing
    a ClusterRole in its namespace | {may: {}, in: shop} | MAY databases.db.example.com by ClusterRole r
    everything | may: {apiGroups: ["*"], resources: ["*"], verbs: ["*"]}
        | MAY databases.db.example.com, as many other kinds, by ClusterRole r
    a Lease that is renewed | lease: {name: 1a.example.com, at: "2026-05-31T23:50:00Z"}
        | hint: the holder of Lease ops/1a.example.com: it was renewed at 2026-05-31T23:50:00Z
    a Lease that is not                 | lease: {name: 1a.example.com, at: "2026-05-31T23:30:00Z"} | nothing
    a Lease of another                  | lease: {name: 1a.example.org, at: "2026-05-31T23:50:00Z"} | nothing
  `);
  test.each(rows)('%s', async (_, text = '', who = '') => {
    const by = 'possibility: Deployment ops/tool: its ServiceAccount ops/sa may change';
    const result = await found([database(), ...objectsOf(text)]);
    expect(told(result)).toEqual(who === 'nothing' ? free : held(who.replace('MAY', by)));
    expect(result.evidence?.length).toBeGreaterThan(0);
  });

  test('evidence from permissions alone is in no sentence', async () => {
    const argo = program({ name: 'argocd-server', namespace: 'argocd' });
    const binding = bound('ClusterRole', { ...account, namespace: 'argocd' });
    const [alone, beside] = await Promise.all([
      found([database()]),
      found([database(), argo, clusterRole([every]), binding]),
    ]);
    expect(beside.programs.map(({ evidence }) => evidence)).toEqual(['possibility']);
    expect(alone.because?.startsWith(`${beside.because};`)).toBe(true);
    expect(beside.because).toMatchInlineSnapshot(
      `"db.example.com/cleanup is an unknown finalizer; managedFields do not show who added it"`,
    );
  });

  test.each([
    ['by its name', { name: 'db-tool' }],
    ["by the finalizer's task", { name: 'cleanup-tool' }],
  ])(
    'a running program without the permission, known %s, is no reason for a step',
    async (_, one) => {
      const watching = rule({ verbs: ['get', 'list', 'watch'] });
      const lost = [database(), program(one), clusterRole([watching]), bound('ClusterRole')];
      const { programs, ...rest } = await found(lost);
      expect([rest.state, rest.cause, rest.fix]).toEqual([
        'stuck',
        'finalizer-controller-forbidden',
        undefined,
      ]);
      expect(programs.map(({ evidence, lacks }) => [evidence, lacks])).toEqual([
        ['hint', expect.stringMatching(/ databases\.db\.example\.com by ClusterRole r$/)],
      ]);
      const given = [database(), program(one), clusterRole([rule()]), bound('ClusterRole')];
      expect((await found(given)).state).toBe('unknown');
    },
  );

  test('a program that runs and lost the permission is not known where roles were not read', async () => {
    const watching = rule({ verbs: ['get', 'list', 'watch'] });
    const lost = [database(), program({ name: 'db-tool' }), clusterRole([watching])];
    const { state, fix } = await found([...lost, bound('ClusterRole')], { unread: 'Role' });
    expect([state, fix]).toEqual(['unknown', undefined]);
  });

  test('a program of kube-system that may change everything is not counted, and that is said', async () => {
    const system = { ...account, namespace: 'kube-system' };
    const ofSystem = (...rules: object[]) =>
      found([
        database(),
        program({ namespace: 'kube-system' }),
        clusterRole(rules),
        bound('ClusterRole', system),
      ]);
    const result = await ofSystem(every);
    expect(told(result)).toEqual(free);
    const uncounted = (result.evidence ?? []).flatMap((one) =>
      'value' in one && `${one.value}`.includes('kube-system/tool')
        ? [`${one.what}: ${one.value}`]
        : [],
    );
    expect(uncounted.join('\n')).toMatchInlineSnapshot(
      `"programs of kube-system that may change everything: not counted: Deployment kube-system/tool (ClusterRole r)"`,
    );
    expect((await ofSystem(every, rule())).state).toBe('unknown');
  });

  test.each([
    'Deployment',
    'StatefulSet',
    'DaemonSet',
    'Pod',
    'Lease',
    'ClusterRole',
    'Role',
    'ClusterRoleBinding',
    'RoleBinding',
  ])('%s unread', async (unread) => {
    const result = await found([database()], { unread });
    expect(told(result)).toEqual(held());
    expect(result.evidence?.filter((entry) => 'couldNotRead' in entry).length).toBe(1);
  });

  test.each([
    ['2026-05-31T23:40:01Z', '19m'],
    ['2026-06-01T00:00:00Z', '0s'],
  ])('a deletion since %s', async (began, ago) => {
    const now = Date.parse('2099-01-01T00:00:00Z');
    const result = await found([database(began)], { now });
    expect(told(result)).toEqual(held());
    expect(result.because).toContain(`began only ${ago} ago`);
    expect((await found([database('2026-05-31T23:40:00Z')])).fix).toBe(free.fix);
  });

  test.each<[string, KubeObject[], string[]]>([
    ['tells of no program', [], []],
    [
      'names a program',
      [program({ name: 'my-db-server' })],
      ['hint: Deployment ops/my-db-server: its name contains "db"'],
    ],
    [
      'names one scaled to 0',
      [program({ name: 'my-db-server', replicas: 0 })],
      ['hint: Deployment ops/my-db-server: its name contains "db"'],
    ],
  ])('a file %s', async (_, objects, programs) => {
    const asked = { origin: 'files', now: Date.parse(readAt) } as const;
    expect(told(await found([database(), ...objects], asked))).toEqual(held(...programs));
  });
});

test('the field manager proves which program runs and cannot remove a finalizer', async () => {
  const setter = { manager: 'keeper', operation: 'Update', time: '2026-01-01T00:00:00Z' };
  const finalizers = { 'f:finalizers': { '.': {}, [`v:"${finalizer}"`]: {} } };
  const set = database();
  set.metadata.managedFields = [{ ...setter, fieldsV1: { 'f:metadata': finalizers } }];
  const of = async (...more: KubeObject[]) => told(await found([set, ...more]));
  const keeper = program({ name: 'keeper' });
  const cannot = await of(keeper);
  const { programs } = cannot;
  expect(programs.join('\n')).toMatchInlineSnapshot(
    `"proof: Deployment ops/keeper: the field manager has its name"`,
  );
  expect(cannot).toMatchObject({ state: 'stuck', cause: 'finalizer-controller-forbidden' });
  expect(await of(keeper, clusterRole([rule()]), bound('ClusterRole'))).toEqual({
    state: 'progressing',
    cause: 'finalizer-controller-running',
    programs,
    fix: undefined,
  });
  expect(cannot.fix).toBeUndefined();
});

describe('a known finalizer whose program is not installed', () => {
  const known = database('2026-05-01T00:00:00Z', ['longhorn.io']);
  const all = rule({ apiGroups: ['*'], resources: ['*'] });
  const off = removal('longhorn.io');

  test.each<[string, KubeObject[], string, string | undefined]>([
    ['nothing else', [known], 'stuck', off],
    ['a program permitted everything', [known, ...may(all)], 'stuck', off],
    ['one permitted this kind', [known, ...may()], 'unknown', undefined],
    ['a young deletion', [database('2026-05-31T23:50:00Z', ['longhorn.io'])], 'stuck', undefined],
  ])('%s', async (_, objects, state, fix) => {
    const result = await found(objects);
    expect([result.state, result.fix]).toEqual([state, fix]);
  });
});

describe('a pod that no workload made', () => {
  const waiting = { state: { waiting: { reason: 'CrashLoopBackOff' } } };
  const running = { state: { running: { startedAt: readAt } } };
  const bare = (phase: string, main: object[], first: object[] = []): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'my-db-server', namespace: 'ops', uid: 'u' },
    spec: {
      containers: [{ name: 'main', image: 'tool' }],
      initContainers: [{ name: 'first', image: 'tool' }],
    },
    status: { phase, containerStatuses: main, initContainerStatuses: first },
  });

  test.each<[string, KubeObject, boolean]>([
    ['runs', bare('Running', [running]), true],
    ['with unread containers, may run', bare('Running', []), true],
    ['with a waiting container, does not', bare('Running', [waiting]), false],
    ['with a running sidecar, runs', bare('Running', [waiting], [running]), true],
    ['whose init container runs, runs', bare('Pending', [waiting], [running]), true],
    ['with a waiting initContainer, does not', bare('Pending', [], [waiting]), false],
    ['that has ended, does not', bare('Succeeded', [], [running]), false],
  ])('%s', async (_, one, runs) => {
    expect(told(await found([database(), one]))).toEqual(
      runs ? held('hint: Pod ops/my-db-server: its name contains "db"') : free,
    );
  });
});
