import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { commandOf, permissions } from '../../src/shell/command-permissions.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { policyReportDefinitions } from '../support/policy-report-definitions.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWatching } from '../support/watching.ts';
import { podObject } from './dead-pods.ts';
import { makeCluster, uses } from './rbac-situations.ts';
import { partsOf, permittedIn, type Rule, usagePolicy } from './rbac-usage.ts';

/** For each command a user who may do what `rbac` prints and nothing else, on a real API server. */
const folder = temporaryFolder();
const auditLog = join(folder, 'audit.log');
writeFileSync(join(folder, 'policy.json'), JSON.stringify(usagePolicy('shop')));
const widgets = withStatus(customDefinition('Widget', 'example.com'));
const plane = await ownControlPlane({
  controllers: 'none',
  definitions: [...policyReportDefinitions(), widgets],
  apiServerArgs: [
    `--audit-policy-file=${join(folder, 'policy.json')}`,
    `--audit-log-path=${auditLog}`,
    '--audit-log-mode=blocking',
  ],
});

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly Rule[];
}

/** What each command is asked, and the arguments of `rbac` for that. */
const lines: readonly (readonly [asked: string, line: string])[] = [
  ['owners configmaps', 'owners configmap/dependent -n shop -o json'],
  ['tree', 'tree configmap/root -n shop -o json'],
  ['orphans', 'orphans -A -o json'],
  ['deleted', 'deleted -A -o json'],
  ['invalid-ownerrefs configmaps', 'invalid-ownerrefs -A -o json'],
  ['audit', 'audit -A --no-config --fail-on never -o json'],
  ['report', 'report --no-config --fail-on never'],
  ['status --with access', 'status -A -o json'],
  ['why configmaps', 'why configmap/stuck -n shop -o json'],
  ['delete configmaps', 'delete configmap/victim -n shop --yes --no-backup'],
  ['forecast', 'forecast -A -o json'],
  ['podgc-preview', 'podgc-preview -o json'],
  ['simulate', 'simulate --delete configmap/root -n shop -o json'],
  ['snapshot save', 'snapshot save -'],
  ['snapshot diff', 'snapshot diff test/fixtures/clusters/pods-only.yaml -o json'],
  ['settings', 'settings'],
  ['images', 'images --all'],
  ['containers', 'containers --all'],
];
/** There is no kubelet that could answer. */
const ofKubelets = ['settings', 'images', 'containers'];

/** The same, of which the status is a subresource. */
function withStatus(definition: KubeObject): KubeObject {
  const { spec } = definition as KubeObject & { spec: { versions: readonly object[] } };
  const versions = spec.versions.map((version) => ({ ...version, subresources: { status: {} } }));
  return { ...definition, spec: { ...spec, versions } } as KubeObject;
}

const create = (name: string, metadata: object = {}) =>
  plane.make(`ConfigMap shop/${name}`, { metadata });

/** The rules that `rbac` prints for these arguments, and the users who had them. */
const granted = new Map<string, { readonly rules: readonly Rule[]; readonly users: string[] }>();

/** A user with these roles, other than the rules that `keep` refuses. */
async function userWith(
  asked: string,
  name: string,
  keep: (rule: Rule) => boolean = () => true,
): Promise<string> {
  const account = `--service-account shop/${name}`;
  const { code, stdout, stderr } = await gcHere(`rbac ${asked} ${account} -o json`);
  expect([code, stderr]).toEqual([0, '']);
  const { items } = JSON.parse(stdout) as { items: Manifest[] };
  const own = items.map((one) => ({
    ...one,
    metadata: { ...one.metadata, name },
    ...(one.rules && { rules: one.rules.filter(keep) }),
    ...('roleRef' in one && { roleRef: { ...Object(one.roleRef), name } }),
  }));
  const printed = items.flatMap(({ rules = [] }) => rules);
  const { rules, users } = granted.get(asked) ?? { rules: printed, users: [] };
  granted.set(asked, { rules, users: [...users, name] });
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: own });
  await plane.kubectl(['apply', '-f', '-'], { input: list });
  return plane.kubeconfigFor({ token: await plane.serviceAccountToken('shop', name) });
}

beforeAll(() => makeCluster(plane));

const refused = /forbidden|is not permitted|may not/i;

describe.each(lines)('%s', (asked, line) => {
  const [name = ''] = asked.split(' ');

  test('is enough', async () => {
    if (name === 'delete') await create('victim');
    const user = await userWith(asked, `may-${name}`);
    const { code, stdout, stderr } = await gcHere(`${line} --kubeconfig ${user}`);
    if (!ofKubelets.includes(name)) expect([stderr, code]).toEqual([stderr, 0]);
    expect(stderr).not.toMatch(refused);
    if (line.endsWith('-o json')) {
      const { problems } = JSON.parse(stdout).coverage as { problems: { reason: string }[] };
      // The file that a cluster is compared with shows a part of one.
      expect(problems.filter(({ reason }) => reason !== 'not-in-input')).toEqual([]);
    }
    if (name === 'report') expect(stdout).toContain('\nkubectl_gc_report_complete 1\n');
  });

  test('is needed: without the first rule, it is said what may not be done', async () => {
    if (name === 'delete') await create('victim');
    let dropped: Rule | undefined;
    const user = await userWith(asked, `less-${name}`, (rule) => {
      dropped ??= rule;
      return rule !== dropped;
    });
    const { stdout, stderr } = await gcHere(`${line} --kubeconfig ${user}`);
    expect(stdout + stderr).toMatch(refused);
    expect(dropped?.verbs.filter((verb) => (stdout + stderr).includes(verb))).not.toEqual([]);
    if (name === 'delete') expect(await plane.isHealthy('ConfigMap shop/victim')).toBe(true);
  });
});

/** What the flags need that change a cluster, and an object that is no more as it was once they have done so. */
const changes: readonly (readonly [asked: string, line: string, changed: string])[] = [
  [
    'podgc-preview --with apply',
    'podgc-preview -n shop --apply --yes --no-backup --wait=false',
    'Pod shop/podgc-preview',
  ],
  [
    'forecast pods --with apply',
    'forecast -n shop --apply --yes --no-backup --wait=false --collector pod-garbage-collector',
    'Pod shop/forecast',
  ],
  [
    'why configmaps --with fix',
    'why configmap/why -n shop --fix --yes --remove-finalizer example.com/hold',
    'ConfigMap shop/why',
  ],
  [
    'invalid-ownerrefs configmaps --with fix',
    'invalid-ownerrefs configmaps -n shop --fix --yes --missing-owner=keep',
    'ConfigMap shop/invalid-ownerrefs',
  ],
  [
    'delete configmaps',
    'delete configmap/delete -n shop --cascade=orphan --yes --no-backup --wait=false',
    'ConfigMap shop/delete',
  ],
];

test.each(changes)(
  'the roles of rbac %s are enough to change what it is about',
  async (asked, line, changed) => {
    const [name = ''] = asked.split(' ');
    const gone = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'uid-of-nothing' };
    if (changed.startsWith('Pod '))
      await plane.putObjects([podObject('shop', name, { node: 'never', phase: 'Running' })]);
    else if (name === 'why') await create(name, { finalizers: ['example.com/hold'] });
    else await create(name, name === 'delete' ? {} : { ownerReferences: [gone] });
    if (name === 'why') await plane.remove(changed);
    const versionOf = async () =>
      (await plane.isHealthy(changed))
        ? (await plane.get(changed)).metadata.resourceVersion
        : undefined;
    const before = await versionOf();
    const user = await userWith(asked, `changes-by-${name}`);
    const { code, stderr } = await gcHere(`${line} --kubeconfig ${user}`);
    expect([stderr, code]).toEqual([stderr, 0]);
    expect(stderr).not.toMatch(refused);
    expect(await versionOf()).not.toBe(before);
  },
);

test('a user of restore can restore deleted objects, and none of another kind', async () => {
  const backup = join(folder, 'backup');
  // Its field manager is restored, too.
  const saved = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'saved' },
    data: { a: '1' },
  };
  await plane.kubectl(['apply', '--server-side', '-n', 'shop', '-f', '-'], {
    input: JSON.stringify(saved),
  });
  const line = `delete configmap/saved -n shop --yes --backup ${backup}`;
  await gcHere(`${line} --kubeconfig ${plane.kubeconfigPath}`);
  const restore = async (kind: string) => {
    const user = await userWith(`restore ${kind}`, `may-restore-${kind}`);
    return gcHere(`restore ${backup} --yes --kubeconfig ${user}`);
  };
  const other = await restore('secrets');
  expect(other.stdout + other.stderr).toMatch(refused);
  expect(await plane.isHealthy('ConfigMap shop/saved')).toBe(false);
  const { code, stderr } = await restore('configmaps');
  expect([stderr, code]).toEqual([stderr, 0]);
  expect(await plane.isHealthy('ConfigMap shop/saved')).toBe(true);
});

test('a user of restore gives custom resources their status back', async () => {
  const backup = join(folder, 'widgets');
  const path = '/apis/example.com/v1/namespaces/shop/widgets';
  await plane.create(path, {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'a' },
  });
  await plane.report(`${path}/a`, { address: '10.0.0.1' });
  const line = `delete widget/a -n shop --yes --backup ${backup}`;
  await gcHere(`${line} --kubeconfig ${plane.kubeconfigPath}`);
  const user = await userWith('restore widgets.example.com', 'may-restore-widgets');
  const { code, stderr } = await gcHere(`restore ${backup} --yes --kubeconfig ${user}`);
  expect([stderr, code]).toEqual([stderr, 0]);
  const { status } = await plane.get<KubeObject & { status: object }>(`${path}/a`);
  expect(status).toEqual({ address: '10.0.0.1' });
});

test('a user of view can follow a served page, and without permission to list gets an error', async () => {
  const served = async (name: string, keep?: (rule: Rule) => boolean) =>
    startWatching('view configmap/root -n shop', {
      KUBECONFIG: await userWith('view', name, keep),
    });
  const view = await served('may-view');
  await view.shows('http://127.0.0.1:');
  expect(await view.end()).toMatchObject({ code: 0 });
  expect(view.stderr()).not.toMatch(refused);
  const other = await served('less-view', () => false);
  await other.tells(refused);
  await other.end();
  expect(other.stdout()).toBe('');
});

describe.each(uses)('$asked', ({ asked, lines: given, makes, until }) => {
  test.each(given)('%s may be used', async (line) => {
    if (line === given[0]) await makes?.(plane);
    const name = `uses-${asked.replaceAll(/\W+/g, '-')}`;
    const user = await userWith(asked, name);
    if (!until) {
      const { code, stderr } = await gcHere(`${line} --kubeconfig ${user}`);
      expect(stderr).not.toMatch(refused);
      // What waits for a garbage collector does not end here.
      expect([0, 4], stderr).toContain(code);
      return;
    }
    const command = startWatching(line, { KUBECONFIG: user });
    await command.shows(until);
    // It shows what it has listed, and watches only then.
    await eventually(`${line}: each watch that is permitted`, async () =>
      partsOf(granted.get(asked)?.rules ?? [], requestsOf([name]))
        .filter(({ verb }) => verb === 'watch')
        .every(({ isUsed }) => isUsed),
    );
    await command.end();
    expect(command.stderr()).not.toMatch(refused);
  });
});

/** What these ServiceAccounts asked for and were permitted. */
function requestsOf(accounts: readonly string[]) {
  const names = new Set(accounts.map((name) => `system:serviceaccount:shop:${name}`));
  return permittedIn(readFileSync(auditLog, 'utf8')).filter(({ user }) => names.has(user.username));
}

test('of what rbac prints for a command, each part is used', () => {
  const used = new Set<string>();
  const printed = new Set<string>();
  for (const [asked, { rules, users }] of granted) {
    const own = requestsOf(users);
    const [words = '', option = ''] = asked.split(' --with ');
    const { command, kinds } = commandOf(words.split(' '));
    const named = kinds.flatMap((kind) => kind.split(','));
    for (const { verb, resource, isUsed } of partsOf(rules, own)) {
      // A command needs the same of each kind that it is about.
      const on = named.some((kind) => resource.startsWith(kind)) ? 'named' : resource;
      const part = `${command} ${option}: ${verb} ${on}`;
      printed.add(part);
      if (isUsed) used.add(part);
    }
  }
  expect([...printed].filter((part) => !used.has(part))).toEqual([]);
});

test('each command is tried here, and each of its options', () => {
  const options = Object.entries(permissions).flatMap(([command, { with: some = {} }]) => [
    command,
    ...Object.keys(some).map((option) => `${command} --with ${option}`),
  ]);
  const tried = [...granted.keys()].map((asked) => {
    const [words = '', option] = asked.split(' --with ');
    const { command } = commandOf(words.split(' '));
    return option === undefined ? command : `${command} --with ${option}`;
  });
  // guard.test.ts runs the guard as its ServiceAccount.
  const elsewhere = ['guard', 'guard --with certificate'];
  const all = new Set([...tried, ...elsewhere, ...tried.map((one) => one?.split(' --with ')[0])]);
  expect([...all].sort()).toEqual(options.sort());
});
