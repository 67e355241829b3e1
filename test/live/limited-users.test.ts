import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { InvalidReferencesReport } from '../../src/output/documents/invalid-references.ts';
import type { OrphansReport } from '../../src/output/documents/orphans.ts';
import type { OwnersReport } from '../../src/output/documents/owners-and-tree.ts';
import { askingOf } from '../support/asking.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
import { bind, permit } from '../support/permissions.ts';
import { serveKind } from '../support/served-kinds.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { playground } from './delete-playground.ts';
import { startProxy } from './proxy.ts';

/** Users who may not read every kind of their namespace, and kinds that no user can read. */
const plane = sharedControlPlane();
const { run, familyIn, namesIn, remove } = playground(plane);
/** Paths of definitions. */
const made: string[] = [];
afterAll(async () => {
  for (const path of made) await plane.remove(path);
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
    expect(await namesIn(path)).toEqual(['bottom', 'left', 'top']);
  });
});

test('a definition that somebody deletes in the same second stops nothing', async () => {
  const path = await familyIn('limited-race');
  await define('Fleeting', 'race.example.com');
  const definition = made.at(-1) ?? '';
  const proxy = await startProxy(plane);
  let deleted = 0;
  proxy.before = async ({ path: asked }) => {
    if (!asked.includes('/race.example.com/') || deleted++ > 0) return undefined;
    await plane.remove(definition);
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

describe('one who may read pods, and not the ReplicaSets that own them', () => {
  const home = 'limited-reader';
  const { json, run: ask } = askingOf(plane);
  let ben: string;
  beforeAll(async () => {
    await plane.make(`Namespace ${home}`);
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }];
    await permit(plane, 'ben', rules, home);
    const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet' };
    const web = { name: 'web', uid: 'uid-web' };
    const metadata = { name: 'web-1', namespace: home, ownerReferences: [{ ...set, ...web }] };
    await plane.putObjects([
      { ...set, metadata: { ...web, namespace: home } },
      { apiVersion: 'v1', kind: 'Pod', metadata },
    ]);
    ben = plane.kubeconfigFor({ user: 'ben', namespace: home });
  });

  test('gets what can be seen; the rest is unknown, and not absent', async () => {
    const { coverage, nodes, edges } = await json<OwnersReport>('owners pod/web-1', ben);
    expect([
      ...coverage.problems.map(({ reason, resource }) => `${reason} ${resource}`),
      ...nodes.map(({ name, observed }) => `${name} ${observed}`),
      ...edges.map((edge) => edge.class),
    ]).toEqual(['forbidden replicasets.apps', 'web-1 true', 'web false', 'unknown']);
    const orphans = await json<OrphansReport>('orphans', ben);
    expect(orphans.coverage.complete).toBe(false);
    expect(orphans.items.map(({ object, owners, gc }) => [object.name, owners, gc.action])).toEqual(
      [['web-1', 'unknown', 'unknown']],
    );
    const { items, unknown } = await json<InvalidReferencesReport>('invalid-ownerrefs', ben);
    expect([items, unknown.length]).toEqual([[], 1]);
  });

  test.each([
    ['owners', 'cannot get replicasets.apps/web in #: replicasets.apps "web"', 'get'],
    ['tree', 'cannot list replicasets.apps in #: replicasets.apps', 'list'],
  ])('%s of an object that is hidden: nobody can tell', async (command, what, verb) => {
    const why = `${what.replace('#', home)} is forbidden: User "ben" cannot ${verb} resource "replicasets"`;
    expect(await ask(`${command} rs/web`, ben)).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: it is unknown whether replicasets.apps "web" is in namespace ${home}
  ${why} in API group "apps" in the namespace "${home}"
`,
    });
  });
});
