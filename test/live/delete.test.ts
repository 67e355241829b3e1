import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { interruptGc } from '../cli/interrupt-gc.ts';
import { gc, type Run } from '../cli/run-gc.ts';
import { validatorOf } from '../contract/schemas.ts';
import { eventually } from '../support/eventually.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { onTerminal } from './on-terminal.ts';
import { startRecordingProxy } from './recording-proxy.ts';

/** What delete has on top of kubectl's, through the built command line on a real cluster. */
const plane = sharedControlPlane();
const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-delete-'));
const made: string[] = [];
const env = {
  KUBECONFIG: plane.kubeconfigPath,
  KUBECTL_GC_BACKUP_DIR: join(folder, 'backups'),
};
const run = (line: string): Promise<Run> => gc(`delete ${line}`, { env });

interface Names {
  readonly metadata: { readonly name: string; readonly uid: string };
}

/** A namespace with an owner, two dependents and one below, all of them ConfigMaps. */
async function familyIn(namespace: string, finalizers: readonly string[] = []): Promise<string> {
  made.push(namespace);
  await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const child = async (name: string, owner: Names, more: object = {}) =>
    plane.create<Names>(path, {
      metadata: {
        name,
        ownerReferences: [
          { apiVersion: 'v1', kind: 'ConfigMap', ...pick(owner), blockOwnerDeletion: true },
        ],
        ...more,
      },
    });
  const top = await plane.create<Names>(path, { metadata: { name: 'top' } });
  const left = await child('left', top);
  await child('right', top);
  await child('bottom', left, { finalizers });
  return path;
}

function pick({ metadata: { name, uid } }: Names) {
  return { name, uid };
}

async function namesIn(path: string): Promise<string[]> {
  const { items } = await plane.get<{ items: Names[] }>(path);
  return items.map(({ metadata: { name } }) => name).filter((name) => name !== 'kube-root-ca.crt');
}

async function release(path: string, name: string): Promise<void> {
  await plane.patch(`${path}/${name}`, { metadata: { finalizers: null } });
}

afterAll(async () => {
  rmSync(folder, { recursive: true });
  for (const name of made) {
    await plane.request(`/api/v1/namespaces/${name}`, { method: 'DELETE' });
  }
});

describe('a plan', () => {
  let path: string;
  const file = join(folder, 'plan.json');
  beforeAll(async () => {
    path = await familyIn('delete-plan');
  });

  test('is shown, and nothing is sent', async () => {
    const { code, stdout } = await run('cm/top -n delete-plan --preview -o json');
    const plan = JSON.parse(stdout);
    const validate = validatorOf('plan');
    validate(plan);
    expect([code, validate.errors]).toEqual([0, null]);
    const fates = plan.objects.map((object: { name: string; fate: string; wave: number }) => [
      object.wave,
      object.name,
      object.fate,
    ]);
    expect(fates).toEqual([
      [0, 'top', 'deleted'],
      [1, 'left', 'deleted'],
      [1, 'right', 'deleted'],
      [2, 'bottom', 'deleted'],
    ]);
    expect(await namesIn(path)).toEqual(['bottom', 'left', 'right', 'top']);
    const same = await run('cm/top -n delete-plan --dry-run=client -o json');
    expect(JSON.parse(same.stdout).objects).toEqual(plan.objects);
  });

  test('three policies are compared', async () => {
    const { code, stdout } = await run('cm/top -n delete-plan --compare -o json');
    const comparison = JSON.parse(stdout);
    const validate = validatorOf('deletion-comparison');
    validate(comparison);
    expect([code, validate.errors]).toEqual([0, null]);
    expect(comparison.policies.orphan).toMatchObject({ deleted: 1, orphaned: 2 });
    expect(comparison.policies.foreground).toMatchObject({ deleted: 4 });
  });

  test('from the leaves up has a request for each object', async () => {
    const { stdout } = await run('cm/top -n delete-plan --order=leaf-first --preview -o json');
    const requests = JSON.parse(stdout).requests as { name: string; wave: number }[];
    expect(requests.map(({ name, wave }) => `${wave} ${name}`)).toEqual([
      '0 bottom',
      '0 right',
      '1 left',
      '2 top',
    ]);
  });

  test('is written, and not performed where it was edited, cut off or nobody agrees', async () => {
    const written = await run(`cm/top -n delete-plan --plan ${file}`);
    expect([written.code, written.stdout]).toEqual([0, '']);
    expect(written.stderr).toMatch(/^Nothing was deleted\. .* holds the plan: 4 objects would go/);
    const text = readFileSync(file, 'utf8');
    const other = join(folder, 'other.json');
    writeFileSync(other, text.replace('"bottom"', '"button"'));
    expect(await run(`--plan ${other} --yes`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/was changed after it was made/),
    });
    writeFileSync(other, text.slice(0, -200));
    expect(await run(`--plan ${other} --yes`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is cut off/),
    });
    expect(await run(`--plan ${file}`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/nobody is there to agree/),
    });
    expect(await run(`--plan ${file} --yes --cascade=orphan`)).toMatchObject({ code: 2 });
    expect(await run(`--plan ${join(folder, 'none.json')} --yes`)).toMatchObject({ code: 3 });
    expect(await namesIn(path)).toHaveLength(4);
  });

  test('is refused when the cluster has moved, and says how', async () => {
    await plane.create(path, {
      metadata: { name: 'new', ownerReferences: [await topReference()] },
    });
    const moved = await run(`--plan ${file} --yes`);
    expect([moved.code, moved.stdout]).toEqual([3, '']);
    expect(moved.stderr).toMatch(/the cluster has moved since .*; nothing was sent\n/);
    expect(moved.stderr).toMatch(/configmap\/new in namespace delete-plan is new: deleted\n/);
    await plane.request(`${path}/new`, { method: 'DELETE' });
    await plane.patch(`${path}/top`, { metadata: { labels: { touched: 'yes' } } });
    expect((await run(`--plan ${file} --yes`)).stderr).toMatch(/top .*was changed/);
    expect(await namesIn(path)).toHaveLength(4);
  });

  async function topReference() {
    const top = await plane.get<Names>(`${path}/top`);
    return { apiVersion: 'v1', kind: 'ConfigMap', ...pick(top) };
  }

  test('is refused on another cluster', async () => {
    const preview = await run('cm/top -n delete-plan --preview -o json');
    const { digest: _, ...plan } = JSON.parse(preview.stdout);
    const { sealPlan } = await import('../../src/executor/seal-plan.ts');
    const cluster = { ...plan.cluster, uid: '00000000-0000-0000-0000-000000000000' };
    writeFileSync(file, JSON.stringify(sealPlan({ ...plan, cluster })));
    const other = await run(`--plan ${file} --yes`);
    expect([other.code, other.stdout]).toEqual([3, '']);
    expect(other.stderr).toMatch(/the plan is for /);
  });

  test('is performed: lines, a backup, and nothing left', async () => {
    await run(`cm/top -n delete-plan --plan ${file}`);
    const directory = join(folder, 'kept');
    const { code, stdout, stderr } = await run(`--plan ${file} --yes --backup ${directory}`);
    expect([code, stdout]).toEqual([0, 'configmap "top" deleted from delete-plan namespace\n']);
    expect(stderr).toBe(`Backup of 4 objects: ${directory}\n`);
    expect(existsSync(join(directory, 'backup.json'))).toBe(true);
    expect(await namesIn(path)).toEqual([]);
  });
});

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

describe('while it is performed', () => {
  test('the tree is followed, from the leaves up if asked to', async () => {
    const path = await familyIn('delete-leaves');
    const { code, stdout } = await run('cm/top -n delete-leaves --order=leaf-first');
    const names = [...stdout.matchAll(/^configmap "(\w+)" deleted/gm)].map(([, name]) => name);
    expect([code, names.slice(0, 2).sort(), names.slice(2)]).toEqual([
      0,
      ['bottom', 'right'],
      ['left', 'top'],
    ]);
    expect(await namesIn(path)).toEqual([]);
    expect(readdirSync(env.KUBECTL_GC_BACKUP_DIR).length).toBeGreaterThan(0);
  });

  test('-o json prints events as published', async () => {
    const path = await familyIn('delete-events');
    const { code, stdout } = await run('cm/top -n delete-events -o json --no-backup');
    const validate = validatorOf('progress-event');
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const event of events) {
      validate(event);
      expect([event.type, validate.errors]).toEqual([event.type, null]);
    }
    expect([code, events[0]?.type, events.at(-1)]).toEqual([
      0,
      'planned',
      expect.objectContaining({ type: 'done', ended: 'gone', gone: 4, left: 0, differences: 0 }),
    ]);
    expect(await namesIn(path)).toEqual([]);
  });

  test('the time runs out on a finalizer: exit 4, and why', async () => {
    const path = await familyIn('delete-held', ['example.com/hold']);
    const { code, stdout, stderr } = await run(
      'cm/top -n delete-held --cascade=foreground --timeout=3s --no-backup',
    );
    expect([code, stdout]).toEqual([4, 'configmap "top" deleted from delete-held namespace\n']);
    expect(stderr).toMatch(/^error: timed out waiting for the condition on configmaps\/top\n/);
    expect(stderr).toMatch(/bottom in delete-held is left: .*example\.com\/hold/);
    await release(path, 'bottom');
  });

  test('--wait=object does not wait for dependents, --wait=false for nobody', async () => {
    const path = await familyIn('delete-waits', ['example.com/hold']);
    expect(await run('cm/right -n delete-waits --wait=false')).toMatchObject({ code: 0 });
    const { code, stdout } = await run('cm/top -n delete-waits --wait=object --no-backup');
    expect([code, stdout]).toEqual([0, 'configmap "top" deleted from delete-waits namespace\n']);
    await release(path, 'bottom');
  });

  test('Ctrl-C: what was done is told, exit 130', async () => {
    const path = await familyIn('delete-interrupted', ['example.com/hold']);
    const { code, stdout, stderr } = await interruptGc(
      'delete cm/bottom -n delete-interrupted --no-backup',
      'configmap "bottom" deleted',
      env,
    );
    expect([code, stdout]).toEqual([
      130,
      'configmap "bottom" deleted from delete-interrupted namespace\n',
    ]);
    expect(stderr).toMatch(/bottom in delete-interrupted is left: /);
    expect(stderr).toMatch(/^interrupted: 1 sent/m);
    await release(path, 'bottom');
  });
});

test('what changes between plan and backup is planned anew', async () => {
  const path = await familyIn('delete-moving');
  const top = await plane.get<Names>(`${path}/top`);
  const proxy = await startRecordingProxy(plane);
  let isMade = false;
  proxy.before = async ({ path: asked }) => {
    if (isMade || !asked.includes('selfsubjectaccessreviews')) return;
    isMade = true;
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', ...pick(top) };
    await plane.create(path, { metadata: { name: 'late', ownerReferences: [owner] } });
  };
  try {
    const { code, stderr } = await run(`cm/top -n delete-moving --wait=false -s ${proxy.address}`);
    const backups = [...stderr.matchAll(/^Backup of (\d) objects: (.*)$/gm)];
    const kept = backups.map(([, count, directory]) => [count, existsSync(directory ?? '')]);
    expect([code, kept]).toEqual([
      0,
      [
        ['4', false],
        ['5', true],
      ],
    ]);
    await eventually('an empty namespace', async () =>
      (await namesIn(path)).length === 0 ? true : undefined,
    );
  } finally {
    await proxy.close();
  }
});

describe('on a terminal', () => {
  test('the plan is shown and asked about; no is an answer', async () => {
    const path = await familyIn('delete-asked');
    const { code, shown } = await onTerminal('delete cm/top -n delete-asked', {
      env,
      typed: 'n\r',
    });
    expect(shown).toMatch(/4 deleted.*: 4 ConfigMap/);
    expect(shown).toMatch(/Delete these 4 objects\? \(y\/N\): /);
    expect(shown).toMatch(/Nothing was deleted\./);
    expect([code, await namesIn(path)]).toEqual([0, ['bottom', 'left', 'right', 'top']]);
    const agreed = await onTerminal('delete cm/top -n delete-asked', { env, typed: 'y\r' });
    expect(agreed.shown).toMatch(/configmap "top" deleted from delete-asked namespace/);
    expect([agreed.code, await namesIn(path)]).toEqual([0, []]);
  });

  test('--yes does not ask', async () => {
    const path = await familyIn('delete-agreed');
    const { code, shown } = await onTerminal('delete cm/top -n delete-agreed --yes', { env });
    expect(shown).not.toMatch(/\(y\/N\)/);
    expect([code, await namesIn(path)]).toEqual([0, []]);
  });
});
