import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { playground } from './delete-playground.ts';
import { startProxy } from './proxy.ts';

/** What is refused before the first request, and how that is overridden. */
const plane = sharedControlPlane();
const { run, familyIn, namesIn, grant, remove } = playground(plane);
afterAll(remove);

describe('limits', () => {
  let path: string;
  beforeAll(async () => {
    path = await familyIn('delete-limits');
  });

  test.each([
    [
      '--max-deletes',
      'cm/top -n delete-limits --max-deletes 3',
      /^error: 4 objects would be deleted/,
    ],
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
    await grant('delete-limits', 'watcher', ['get', 'list', 'watch'], ['*']);
    const { code, stdout, stderr } = await run('cm/top -n delete-limits --as watcher');
    expect([code, stdout]).toEqual([3, '']);
    const theirs = await plane.kubectl('delete cm/top -n delete-limits --as watcher'.split(' '));
    expect(stderr.split('\n')[0]).toBe(theirs.stderr.trimEnd());
    expect(stderr).toMatch(
      /^error: delete is not permitted on configmaps "top" in namespace "delete-limits"; nothing was sent$/m,
    );
    expect(await namesIn(path)).toHaveLength(4);
  });

  test('what may be deleted and not be looked at is left alone, unless that is allowed', async () => {
    await grant('delete-limits', 'blind', ['delete'], ['configmaps']);
    const forbidden = await plane.kubectl('get cm/bottom -n delete-limits --as blind'.split(' '));
    for (const plan of ['--preview', '--compare', '--plan -']) {
      const line = `cm/bottom -n delete-limits --as blind --allow-incomplete ${plan}`;
      expect(await run(line)).toEqual({ code: 3, stdout: '', stderr: forbidden.stderr });
    }
    const refused = await run('cm/bottom -n delete-limits --as blind');
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect(refused.stderr).toMatch(/--allow-incomplete/);
    expect(await namesIn(path)).toHaveLength(4);
    const allowed = await run('cm/bottom -n delete-limits --as blind --allow-incomplete');
    expect([allowed.code, allowed.stdout]).toEqual([
      0,
      'configmap "bottom" deleted from delete-limits namespace\n',
    ]);
  });

  test('what cannot be read any more at the second look is not deleted either', async () => {
    const again = await familyIn('delete-second-look');
    const proxy = await startProxy(plane);
    let looks = 0;
    proxy.before = ({ path: asked }) => {
      if (!asked.startsWith('/api/v1/namespaces/delete-second-look/secrets')) return undefined;
      looks += 1;
      return looks > 1 ? { status: 403 } : undefined;
    };
    try {
      const { code, stdout, stderr } = await run(
        `cm/top -n delete-second-look -s ${proxy.address}`,
      );
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toMatch(
        /^error: not everything that would be deleted could be read; nothing was sent\n {2}cannot list secrets/,
      );
      expect(proxy.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
      expect([looks, await namesIn(again)]).toEqual([2, ['bottom', 'left', 'right', 'top']]);
    } finally {
      await proxy.close();
    }
  });
});
