import { beforeAll, expect, test } from 'vitest';
import { askingOf } from '../support/asking.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { permit } from '../support/permissions.ts';
import { serveKind } from '../support/served-kinds.ts';
import { undoLine, withoutFolder } from '../support/undo-line.ts';

/**
 * Databases whose finalizer a program has yet to take off, without controllers. The program writes as "manager" and is
 * called as nothing else is.
 */
export function whyRunningProgram(plane: ControlPlane): void {
  const finalizer = 'ledger.example.com/cleanup';
  const other = 'else.example.org/keep';
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

  const { run: gc } = askingOf(plane);
  const run = (line: string, kubeconfig?: string) => gc(`why ${line}`, kubeconfig);

  async function finalizersOf(name: string): Promise<unknown> {
    const found = await plane.find(`ledger.example.com/v1 Database shop/${name}`);
    return found?.metadata.finalizers;
  }

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
    const status = { replicas: 1, readyReplicas: 1 };
    await plane.report('Deployment ops/thing-controller-manager', status);
  }
  const stopProgram = () => plane.remove('Deployment ops/thing-controller-manager');

  /** Lets the ServiceAccount of the program change something. */
  async function permitProgram(rule: object): Promise<() => Promise<void>> {
    await plane.make('ClusterRole thing', { rules: [rule] });
    await plane.make('ClusterRoleBinding thing', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'thing' },
      subjects: [{ kind: 'ServiceAccount', name: 'thing', namespace: 'ops' }],
    });
    return async () => {
      await plane.remove('ClusterRoleBinding thing');
      await plane.remove('ClusterRole thing');
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
}
