import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { playground } from './delete-playground.ts';

/** What is refused before the first request, and how that is overridden. */
const plane = sharedControlPlane();
const { run, familyIn, namesIn, remove } = playground(plane);
afterAll(remove);

describe('limits', () => {
  let path: string;
  beforeAll(async () => {
    path = await familyIn('delete-limits');
  });

  test.each([
    ['--max-deletes', 'cm/top -n delete-limits --max-deletes 3', /^error: 4 objects would go/],
    ['protected', 'cm/kube-root-ca.crt -n kube-system', /^error: .* in namespace kube-system/],
    ['a namespace', 'ns/kube-public', /^error: Namespace kube-public/],
    ['default', 'ns/default', /^error: Namespace default/],
  ])('%s: refused, with the flag that allows it', async (_, line, error) => {
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(error);
    expect(stderr).toMatch(/--(max-deletes|allow-protected)/);
    expect(await namesIn(path)).toHaveLength(4);
  });

  test('what may not be deleted: kubectl’s words, then kind, namespace and verb', async () => {
    await grant('watcher', ['get', 'list', 'watch'], ['*']);
    const { code, stdout, stderr } = await run('cm/top -n delete-limits --as watcher');
    expect([code, stdout]).toEqual([3, '']);
    const theirs = await plane.kubectl('delete cm/top -n delete-limits --as watcher'.split(' '));
    expect(stderr.split('\n')[0]).toBe(theirs.stderr.trimEnd());
    expect(stderr).toMatch(
      /^error: delete is not permitted on configmaps "top" in namespace "delete-limits"; nothing was sent$/m,
    );
    expect(await namesIn(path)).toHaveLength(4);
  });

  test('what cannot be seen whole is not deleted, unless that is allowed', async () => {
    await grant('keeper', ['get', 'list', 'watch', 'delete'], ['configmaps']);
    const refused = await run('cm/right -n delete-limits --as keeper');
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect(refused.stderr).toMatch(/^error: not everything that would go along could be read/m);
    expect(refused.stderr).toMatch(/secrets/);
    expect(refused.stderr).toMatch(/--allow-incomplete/);
    expect(await namesIn(path)).toHaveLength(4);
    const allowed = await run('cm/right -n delete-limits --as keeper --allow-incomplete');
    expect([allowed.code, allowed.stdout]).toEqual([
      0,
      'configmap "right" deleted from delete-limits namespace\n',
    ]);
    expect(await namesIn(path)).toEqual(['bottom', 'left', 'top']);
  });

  test('what may be deleted and not be looked at is left alone, unless that is allowed', async () => {
    await grant('blind', ['delete'], ['configmaps']);
    const refused = await run('cm/bottom -n delete-limits --as blind');
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect(refused.stderr).toMatch(/--allow-incomplete/);
    expect(await namesIn(path)).toEqual(['bottom', 'left', 'top']);
    const allowed = await run('cm/bottom -n delete-limits --as blind --allow-incomplete');
    expect([allowed.code, allowed.stdout]).toEqual([
      0,
      'configmap "bottom" deleted from delete-limits namespace\n',
    ]);
  });

  async function grant(user: string, verbs: string[], resources: string[]): Promise<void> {
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/delete-limits';
    const apiGroups = resources.includes('*') ? ['*'] : [''];
    await plane.create(`${rbac}/roles`, {
      metadata: { name: user },
      rules: [{ apiGroups, resources, verbs }],
    });
    await plane.create(`${rbac}/rolebindings`, {
      metadata: { name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
  }
});
