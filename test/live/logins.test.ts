import { beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { Run } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { permit } from '../support/permissions.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

/** Who one is, and what one may see: on a real API server with RBAC. */
const plane = sharedControlPlane();
const namespace = 'logins';
const expected = `pod/web-1
replicaset.apps/web
`;
const question = `owners pod/web-1 -n ${namespace} -o name`;

/** A reader of pods and replicasets, and a reader of pods alone. */
beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  const seeing = (group: string, resource: string) => {
    return { apiGroups: [group], resources: [resource], verbs: ['get', 'list'] };
  };
  const [pods, replicaSets] = [seeing('', 'pods'), seeing('apps', 'replicasets')];
  await permit(plane, 'alice', [pods, replicaSets], namespace);
  await permit(plane, 'ben', [pods], namespace);
  const [replicaSet] = await plane.putObjects([
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web', namespace } },
  ]);
  const { uid } = (replicaSet as KubeObject).metadata;
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid }];
  await plane.putObjects([
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-1', namespace, ownerReferences } },
  ]);
  await eventually('permissions', async () => {
    const { code, stdout } = await ask(question, plane.kubeconfigFor({ user: 'alice' }));
    return code === 0 && stdout === expected;
  });
});

function ask(line: string, kubeconfigPath = plane.kubeconfigPath): Promise<Run> {
  return gc(line, { env: { KUBECONFIG: kubeconfigPath } });
}

describe('one who may see little', () => {
  const ben = () => plane.kubeconfigFor({ user: 'ben', namespace });

  test('gets what can be seen; the rest is unknown, and not absent', async () => {
    const { code, stdout, stderr } = await ask('owners pod/web-1 -o json', ben());
    const { coverage, nodes, edges } = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(coverage.problems.map(({ reason, resource }: Problem) => [reason, resource])).toEqual([
      ['forbidden', 'replicasets.apps'],
    ]);
    expect(nodes.map(({ name, observed }: Node) => [name, observed])).toEqual([
      ['web-1', true],
      ['web', false],
    ]);
    expect(edges.map((edge: { class: string }) => edge.class)).toEqual(['unknown']);
    expect(stderr).toBe(`Warning: ${coverage.problems[0].message}\n`);
    expect(stderr).toContain('replicasets.apps "web" is forbidden: User "ben" cannot get');
  });

  test('sees no orphan in an object whose owner is hidden', async () => {
    const { code, stdout, stderr } = await ask('orphans -o json', ben());
    const { coverage, items } = JSON.parse(stdout);
    expect([code, coverage.complete]).toEqual([0, false]);
    const hidden = coverage.problems.map(({ resource }: Problem) => resource);
    expect(hidden).toEqual(expect.arrayContaining(['replicasets.apps', 'secrets', 'configmaps']));
    expect(hidden).not.toContain('pods');
    expect(items.map((item: Orphan) => [item.object.name, item.owners, item.gc.action])).toEqual([
      ['web-1', 'unknown', 'unknown'],
    ]);
    expect(stderr).toMatch(/^Warning: ben may not list \d+ kinds, secrets and .* among them; /m);
    const findings = JSON.parse((await ask('invalid-ownerrefs -o json', ben())).stdout);
    expect([findings.items, findings.unknown.length]).toEqual([[], 1]);
  });

  test.each([
    [
      'owners',
      'cannot get replicasets.apps/web in logins: replicasets.apps "web" is forbidden: User "ben" cannot get',
    ],
    [
      'tree',
      'cannot list replicasets.apps in logins: replicasets.apps is forbidden: User "ben" cannot list',
    ],
  ])('%s of an object that is hidden: nobody can tell', async (command, why) => {
    expect(await ask(`${command} rs/web`, ben())).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: it is unknown whether replicasets.apps "web" is in namespace ${namespace}
  ${why} resource "replicasets" in API group "apps" in the namespace "${namespace}"
`,
    });
  });
});

interface Problem {
  readonly reason: string;
  readonly resource: string;
}

interface Node {
  readonly name: string;
  readonly observed: boolean;
}

interface Orphan {
  readonly object: { readonly name: string };
  readonly owners: string;
  readonly gc: { readonly action: string };
}
