import { beforeAll, expect, test } from 'vitest';
import type { DiagnosisReport } from '../../src/questions/why/document.ts';
import { askingOf } from '../support/asking.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
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

  /** A Deployment, which mostly says nothing of databases, with a ready pod, as the ServiceAccount `thing`. */
  async function startProgram(name = 'thing-controller-manager'): Promise<() => Promise<unknown>> {
    const labels = { app: 'thing' };
    await plane.make(`Deployment ops/${name}`, {
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
    await plane.report(`Deployment ops/${name}`, status);
    return () => plane.remove(`Deployment ops/${name}`);
  }

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

  const rule = (apiGroup: string, resource: string, ...verbs: string[]) => ({
    apiGroups: [apiGroup],
    resources: [resource],
    verbs,
  });
  const onDatabases = (...verbs: string[]) => rule('ledger.example.com', 'databases', ...verbs);

  /** State, cause and programs of the link of the finalizer, how --fix ends, and the first line that is printed of the link. */
  async function told(name: string) {
    const line = `database/${name} -n shop`;
    const { stdout: json } = await run(`${line} -o json`);
    const [item] = (JSON.parse(json) as DiagnosisReport).items;
    const link = item?.chain.links.find((one) => one.finalizer === finalizer);
    const { code, stdout } = await run(`${line} --fix --yes`);
    return {
      state: item?.state,
      cause: link?.cause,
      programs: link?.programs?.map(({ evidence, program }) => `${evidence} ${program}`),
      code,
      sentence: stdout.split('\n').find((one) => /^[├└]/.test(one) && one.includes(finalizer)),
    };
  }

  test.each([
    ['patch on the kind', onDatabases('patch')],
    ['update on everything', rule('*', '*', 'update')],
  ])(
    'a program with permission for %s alone keeps the finalizer, unmentioned',
    async (_, rights) => {
      await plane.putObjects([database('held', old)]);
      const stop = await startProgram();
      const forbid = await permitProgram(rights);
      expect(await told('held')).toEqual({
        state: 'unknown',
        cause: 'finalizer-controller-unknown',
        programs: ['possibility Deployment ops/thing-controller-manager'],
        code: 3,
        sentence: `├─ ? ${finalizer} is an unknown finalizer; manager added it, which does not name a program that removes it`,
      });
      const wide = await run('database/held -n shop -o wide');
      expect(wide.stdout).toContain('Deployment ops/thing-controller-manager: possibility: ');
      expect(await finalizersOf('held')).toEqual([finalizer, other]);
      await forbid();
      await stop();
    },
  );

  test('a program that runs and lost the permission is named, and removes the finalizer when it has it again', async () => {
    await plane.putObjects([database('lost', old, [finalizer])]);
    const stop = await startProgram('ledger-operator');
    const take = await permitProgram(onDatabases('get', 'list', 'watch'));
    const token = await plane.serviceAccountToken('ops', 'thing');
    const patch = () =>
      plane.request('/apis/ledger.example.com/v1/namespaces/shop/databases/lost', {
        method: 'PATCH',
        body: { metadata: { finalizers: null } },
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/merge-patch+json',
        },
      });
    expect((await patch()).status).toBe(403);
    expect(await told('lost')).toEqual({
      state: 'stuck',
      cause: 'finalizer-controller-forbidden',
      programs: ['hint Deployment ops/ledger-operator'],
      code: 3,
      sentence: `└─ ✗ ${finalizer}: Deployment ops/ledger-operator runs and cannot: no patch or update on databases.ledger.example.com by ClusterRole thing (guess: its name contains "ledger")`,
    });
    expect(await finalizersOf('lost')).toEqual([finalizer]);
    await take();
    const forbid = await permitProgram(onDatabases('get', 'list', 'watch', 'patch'));
    expect((await told('lost')).state).toBe('unknown');
    await eventually('the permission counts', async () => (await patch()).status === 200);
    expect(await finalizersOf('lost')).toBe(undefined);
    await forbid();
    await stop();
  });

  test('who may not read what tells of programs gets no step', async () => {
    await plane.putObjects([database('unread', old, [finalizer])]);
    const name = 'half-blind';
    const rules = [
      onDatabases('*'),
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
        /^Database\/unread in shop might be stuck \(not everything could be read\): deleting for /,
      ),
    ]);
    expect(stderr).toContain('clusterroles.rbac.authorization.k8s.io');
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
