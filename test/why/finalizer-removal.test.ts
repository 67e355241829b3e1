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

const nobody = `${finalizer} is in no list of known finalizers, and it is unknown who set it`;
const free = {
  state: 'stuck',
  because: `${nobody}; no program that may remove it is running`,
  fix: `remove the finalizer ${finalizer} from Database d`,
};
const held = (what: string) => ({
  state: 'unknown',
  because: `${finalizer}: a program that may remove it is running: ${what}`,
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

  // MAY: because its ServiceAccount may change it.
  const rows = rowsOf(`
    no program at all                   |                                            | nothing
    a program that may change nothing   | program: {}                                | nothing
    its name | program: {name: my-db-server} | Deployment ops/my-db-server (because its name holds "db")
    a word in another word              | program: {name: mariadb}                   | nothing
    no ready pod                        | program: {name: my-db-server, ready: 0}    | nothing
    a label | program: {labels: {app: db}} | Deployment ops/tool (because its label db holds "db")
    any label with the domain | program: {labels: {team: x.db.example.com}}
        | Deployment ops/tool (because its label x.db.example.com has the domain of the finalizer)
    an image with the domain | program: {image: db.example.com/tool}
        | Deployment ops/tool (because its image db.example.com/tool has the domain of the finalizer)
    a ClusterRole | may: {} | MAY databases.db.example.com by ClusterRole r)
    as a user | {may: {}, by: user} | MAY databases.db.example.com by ClusterRole r)
    in a group | {may: {}, by: group} | MAY databases.db.example.com by ClusterRole r)
    somebody else                       | {may: {}, by: another}                     | nothing
    only reading                        | may: {verbs: [get, delete]}                | nothing
    another kind                        | may: {resources: [users]}                  | nothing
    its status only                     | may: {resources: [databases/status]}       | nothing
    another object                      | may: {resourceNames: [e]}                  | nothing
    this object | may: {resourceNames: [d]} | MAY databases.db.example.com by ClusterRole r)
    a Role                              | {may: {}, role: Role, in: shop}            | MAY databases.db.example.com by Role r)
    a Role of another namespace         | {may: {}, role: Role, in: ops}             | nothing
    a ClusterRole in its namespace | {may: {}, in: shop} | MAY databases.db.example.com by ClusterRole r)
    everything | may: {apiGroups: ["*"], resources: ["*"], verbs: ["*"]}
        | MAY databases.db.example.com, as many other kinds, by ClusterRole r)
    a Lease that is renewed | lease: {name: 1a.example.com, at: "2026-05-31T23:50:00Z"}
        | the holder of Lease ops/1a.example.com (because renewed at 2026-05-31T23:50:00Z)
    a Lease that is not                 | lease: {name: 1a.example.com, at: "2026-05-31T23:30:00Z"} | nothing
    a Lease of another                  | lease: {name: 1a.example.org, at: "2026-05-31T23:50:00Z"} | nothing
  `);
  test.each(rows)('%s', async (_, text = '', who = '') => {
    const by = 'Deployment ops/tool (because its ServiceAccount ops/sa may change';
    const { evidence, ...rest } = await found([database(), ...objectsOf(text)]);
    expect(rest).toEqual(who === 'nothing' ? free : held(who.replace('MAY', by)));
    expect(evidence?.length).toBeGreaterThan(0);
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
    const { evidence, ...rest } = await ofSystem(every);
    expect(rest).toEqual(free);
    expect(evidence).toContainEqual({
      what: 'programs of kube-system that may change everything',
      readAt,
      value: 'not counted: Deployment kube-system/tool (ClusterRole r)',
    });
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
  ])('%s that could not be read', async (unread) => {
    const { evidence, ...rest } = await found([database()], { unread });
    expect(rest).toEqual({
      state: 'unknown',
      because: `${nobody}; whether another program that may remove it runs could not be read`,
      fix: undefined,
    });
    expect(evidence?.filter((entry) => 'couldNotRead' in entry).length).toBe(1);
  });

  test.each([
    ['2026-05-31T23:40:01Z', 1199],
    ['2026-06-01T00:00:00Z', 0],
  ])('a deletion that began at %s', async (began, seconds) => {
    const { evidence: _, ...rest } = await found([database(began)], {
      now: Date.parse('2099-01-01T00:00:00Z'),
    });
    expect(rest).toEqual({
      state: 'unknown',
      because: `${nobody}; no program that may remove it is running; the deletion began only ${seconds}s ago, and a program that failed may try again for up to 20 minutes`,
      fix: undefined,
    });
    expect((await found([database('2026-05-31T23:40:00Z')])).fix).toBe(free.fix);
  });

  test.each<[string, KubeObject[], object]>([
    [
      'tells of no program',
      [],
      {
        state: 'unknown',
        because: `${nobody}; files do not show which programs may remove it`,
        fix: undefined,
      },
    ],
    [
      'tells of a program by its name',
      [program({ name: 'my-db-server' })],
      held('Deployment ops/my-db-server (because its name holds "db")'),
    ],
  ])('a file %s', async (_, objects, expected) => {
    const asked = { origin: 'files', now: Date.parse(readAt) } as const;
    const { evidence: _evidence, ...rest } = await found([database(), ...objects], asked);
    expect(rest).toEqual(expected);
  });
});

describe('a known finalizer whose program is not installed', () => {
  const known = database('2026-05-01T00:00:00Z', ['longhorn.io']);
  const all = rule({ apiGroups: ['*'], resources: ['*'] });
  const off = 'remove the finalizer longhorn.io from Database d';

  test.each<[string, KubeObject[], string, string | undefined]>([
    ['nothing else', [known], 'stuck', off],
    ['a program that may change everything', [known, ...may(all)], 'stuck', off],
    ['one that may change this kind', [known, ...may()], 'unknown', undefined],
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
    ['whose containers were not read, may run', bare('Running', []), true],
    ['whose container waits to be started again, does not', bare('Running', [waiting]), false],
    ['whose sidecar runs beside that, runs', bare('Running', [waiting], [running]), true],
    ['whose init container runs, runs', bare('Pending', [waiting], [running]), true],
    [
      'whose init container waits to be started again, does not',
      bare('Pending', [], [waiting]),
      false,
    ],
    ['that has ended, does not', bare('Succeeded', [], [running]), false],
  ])('%s', async (_, one, runs) => {
    const { because } = await found([database(), one]);
    expect(because).toBe(
      runs ? held('Pod ops/my-db-server (because its name holds "db")').because : free.because,
    );
  });
});
