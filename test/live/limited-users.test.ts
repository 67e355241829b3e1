import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
import { bind, permit } from '../support/permissions.ts';
import { gc } from '../support/run-gc.ts';
import { breakConversion, restoreConversion, serveKind } from '../support/served-kinds.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { playground } from './delete-playground.ts';
import { onTerminal } from './on-terminal.ts';
import { startProxy } from './proxy.ts';

/** Users who may not read every kind of their namespace, and kinds that no user can read. */
const plane = sharedControlPlane();
const { run, familyIn, namesIn, env, remove } = playground(plane);
/** Paths of definitions. */
const made: string[] = [];
afterAll(async () => {
  for (const path of made) await plane.request(path, { method: 'DELETE' });
  await remove();
});

/** Makes a namespaced kind with two versions. */
async function define(kind: string, group: string): Promise<KubeObject> {
  const definition = customDefinition(kind, group, { versions: ['v1', 'v2'] });
  made.push(await serveKind(plane, definition));
  return definition;
}

/** An admin of a namespace by Kubernetes' own role, who may list all custom kinds but these. */
async function admin(namespace: string, user: string, hidden: readonly string[]): Promise<void> {
  const { groups } = await plane.get<{ groups: { name: string }[] }>('/apis');
  const apiGroups = groups
    .map(({ name }) => name)
    .filter((name) => name.endsWith('.com') && !hidden.includes(name));
  const rules = [{ apiGroups, resources: ['*'], verbs: ['get', 'list', 'watch'] }];
  await permit(plane, user, rules, namespace);
  await bind(plane, user, 'ClusterRole', 'admin', namespace);
}

describe('an admin of a namespace where others have brought a kind', () => {
  const home = 'limited-admin';
  let path: string;
  beforeAll(async () => {
    path = await familyIn(home);
    await define('Tally', 'foreign.example.com');
    await admin(home, 'dana', ['foreign.example.com']);
  });

  test('sees in the preview that there may be more, and which kind it was', async () => {
    const table = await run(`cm/left -n ${home} --as dana --preview`);
    expect(table.code).toBe(0);
    expect(table.stdout).toMatch(/^At least 2 objects go: 2 ConfigMaps\.$/m);
    expect(table.stdout).toMatch(
      /^Perhaps more: tallys\.foreign\.example\.com could not be read\.$/m,
    );
    const warnings = table.stderr.split('\n').filter((line) => line.startsWith('Warning: '));
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Warning: cannot list tallys\.foreign\.example\.com in limited-admin:/,
      ),
    ]);
    const { stdout } = await run(`cm/left -n ${home} --as dana --preview -o json`);
    const { coverage, refusals } = JSON.parse(stdout);
    expect(coverage.complete).toBe(false);
    expect(coverage.problems).toContainEqual(
      expect.objectContaining({ reason: 'forbidden', resource: 'tallys.foreign.example.com' }),
    );
    expect(refusals.map(({ code }: { code: string }) => code)).toEqual(['incomplete']);
  });

  test('deletes nothing in a script that does not say yes, and all with it', async () => {
    const refused = await run(`cm/right -n ${home} --as dana`);
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect(refused.stderr).toMatch(
      /^error: not everything that would be deleted could be read; nothing was sent\n {2}cannot list tallys\.foreign\.example\.com in limited-admin: .*\n {2}What was not read may hold more that goes along\. To delete it all the same: --yes\.\n/m,
    );
    expect(await namesIn(path)).toEqual(['bottom', 'left', 'right', 'top']);
    const agreed = await run(`cm/right -n ${home} --as dana --yes`);
    expect([agreed.code, agreed.stdout]).toEqual([
      0,
      `configmap "right" deleted from ${home} namespace\n`,
    ]);
    expect(await namesIn(path)).toEqual(['bottom', 'left', 'top']);
  });

  test('is only asked on a terminal', async () => {
    const { code, shown } = await onTerminal(`delete cm/left -n ${home} --as dana`, {
      env,
      typed: 'y\n',
    });
    expect(shown).toMatch(/Perhaps more: tallys\.foreign\.example\.com could not be read/);
    expect(shown).toMatch(/Delete at least 2 objects\? \(y\/N\): /);
    expect([code, await namesIn(path)]).toEqual([0, ['top']]);
  });

  test('does not delete the namespace itself by a yes', async () => {
    await permit(plane, 'dana', [
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'delete'] },
    ]);
    const { code, stdout, stderr } = await run(`ns/${home} --as dana --yes`);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/--allow-incomplete/);
    // Many kinds and one sentence.
    expect(stderr).toMatch(
      /^ {2}dana may not list \d+ kinds, .+ and .+ among them; `kubectl gc rbac delete` prints the role$/m,
    );
    expect(await namesIn(path)).toEqual(['top']);
  });
});

test('what a user may not list is one sentence, and all of it in documents and with -v', async () => {
  await familyIn('limited-view');
  await bind(plane, 'viewer', 'ClusterRole', 'view', 'limited-view');
  for (const [line, command] of [
    ['tree cm/top -n limited-view --as viewer', 'tree'],
    ['orphans -n limited-view --as viewer', 'orphans'],
    ['audit -n limited-view --as viewer --allow-incomplete', 'audit'],
    ['snapshot save /dev/null -n limited-view --as viewer', 'snapshot save'],
  ]) {
    const { stderr } = await gc(`${line}`, { env });
    const told = stderr.split('\n').filter((one) => / may not (list|read) /.test(one));
    expect(told, line).toEqual([
      expect.stringMatching(
        new RegExp(
          `^Warning: viewer may not (list|read) \\d+ kinds.* among them; .*rbac ${command}`,
        ),
      ),
    ]);
    expect(stderr.split('\n').length, stderr).toBeLessThan(8);
  }
  const json = await gc('tree cm/top -n limited-view --as viewer -o json', { env });
  const { problems } = JSON.parse(json.stdout).coverage;
  expect(problems.length).toBeGreaterThan(5);
  const all = await gc('tree cm/top -n limited-view --as viewer -v', { env });
  expect(all.stderr.split('\n').filter((one) => one.startsWith('Warning: cannot list '))).toEqual(
    problems.map(({ message }: { message: string }) => `Warning: ${message}`),
  );
});

test('a conversion webhook that is down does not keep a ConfigMap', async () => {
  const path = await familyIn('limited-webhook');
  const definition = await define('Parchment', 'webhook.example.com');
  await plane.make('webhook.example.com/v1 Parchment limited-webhook/odyssey');
  await breakConversion(plane, definition);
  try {
    const refused = await run('cm/right -n limited-webhook');
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect(refused.stderr).toMatch(/ {2}cannot list parchments\.webhook\.example\.com in /);
    expect(refused.stderr).toMatch(/--yes\.$/m);
    const agreed = await run('cm/right -n limited-webhook --yes');
    expect([agreed.code, agreed.stdout]).toEqual([
      0,
      'configmap "right" deleted from limited-webhook namespace\n',
    ]);
    expect(await namesIn(path)).toEqual(['bottom', 'left', 'top']);
  } finally {
    await restoreConversion(plane, definition);
  }
});

test('a definition that somebody deletes in the same second stops nothing', async () => {
  const path = await familyIn('limited-race');
  await define('Fleeting', 'race.example.com');
  const definition = made.at(-1) ?? '';
  const proxy = await startProxy(plane);
  let deleted = 0;
  proxy.before = async ({ path: asked }) => {
    if (!asked.includes('/race.example.com/') || deleted++ > 0) return undefined;
    await plane.request(definition, { method: 'DELETE' });
    await eventually('the definition is gone', async () => {
      const [one, list] = await Promise.all([
        plane.request(definition),
        plane.request('/apis/race.example.com/v1/fleetings'),
      ]);
      return one.status === 404 && list.status === 404;
    });
    return undefined;
  };
  try {
    const { code, stdout, stderr } = await run(`cm/right -n limited-race -s ${proxy.address}`);
    expect(deleted).toBeGreaterThan(0);
    expect([code, stdout], stderr).toEqual([
      0,
      'configmap "right" deleted from limited-race namespace\n',
    ]);
    expect(stderr).not.toMatch(/fleetings/);
    expect(await namesIn(path)).toEqual(['bottom', 'left', 'top']);
  } finally {
    await proxy.close();
  }
});
