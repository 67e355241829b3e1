import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { permit } from '../support/permissions.ts';
import { gcHere } from '../support/run-here.ts';
import { serveKind } from '../support/served-kinds.ts';
import { undoLine, withoutFolder } from '../support/undo-line.ts';

/**
 * Databases whose finalizer a program has yet to take off, without controllers. The program writes as "manager" and is
 * called as nothing else is.
 */
export function whyRunningProgram(plane: ControlPlane): void {
  const finalizer = 'ledger.example.com/cleanup';
  const other = 'else.example.org/keep';
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const databases = '/apis/ledger.example.com/v1/namespaces/shop/databases';
  const deployments = '/apis/apps/v1/namespaces/ops/deployments';
  const old = '2026-01-01T00:00:00Z';

  beforeAll(async () => {
    for (const name of ['shop', 'ops']) await plane.make(`Namespace ${name}`);
    await serveKind(plane, customDefinition('Database', 'ledger.example.com'));
  });

  const database = (name: string, deletionTimestamp: string, finalizers = [finalizer, other]) => ({
    apiVersion: 'ledger.example.com/v1',
    kind: 'Database',
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      deletionTimestamp,
      deletionGracePeriodSeconds: 0,
      finalizers,
      managedFields: [
        {
          manager: 'manager',
          operation: 'Update',
          apiVersion: 'ledger.example.com/v1',
          time: old,
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:metadata': { 'f:finalizers': { '.': {}, [`v:"${finalizer}"`]: {} } } },
        },
      ],
    },
  });

  const run = (line: string, kubeconfig = plane.kubeconfigPath) =>
    gcHere(`why ${line}`, { KUBECONFIG: kubeconfig, NO_COLOR: '1' });

  async function finalizersOf(name: string): Promise<unknown> {
    const { status, body } = await plane.request(`${databases}/${name}`);
    return status === 200 ? (JSON.parse(body) as KubeObject).metadata.finalizers : undefined;
  }

  const remove = async (path: string) => {
    await plane.request(path, { method: 'DELETE' });
  };

  /** A Deployment that says nothing of databases, with a ready pod, as its ServiceAccount. */
  async function startProgram(): Promise<void> {
    const labels = { app: 'thing' };
    await plane.make('Deployment ops/thing-controller-manager', {
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: 'thing',
            containers: [{ name: 'main', image: 'registry.test/tool:1' }],
          },
        },
      },
    });
    const status = { status: { replicas: 1, readyReplicas: 1 } };
    await plane.patch(`${deployments}/thing-controller-manager/status`, status);
  }
  const stopProgram = () => remove(`${deployments}/thing-controller-manager`);

  /** Lets the ServiceAccount of the program change something. */
  async function permitProgram(rule: object): Promise<() => Promise<void>> {
    await plane.make('ClusterRole thing', { rules: [rule] });
    await plane.make('ClusterRoleBinding thing', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'thing' },
      subjects: [{ kind: 'ServiceAccount', name: 'thing', namespace: 'ops' }],
    });
    return async () => {
      await remove(`${rbac}/clusterrolebindings/thing`);
      await remove(`${rbac}/clusterroles/thing`);
    };
  }

  const rule = (apiGroup: string, resource: string, verb = 'patch') => ({
    apiGroups: [apiGroup],
    resources: [resource],
    verbs: [verb],
  });

  const title = 'Deployment ops/thing-controller-manager';

  test.each([
    ['patch on the kind', rule('ledger.example.com', 'databases'), 'databases.ledger.example.com'],
    [
      'update on everything',
      rule('*', '*', 'update'),
      'databases.ledger.example.com, as many other kinds,',
    ],
  ])('a program that is permitted %s keeps the finalizer', async (_, rights, what) => {
    await plane.putObjects([database('held', old)]);
    await startProgram();
    const forbid = await permitProgram(rights);
    const { code, stdout, stderr } = await run('database/held -n shop --fix --yes');
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      expect.stringMatching(
        /^Database\/held in shop may be stuck; it is unknown whether it will end: Terminating for /,
      ),
      `├─ ? ${finalizer}: a program that may remove it is running: ${title} (because its ServiceAccount ops/thing may change ${what} by ClusterRole thing)`,
      `│     → Look at the logs of ${title}. Only when you know that it is gone for good:`,
      `│       kubectl gc why database.ledger.example.com/held -n shop --fix --remove-finalizer ${finalizer}`,
    ]);
    expect([code, stderr.split('\n')[0]]).toEqual([
      3,
      'error: there is no step that would be safe to offer for database.ledger.example.com/held',
    ]);
    expect(await finalizersOf('held')).toEqual([finalizer, other]);
    await forbid();
    await stopProgram();
  });

  test('a young deletion keeps it, whatever --now says', async () => {
    const began = new Date(Date.now() - 60_000).toISOString();
    await plane.putObjects([database('young', `${began.slice(0, 19)}Z`, [finalizer])]);
    for (const now of ['', ' --now 2099-01-01T00:00:00Z']) {
      const { code, stdout } = await run(`database/young -n shop --fix --yes${now}`);
      expect([code, stdout.split('\n')[1]]).toEqual([
        3,
        expect.stringMatching(
          /; the deletion began only \d+s ago, and a program that failed may try again for up to 20 minutes$/,
        ),
      ]);
    }
    expect(await finalizersOf('young')).toEqual([finalizer]);
  });

  test('who may not read what tells of programs gets no step', async () => {
    await plane.putObjects([database('unread', old, [finalizer])]);
    const name = 'half-blind';
    const rules = [
      rule('ledger.example.com', 'databases', '*'),
      rule('apps', '*', 'list'),
      rule('', 'pods', 'list'),
      rule('coordination.k8s.io', 'leases', 'list'),
    ];
    await permit(plane, name, rules);
    const { code, stdout, stderr } = await run(
      'database/unread -n shop --fix --yes',
      plane.kubeconfigFor({ user: name, namespace: 'shop' }),
    );
    expect([code, stdout.split('\n')[0]], stderr).toEqual([
      3,
      expect.stringMatching(
        /^Database\/unread in shop may be stuck; not everything could be read: Terminating for /,
      ),
    ]);
    expect(stdout).toContain('clusterroles.rbac.authorization.k8s.io: could not be read');
    expect(await finalizersOf('unread')).toEqual([finalizer]);
  });

  test('without any program the finalizer is removed', async () => {
    await plane.putObjects([database('free', old, [finalizer])]);
    const { code, stderr } = await run('database/free -n shop --fix --yes');
    expect([code, withoutFolder(stderr).split('\n').slice(-4, -1)]).toEqual([
      0,
      ['Done: applied', undoLine, 'Ask why again to see what is left.'],
    ]);
    expect(await finalizersOf('free')).toBe(undefined);
  });

  test('--remove-finalizer takes exactly that one off, and shows the risk first', async () => {
    await plane.putObjects([database('named', old)]);
    await startProgram();
    const forbid = await permitProgram(rule('ledger.example.com', 'databases'));
    const line = `database/named -n shop --fix --yes --remove-finalizer ${finalizer}`;
    const { code, stderr } = await run(line);
    expect([code, withoutFolder(stderr).split('\n')]).toEqual([
      0,
      [
        `Step: remove the finalizer ${finalizer} from Database named`,
        `Risk: ${finalizer}: a program that may remove it is running: ${title} (because its ServiceAccount ops/thing may change databases.ledger.example.com by ClusterRole thing); it is unknown what it protects; whatever its program would have cleaned up is left behind`,
        'Server dry run: applied',
        'Done: applied',
        undoLine,
        'Ask why again to see what is left.',
        '',
      ],
    ]);
    expect(await finalizersOf('named')).toEqual([other]);
    const again = await run(line);
    expect([again.code, again.stderr.split('\n')[0]]).toEqual([
      3,
      `error: database.ledger.example.com/named: not being deleted, or without the finalizer ${finalizer}`,
    ]);
    expect(await finalizersOf('named')).toEqual([other]);
    await forbid();
    await stopProgram();
  });
}
