import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { permit } from '../support/permissions.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { proxyOfFile } from './proxy.ts';

/** Names that lead to another path: no request is sent for them, whoever names them. */
const plane = sharedControlPlane();
const namespace = 'odd-names';
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const folder = temporaryFolder();
const proxy = await proxyOfFile(plane);
/** May delete, and not look: the server's refusal to read is no guard. */
let deleter: string;

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  await plane.make(`ConfigMap ${namespace}/kept`);
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['delete', 'deletecollection'] }];
  await permit(plane, 'odd-deleter', rules);
  deleter = plane.kubeconfigFor({ user: 'odd-deleter' });
});

function manifest(name: string, metadata: object): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata }));
  return path;
}

/** Which cluster it is may be asked at any time. */
function isOfObject(path: string): boolean {
  return !path.endsWith('/namespaces/kube-system');
}

/** Runs a line as the administrator; the paths that it asked for, without those of discovery. */
async function ask(line: string) {
  proxy.forget();
  const run = await gc(`${line} -s ${proxy.address}`, {
    env: { KUBECONFIG: plane.kubeconfigPath, HOME: folder },
  });
  const paths = proxy.requests
    .map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`)
    .filter((path) => !/^GET \/(api|apis|version)$/.test(path));
  return { run, paths };
}

test.each(['.', '..', 'a%b'])('%s on the command line', async (name) => {
  const why = name === 'a%b' ? `may not contain '%'` : `may not be '${name}'`;
  const refused = (what: string) => `error: invalid ${what} "${name}": [${why}]\n`;
  const { stderr } = await plane.kubectl(['delete', 'cm', name, '-n', namespace]);
  expect(stderr).toBe(refused('resource name'));
  const lines = `delete cm NAME --yes | delete cm/NAME --dry-run=server | delete cm kept NAME --yes | owners cm/NAME |
    tree cm/NAME | why cm/NAME | images NAME | delete cm kept --yes | orphans | owners cm/kept | why cm/kept | audit`;
  for (const line of lines.split('|').map((one) => one.trim())) {
    const isNamed = line.includes('NAME');
    const where = isNamed ? (line.startsWith('images') ? '' : `-n ${namespace}`) : `-n ${name}`;
    const { run, paths } = await ask(`${line.replace('NAME', name)} ${where}`);
    const said = { code: 2, stdout: '', stderr: refused(isNamed ? 'resource name' : 'namespace') };
    expect([line, run, paths]).toEqual([line, said, []]);
  }
});

test.each(['.', '..'])('%s for someone who may delete and not look', async (name) => {
  const file = manifest('bad.yaml', { name, namespace });
  const lines = [`cm ${name} -n ${namespace}`, `-f ${file}`];
  for (const flags of ['--allow-incomplete --yes', '--dry-run=server']) {
    for (const line of lines) {
      const { code, stdout } = await gc(`delete ${line} ${flags}`, {
        env: { KUBECONFIG: deleter },
      });
      expect([line, code === 2 || code === 3, stdout]).toEqual([line, true, '']);
    }
  }
  const { metadata } = await plane.get(`Namespace ${namespace}`);
  expect(metadata).not.toHaveProperty('deletionTimestamp');
  await plane.get(`${configMaps}/kept`);
});

test('in a manifest, as with kubectl', async () => {
  const named = manifest('named.yaml', { name: '..', namespace });
  const spaced = manifest('spaced.yaml', { name: 'kept', namespace: '..' });
  const refused = (file: string, what: string) =>
    `error: error when deleting "${file}": invalid ${what} "..": [may not be '..']\n`;
  for (const [file, what] of [
    [named, 'resource name'],
    [spaced, 'namespace'],
  ] as const) {
    const { stderr } = await plane.kubectl(['delete', '-f', file]);
    for (const flags of ['--yes', '--dry-run=server']) {
      const { run, paths } = await ask(`delete -f ${file} ${flags}`);
      expect(run).toEqual({ code: 3, stdout: '', stderr: refused(file, what) });
      expect(paths.filter(isOfObject)).toEqual([]);
    }
    expect(stderr).toBe(refused(file, what));
  }
  for (const command of [
    `owners -f ${named}`,
    `why -f ${named}`,
    `tree -f ${named}`,
    `audit --against-cluster --from ${named}`,
    `restore --from ${named} --yes`,
  ]) {
    const { run, paths } = await ask(command);
    const wrong = paths.filter((path) => isOfObject(path) && /^(?!GET)|\/\.\.?$/.test(path));
    expect([command, wrong]).toEqual([command, []]);
    expect(run.stderr, command).toContain(`invalid resource name "..": [may not be '..']`);
    expect(paths).not.toContain(`GET /api/v1/namespaces/${namespace}`);
  }
});

test('in an edited plan', async () => {
  const file = join(folder, 'plan.json');
  await ask(`delete cm kept -n ${namespace} --plan ${file}`);
  const plan = JSON.parse(readFileSync(file, 'utf8'));
  plan.requests[0].name = '..';
  writeFileSync(file, JSON.stringify(plan));
  const { run, paths } = await ask(`delete --plan ${file} --yes`);
  expect([run.code, run.stdout, paths]).toEqual([2, '', []]);
  expect(run.stderr).toContain('is no whole plan: requests[0].name is ".."');
});

test('in the index of a backup', async () => {
  await plane.make(`ConfigMap ${namespace}/saved`);
  const backup = join(folder, 'backup');
  const env = { KUBECONFIG: plane.kubeconfigPath };
  await gc(`delete cm saved -n ${namespace} --backup=${backup} --yes`, { env });
  expect(readdirSync(backup)).toContain('backup.json');
  const index = join(backup, 'backup.json');
  const read = JSON.parse(readFileSync(index, 'utf8'));
  read.objects[0].name = '..';
  writeFileSync(index, JSON.stringify(read));
  const { run, paths } = await ask(`restore ${backup} --accept-edited --yes`);
  expect([run.code, run.stdout, paths]).toEqual([3, '', []]);
});

/** What the real collector does with a dependent of such an owner: its GET is sent to the cleaned path. */
test('as an owner the collector looks elsewhere, so nothing is said of it', async () => {
  const space = await plane.get(`Namespace ${namespace}`);
  const other = '11111111-1111-4111-8111-111111111111';
  const cases: readonly [string, string, 'kept' | 'deleted'][] = [
    // The namespace itself answers to `..`.
    ['..', String(space.metadata.uid), 'kept'],
    ['..', other, 'deleted'],
    // A list is no object, and `%` a bad request: the collector tries for ever.
    ['.', other, 'kept'],
    ['a%b', other, 'kept'],
    ['a/b', other, 'deleted'],
  ];
  const of = (index: number) => ({
    name: `of-${index}`,
    ownerReferences: [
      { apiVersion: 'v1', kind: 'ConfigMap', name: cases[index]?.[0], uid: cases[index]?.[1] },
    ],
  });
  const offline = join(folder, 'dependents.json');
  const items = cases.map((_, index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...of(index), namespace, uid: `uid-${index}` },
  }));
  writeFileSync(offline, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const judged = JSON.parse((await gc(`orphans -A -o json --complete --from ${offline}`)).stdout);
  const classes = judged.items.map((item: { references: { class: string }[]; gc: object }) => [
    item.references.map((reference) => reference.class),
    item.gc,
  ]);
  expect(classes).toEqual(
    cases.map(() => [['unknown'], expect.objectContaining({ action: 'unknown' })]),
  );
  for (const index of cases.keys()) await plane.create(configMaps, { metadata: of(index) });
  const left = async () => {
    const names = await plane.names(configMaps);
    return cases.map((_, index) => (names.includes(`of-${index}`) ? 'kept' : 'deleted'));
  };
  const ends = cases.map(([, , end]) => end);
  await eventually(
    'the deletions of the collector',
    async () => (await left()).join() === ends.join(),
  );
  await sleep(2000);
  expect(await left()).toEqual(ends);
  const lines = `owners cm/of-0 | owners cm/of-2 | orphans | why cm/of-2 | tree cm/of-2 | invalid-ownerrefs |
    delete cm of-2 --preview | audit --fail-on never --allow-incomplete`;
  for (const line of lines.split('|').map((one) => one.trim())) {
    const { run, paths } = await ask(`${line} -n ${namespace}`);
    expect([line, run.code], run.stderr).toEqual([line, 0]);
    expect(run.stderr).not.toContain('bug');
    expect(paths.filter((path) => /\/\.\.?$|%25|\/a%/.test(path))).toEqual([]);
  }
});
