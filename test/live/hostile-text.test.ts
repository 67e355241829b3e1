import { beforeAll, describe, expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';
import { argumentsIn, shells } from '../support/run-in-shell.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

/** Names and messages of a real API server that would act on a terminal, or on the log of a job. */
const plane = sharedControlPlane();
const namespace = 'hostile-text';
/** Writes to the clipboard, colours by C1, turns the line round, begins a command: a Role may be called so. */
const hostile = 'a\u001b]52;c;x\u0007\u009b31m\u202eb\n::error::c';
/** As one that no object has: names hold no %. */
const encoded = 'a%1B]52;c;x%07%C2%9B31m%E2%80%AEb%0A::error::c';
const environment = { env: { KUBECONFIG: plane.kubeconfigPath } };

interface Stored {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
}

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: hostile, uid: 'gone' };
  await plane.make(`Role ${namespace}/`, {
    metadata: { name: hostile, ownerReferences: [owner], finalizers: ['example.com/hold'] },
    rules: [],
  });
});

describe('a Role whose name contains escape sequences is shown, and does nothing', () => {
  test.each([
    [['audit', '-n', namespace, '-o', 'github'], 0],
    [['audit', '-n', namespace, '-o', 'junit'], 0],
    [['orphans', 'roles', '-n', namespace], 0],
    [['orphans', 'roles', '-n', namespace, '-o', 'yaml'], 0],
    [['owners', `role/${hostile}`, '-n', namespace], 0],
    [['owners', `role/${hostile}.gone`, '-n', namespace], 3],
    [['why', `role/${hostile}`, '-n', namespace, '-o', 'wide'], 0],
    [['delete', 'role', hostile, '-n', namespace, '--dry-run=server'], 0],
    [['delete', 'role', hostile, '-n', namespace, '--wait=false'], 0],
  ])('%j', async (line, code) => {
    const run = await gc(line, environment);
    const text = run.stdout + run.stderr;
    expect(text).not.toMatch(/[^\n\P{Cc}]|\p{Bidi_Control}|^\s*::error::c/mu);
    expect(text.replaceAll('%0A', '')).toContain('52;c;x');
    expect(run.code).toBe(code);
  });

  test.each(shells)(
    'a printed command pasted into %s deletes its object, and not its twin',
    async (shell) => {
      const held = { finalizers: ['example.com/hold'] };
      const [name, twin] = [`${shell}\u202e\\b`, `${shell} b`];
      for (const one of [name, twin, `${shell}\\b`]) {
        await plane.make(`Role ${namespace}/`, { metadata: { name: one, ...held }, rules: [] });
      }
      const preview = await gc(
        ['delete', `role/${name}`, '-n', namespace, '--preview'],
        environment,
      );
      const [, command = ''] = /^Delete: (kubectl .*)$/m.exec(preview.stderr) ?? [];
      const [, ...words] = argumentsIn(`${command} --yes --wait=false`, shell);
      expect((await gc(words, environment)).code).toBe(0);
      const roles = await plane.list<Stored>(`Role ${namespace}/`);
      const deleted = roles.flatMap(({ metadata }) =>
        metadata.deletionTimestamp && metadata.name.startsWith(shell) ? metadata.name : [],
      );
      expect(deleted).toEqual([name]);
    },
  );

  test('lines for programs name it so that no other object is meant', async () => {
    const line = ['delete', 'role', hostile, '-n', namespace, '--wait=false', '-o', 'name'];
    expect((await gc(line, environment)).stdout).toBe(
      `role.rbac.authorization.k8s.io/${encoded}\n`,
    );
  });
});
