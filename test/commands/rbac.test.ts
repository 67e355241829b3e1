import { describe, expect, test } from 'vitest';
import { permissions } from '../../src/shell/command-permissions.ts';
import { gcHere } from '../support/run-here.ts';

const writes = ['create', 'update', 'patch', 'delete', 'impersonate'];
/** Commands that change something even without a further flag. */
const changing = ['delete', 'restore'];

describe.each(Object.entries(permissions))('%s', (command, { needs, with: more = {} }) => {
  test('may change something only if that is what it is for', () => {
    const verbs = needs.flatMap((need) => need.verbs).filter((verb) => writes.includes(verb));
    expect(verbs.length > 0).toBe(changing.includes(command));
  });

  test('has no wildcard that is one for subresources, too', () => {
    const all = [...needs, ...Object.values(more).flatMap((one) => one.needs)];
    const wide = all.filter(({ on }) => on === 'everything').flatMap(({ verbs }) => verbs);
    // Subresources, nodes/proxy among them, can be got and changed; they cannot be listed or watched.
    expect(wide.filter((verb) => verb !== 'list' && verb !== 'watch')).toEqual([]);
  });
});

test('roles for a namespace, bound to a ServiceAccount', async () => {
  const line =
    'rbac owners deploy,certificates.cert-manager.io nodes -n shop --service-account ci/bot';
  const { code, stdout } = await gcHere(`${line} -o json`);
  expect(code).toBe(0);
  const labels = { 'app.kubernetes.io/managed-by': 'kubectl-gc' };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const name = 'kubectl-gc-owners';
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', name };
  const subjects = [{ kind: 'ServiceAccount', namespace: 'ci', name: 'bot' }];
  const within = { name, namespace: 'shop', labels };
  expect(JSON.parse(stdout)).toEqual({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion,
        kind: 'Role',
        metadata: within,
        rules: [
          { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] },
          { apiGroups: ['cert-manager.io'], resources: ['certificates'], verbs: ['get'] },
        ],
      },
      {
        apiVersion,
        kind: 'RoleBinding',
        metadata: within,
        roleRef: { ...roleRef, kind: 'Role' },
        subjects,
      },
      {
        apiVersion,
        kind: 'ClusterRole',
        metadata: { name, labels },
        rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }],
      },
      {
        apiVersion,
        kind: 'ClusterRoleBinding',
        metadata: { name, labels },
        roleRef: { ...roleRef, kind: 'ClusterRole' },
        subjects,
      },
    ],
  });
});

test('what a resource needs for several reasons is one rule', async () => {
  const { stdout } = await gcHere('rbac delete configmaps --with orphan -o json');
  const [{ rules }] = JSON.parse(stdout).items;
  expect(rules.slice(0, 2)).toEqual([
    { apiGroups: [''], resources: ['configmaps'], verbs: ['delete', 'get', 'patch'] },
    { apiGroups: ['*'], resources: ['*'], verbs: ['list', 'watch'] },
  ]);
});

test.each([
  ['rbac orphans --with fix', '--with "fix" means nothing to orphans\n  It may be: watch.'],
  ['rbac owners deploymentz', 'doesn\'t have a resource type "deploymentz"'],
  ['rbac audit deployments', 'audit needs the same whichever kinds it is about: deployments'],
  ['rbac forecast -n shop', 'forecast is about the whole cluster'],
  ['rbac audit --service-account bot', 'Write it as NAMESPACE/NAME.'],
  ['rbac snapshot info', '"snapshot" is not a command that asks a cluster'],
])('%s is refused', async (line, words) => {
  const { code, stderr } = await gcHere(line);
  expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
});
