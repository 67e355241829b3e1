import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { InvalidReferencesReport } from '../../src/questions/invalid-ownerrefs/document.ts';
import type { OrphansReport } from '../../src/questions/orphans/document.ts';
import type { OwnersReport } from '../../src/questions/owners/document.ts';
import { askingOf } from '../support/asking.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
import { bind, permit } from '../support/permissions.ts';
import { serveKind } from '../support/served-kinds.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { playground } from './delete-playground.ts';
import { onTerminal } from './on-terminal.ts';
import { startProxy } from './proxy.ts';

/** Users who may not read every kind of their namespace, and kinds that no user can read. */
const plane = sharedControlPlane();
const { env, run, tell, familyIn, namesIn, grant, remove } = playground(plane);
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

/** A user of a namespace by one of Kubernetes' own roles, who may list all custom kinds but these. */
async function admin(
  namespace: string,
  user: string,
  hidden: readonly string[],
  role = 'admin',
): Promise<void> {
  const { groups } = await plane.get<{ groups: { name: string }[] }>('/apis');
  const apiGroups = groups
    .map(({ name }) => name)
    .filter((name) => name.endsWith('.com') && !hidden.includes(name));
  const rules = [{ apiGroups, resources: ['*'], verbs: ['get', 'list', 'watch'] }];
  await permit(plane, user, rules, namespace);
  await bind(plane, user, 'ClusterRole', role, namespace);
}

test('what is refused before the first request, with the flag that allows it', async () => {
  const path = await familyIn('limits');
  await grant('limits', 'watcher', ['get', 'list', 'watch'], ['*']);
  await grant('limits', 'blind', ['delete'], ['configmaps']);
  await grant('limits', 'one-eyed', ['get', 'delete'], ['configmaps']);
  await tell(`
cm/top -n limits --max-deletes 3
  3
  ^error: 4 objects would be deleted(.|\\n)*--max-deletes
cm/kube-root-ca.crt -n kube-system
  3
  ^error: .* in namespace kube-system(.|\\n)*--allow-protected
ns/kube-public
  3
  ^error: Namespace kube-public(.|\\n)*--allow-protected
ns/default
  3
  ^error: Namespace default(.|\\n)*--allow-protected
cm/top -n limits --as watcher
  3
  ^error: delete is not permitted on configmaps "top" in namespace "limits"; nothing was sent$
cm/bottom -n limits --as blind
  3
  --allow-incomplete`);
  const forbidden = await plane.kubectl('get cm/bottom -n limits --as blind'.split(' '));
  for (const plan of ['--preview', '--compare', '--plan -']) {
    const line = `cm/bottom -n limits --as blind --allow-incomplete ${plan}`;
    expect(await run(line)).toEqual({ code: 3, stdout: '', stderr: forbidden.stderr });
  }
  // Of what cannot be read, or what is deleted with it, any number may be there.
  await tell(`
cm/bottom -n limits --as blind --allow-incomplete --max-deletes 9 --yes
  3
  --max-deletes
cm/bottom -n limits --as one-eyed --allow-incomplete --max-deletes 9 --yes
  3
  --max-deletes
cm/right cm/bottom -n limits --allow-incomplete --max-deletes 9 --yes --as blind
  3
  --max-deletes`);
  expect(await namesIn(path)).toHaveLength(4);
  await tell(`
cm/bottom -n limits --as blind --allow-incomplete
  0
  > configmap "bottom" deleted from limits namespace`);
});

describe('what may be deleted and not be read', () => {
  const home = 'limits-unseen';
  const places = ['kube-public', 'kube-node-lease'];
  const blind = '--as unseeing --allow-incomplete';
  let path: string;
  beforeAll(async () => {
    path = await familyIn(home);
    const rule = { apiGroups: ['', 'example.com'], resources: ['*'], verbs: ['delete'] };
    for (const namespace of [home, ...places]) await permit(plane, 'unseeing', [rule], namespace);
    for (const namespace of places) await plane.make(`Secret ${namespace}/unseen`);
    await plane.make(`Widget ${home}/unseen`);
  });
  afterAll(async () => {
    for (const namespace of places) await plane.remove(`Secret ${namespace}/unseen`);
  });

  test('what may not be read is protected by its namespace, until that is allowed', async () => {
    for (const namespace of places) {
      const { code } = await run(`secret/unseen -n ${namespace} ${blind} --yes`);
      expect([code, await plane.isHealthy(`Secret ${namespace}/unseen`)]).toEqual([3, true]);
    }
    const { code } = await run(`secret/unseen -n kube-public ${blind} --allow-protected`);
    expect([code, await plane.isHealthy('Secret kube-public/unseen')]).toEqual([0, false]);
  });

  test('what has replaced an object that may not be read is not deleted', async () => {
    const proxy = await startProxy(plane);
    let isReplaced = false;
    proxy.before = async ({ method }, body) => {
      if (method !== 'DELETE' || body.includes('dryRun') || isReplaced) return undefined;
      isReplaced = true;
      await plane.remove(`ConfigMap ${home}/right`);
      await plane.make(`ConfigMap ${home}/right`);
      return undefined;
    };
    try {
      const { code, stdout } = await run(`cm/right -n ${home} ${blind} -s ${proxy.address}`);
      expect([code, stdout, isReplaced]).toEqual([3, '', true]);
      expect(await namesIn(path)).toContain('right');
    } finally {
      await proxy.close();
    }
  });

  test('an unreadable object is not deleted where an aggregated API server might delete it in a dry run', async () => {
    const { code } = await run(`widget/unseen -n ${home} ${blind} --yes`);
    expect([code, await plane.isHealthy(`Widget ${home}/unseen`)]).toEqual([3, true]);
    const rule = {
      apiGroups: ['apiregistration.k8s.io'],
      resources: ['apiservices'],
      verbs: ['get'],
    };
    await permit(plane, 'unseeing', [rule]);
    const { code: then } = await run(`widget/unseen -n ${home} ${blind} --yes`);
    expect([then, await plane.isHealthy(`Widget ${home}/unseen`)]).toEqual([0, false]);
  });

  test('the name of what may not be read has to be typed on a terminal', async () => {
    const line = `delete cm/bottom -n ${home} ${blind}`;
    const at = 'Type bottom to confirm: ';
    const refused = await onTerminal(line, { env, at, typed: 'y\r' });
    expect([refused.code, await namesIn(path)]).toEqual([0, expect.arrayContaining(['bottom'])]);
    const agreed = await onTerminal(line, { env, at, typed: 'bottom\r' });
    expect([agreed.code, await namesIn(path)]).toEqual([0, expect.not.arrayContaining(['bottom'])]);
  });

  test('what may not be read is not deleted where the plan for the rest of the command line is refused', async () => {
    const may = (verb: string, name: string) => {
      return { apiGroups: [''], resources: ['configmaps'], verbs: [verb], resourceNames: [name] };
    };
    await permit(plane, 'half-seeing', [may('get', 'left'), may('delete', 'top')], home);
    const line = `cm/top cm/left -n ${home} --as half-seeing --allow-incomplete --yes`;
    const { code, stdout } = await run(line);
    expect([code, stdout, await namesIn(path)]).toEqual([
      3,
      '',
      expect.arrayContaining(['left', 'top']),
    ]);
  });
});

test('what cannot be read any more at the second look is not deleted either', async () => {
  const path = await familyIn('limits-second-look');
  const proxy = await startProxy(plane);
  let looks = 0;
  proxy.before = async ({ path: asked }) => {
    // A plan is made again where its backup takes longer than a second.
    if (asked.includes('/configmaps/bottom')) await setTimeout(1_500);
    if (!asked.startsWith('/api/v1/namespaces/limits-second-look/secrets')) return undefined;
    looks += 1;
    return looks > 1 ? { status: 403 } : undefined;
  };
  try {
    await tell(String.raw`
cm/top -n limits-second-look -s ${proxy.address}
  3
  ^error: not everything that would be deleted could be read; nothing was sent\n {2}cannot list secrets`);
    expect(proxy.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
    expect([looks, await namesIn(path)]).toEqual([2, ['bottom', 'left', 'right', 'top']]);
  } finally {
    await proxy.close();
  }
});

test('an admin of a namespace with a kind of others gets a note of it, and a script has to say yes', async () => {
  const home = 'limited-admin';
  const path = await familyIn(home);
  await define('Tally', 'foreign.example.com');
  await admin(home, 'dana', ['foreign.example.com']);
  const table = await run(`cm/left -n ${home} --as dana --preview`);
  expect(table.stdout).toMatch(/^2 or more objects will be deleted: 2 ConfigMaps\.$/m);
  expect(table.stdout).toMatch(
    /^More may be deleted: tallys\.foreign\.example\.com could not be read\.$/m,
  );
  const warnings = table.stderr.split('\n').filter((line) => line.startsWith('Warning: '));
  const hidden = 'tallys.foreign.example.com';
  expect(warnings).toEqual([expect.stringContaining(`cannot list ${hidden} in ${home}:`)]);
  const { stdout } = await run(`cm/left -n ${home} --as dana --preview -o json`);
  const { coverage, refusals } = JSON.parse(stdout);
  expect([coverage.complete, refusals.map(({ code }: { code: string }) => code)]).toEqual([
    false,
    ['incomplete'],
  ]);
  expect(coverage.problems).toContainEqual(
    expect.objectContaining({ reason: 'forbidden', resource: hidden }),
  );
  await tell(String.raw`
cm/right -n ${home} --as dana
  3
  ^error: not everything that would be deleted could be read; nothing was sent\n {2}cannot list ${hidden} in ${home}: .*$
  ^ {2}Resource types that could not be read may contain more objects that are deleted\. To delete anyway: --yes\.$`);
  expect(await namesIn(path)).toEqual(['bottom', 'left', 'right', 'top']);
  await permit(plane, 'dana', [
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'delete'] },
  ]);
  // Of the namespace itself a yes is not enough; many kinds and one sentence.
  await tell(String.raw`
cm/right -n ${home} --as dana --yes
  0
  > configmap "right" deleted from ${home} namespace
ns/${home} --as dana --yes
  3
  --allow-incomplete
  ^ {2}dana may not list \d+ kinds, .+ and .+ among them$
  ^ {2}To print the role: kubectl gc rbac delete$`);
  expect(await namesIn(path)).toEqual(['bottom', 'left', 'top']);
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
    await tell(`
cm/right -n limited-race -s ${proxy.address}
  0
  > configmap "right" deleted from limited-race namespace
  ! fleetings`);
    expect(deleted).toBeGreaterThan(0);
    expect(await namesIn(path)).toEqual(['bottom', 'left', 'top']);
  } finally {
    await proxy.close();
  }
});

test('users with a default role get a note only of kinds that may contain more', async () => {
  const path = await familyIn('limited-roles');
  // The kinds of these tests are in no role of Kubernetes.
  for (const role of ['admin', 'edit']) await admin('limited-roles', `${role}-user`, [], role);
  await plane.make('Widget limited-roles/lever');
  const unseen = '[a-z0-9., ]*podtemplates[a-z0-9., ]*';
  const note = `^Note: ${unseen} can be neither listed nor created, so they were skipped$`;
  await tell(String.raw`
cm/right -n limited-roles --as edit-user
  0
  > configmap "right" deleted from limited-roles namespace
  ${note}
  ! Warning: .*(cannot|may not) list
widgets/lever -n limited-roles --as edit-user
  3
  ^error: not everything that would be deleted could be read
  edit-user may not list rolebindings\.\S+ and roles\.\S+ in namespace limited-roles
cm/top -n limited-roles --as admin-user
  0
  > configmap "top" deleted from limited-roles namespace
  ${note}`);
  expect(await namesIn(path)).toEqual([]);
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
  ])('%s of a hidden object: unknown', async (command, what, verb) => {
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
