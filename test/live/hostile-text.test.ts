import { beforeAll, describe, expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

/** Names and messages of a real API server that would act on a terminal, or on the log of a job. */
const plane = sharedControlPlane();
const namespace = 'hostile-text';
/** Writes to the clipboard, colours by C1, turns the line round, begins a command: a Role may be called so. */
const hostile = 'a\u001b]52;c;x\u0007\u009b31m\u202eb\n::error::c';
const shown = 'a^[]52;c;x^G 31m b^J::error::c';
const environment = { env: { KUBECONFIG: plane.kubeconfigPath } };

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: hostile, uid: 'gone' };
  await plane.make(`Role ${namespace}/`, {
    metadata: { name: hostile, ownerReferences: [owner], finalizers: ['example.com/hold'] },
    rules: [],
  });
});

describe('a Role whose name holds escape sequences is shown, and does nothing', () => {
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

  test('kubectl-like lines name it as it may be shown', async () => {
    const line = ['delete', 'role', hostile, '-n', namespace, '--wait=false', '-o', 'name'];
    expect((await gc(line, environment)).stdout).toBe(`role.rbac.authorization.k8s.io/${shown}\n`);
  });
});
