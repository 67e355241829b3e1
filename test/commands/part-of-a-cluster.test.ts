import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Files that hold the Deployments of a cluster and nothing else. */
const folder = temporaryFolder();
const deployments = join(folder, 'deployments.json');
const kubeconfig = join(folder, 'config');

beforeAll(() => {
  const deployment = (name: string, namespace: string) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, uid: `uid-of-${name}` },
  });
  const items = [deployment('web', 'shop'), deployment('api', 'default')];
  writeFileSync(deployments, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const contexts = [{ name: 'a', context: { cluster: 'c', namespace: 'shop' } }];
  writeFileSync(kubeconfig, JSON.stringify({ contexts, 'current-context': 'a' }));
});

const run = (line: string, env?: Record<string, string>) =>
  gcHere(`${line} --from ${deployments}`, { NO_COLOR: '1', ...env });
const warning =
  'Warning: more may be deleted: the input has no replicasets.apps, pods. If it holds the whole cluster, say --complete.\n';
const planned = 'Nothing was sent: this is a plan made from files.\n';

describe('a file with Deployments only', () => {
  test('has no ReplicaSets and pods, so delete counts at least', async () => {
    const { code, stdout, stderr } = await run('delete deployment/web -n shop --preview');
    expect({ code, tail: stdout.split('\n').slice(-3), stderr }).toEqual({
      code: 0,
      tail: [
        'At least 1 object goes: 1 Deployment.',
        'Perhaps more: the input has no replicasets.apps, pods.',
        '',
      ],
      stderr: warning + planned,
    });
  });

  test('is a part in the coverage of the plan, and the whole with --complete', async () => {
    const { stdout } = await run('delete deployment/web -n shop --preview -o json');
    const { complete, problems } = JSON.parse(stdout).coverage;
    expect([complete, problems.map(({ resource }: { resource: string }) => resource)]).toEqual([
      false,
      ['replicasets.apps', 'pods'],
    ]);
    const whole = await run('delete deployment/web -n shop --preview --complete');
    expect(whole).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\n\n1 object goes: 1 Deployment\.\n$/),
      stderr: planned,
    });
  });

  test('loses nothing more where dependents are orphaned', async () => {
    const line = 'delete deployment/web -n shop --preview --cascade=orphan -o json';
    const { stdout, stderr } = await run(line);
    expect([JSON.parse(stdout).coverage.complete, stderr]).toEqual([true, planned]);
  });

  test('is counted by each policy that takes dependents along', async () => {
    const { stdout, stderr } = await run('delete deployment/web -n shop --compare');
    expect([stdout.split('\n').slice(0, 4), stderr]).toEqual([
      [
        'POLICY       DELETED      RECREATED   STUCK   ORPHANED   STAYS   UNKNOWN',
        'background   at least 1   0           0       0          0       0',
        'foreground   at least 1   0           0       0          0       0',
        'orphan       1            0           0       0          0       0',
      ],
      warning + planned,
    ]);
  });

  test('is a part for --max-deletes', async () => {
    const { code, stderr } = await run('delete deployment/web -n shop --max-deletes 0');
    expect(code).toBe(3);
    expect(stderr).toContain('at least 1 object would be deleted, and --max-deletes allows 0');
  });

  test('is a part for simulate, and the whole with --complete', async () => {
    const line = 'simulate --delete deployment/web -n shop';
    expect(await run(line)).toMatchObject({
      code: 0,
      stderr: `${warning}Then nothing more happens: at least 1 object gone, 1 left.\n`,
    });
    expect(await run(`${line} --complete`)).toMatchObject({
      stderr: 'Then nothing more happens: 1 object gone, 1 left.\n',
    });
    expect(await run(`${line} --cascade=orphan`)).toMatchObject({
      stderr: 'Then nothing more happens: 1 object gone, 1 left.\n',
    });
  });

  test('is a part for tree', async () => {
    expect(await run('tree deployment/web -n shop')).toMatchObject({
      code: 0,
      stderr: `${warning}No reference points here (1 kind searched).\n`,
    });
  });

  test('is a part of a namespace that is deleted: any namespaced kind may be in it', async () => {
    const home = join(folder, 'namespace.yaml');
    writeFileSync(home, 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, uid: home}\n');
    const { stdout, stderr } = await run(`delete namespace/shop --preview --from ${home}`);
    expect(stdout).toContain(
      'At least 2 objects go (1 whole namespace): 1 Deployment, 1 Namespace.\n',
    );
    expect(stdout).toContain('shop is deleted with at least 1 object in it.\n');
    expect(stderr).toMatch(
      /^Warning: more may be deleted: the input has no configmaps, endpoints, \S+ and \d+ more kinds\. /,
    );
  });
});

describe('without -n, a question about files', () => {
  const other = 'The input also holds namespace shop: choose with -n, or all with -A.\n';

  test('is about the namespace default, and says so where it finds nothing', async () => {
    expect(await run('orphans')).toEqual({
      code: 0,
      stdout: '',
      stderr: `No orphans found in default namespace.\n${other}`,
    });
    expect((await run('invalid-ownerrefs')).stderr).toBe(
      `No invalid owner references found in default namespace.\n${other}`,
    );
    expect((await run('tree deployments -l app=none')).stderr).toBe(
      `No resources found in default namespace.\n${other}`,
    );
    expect(await run('delete deployments -l app=none')).toEqual({
      code: 0,
      stdout: 'No resources found\n',
      stderr: other,
    });
  });

  test('is about the namespace of the context', async () => {
    const env = { KUBECONFIG: kubeconfig };
    const { stdout } = await run('tree deployments -o json', env);
    expect(JSON.parse(stdout).nodes.map(({ name }: { name: string }) => name)).toEqual(['web']);
    expect((await run('owners deployment/web', env)).code).toBe(0);
    expect((await run('why deployment/web', env)).code).toBe(0);
    expect(await run('delete deployment/api', env)).toMatchObject({
      code: 3,
      stderr:
        'Error from server (NotFound): deployments.apps "api" not found in namespace shop\nIt is in namespace default: use -n.\n',
    });
  });

  test('is about all namespaces with -A', async () => {
    const { stdout } = await run('tree deployments -A -o json');
    expect(JSON.parse(stdout).nodes.map(({ name }: { name: string }) => name)).toEqual([
      'api',
      'web',
    ]);
    expect((await run('orphans -A')).stderr).toBe('No orphans found.\n');
    const { stdout: names } = await run('delete deployments --all -A --preview -o name');
    expect(names).toBe('deployment.apps/api\ndeployment.apps/web\n');
  });

  test('finds an object of another namespace only when it is told where', async () => {
    for (const command of ['owners', 'why', 'tree']) {
      const { code, stderr } = await run(`${command} deployment/web`);
      expect([code, stderr]).toEqual([
        3,
        'error: deployments.apps "web" not found in namespace default\n  It is in namespace shop: use -n.\n',
      ]);
    }
    const { stderr } = await run('simulate --delete deployment/web');
    expect(stderr).toContain(
      'Note: Deployment web is not in namespace default but in shop: use -n.\n',
    );
  });

  test('audits all of the files: what is wrong in one namespace is wrong for the pipeline', async () => {
    const { stdout } = await run('audit -o json --fail-on never');
    expect(JSON.parse(stdout).coverage.objects).toBe(2);
  });
});

test('a manifest without a namespace is in the one that is asked about, as kubectl apply takes it', async () => {
  const manifest = join(folder, 'manifest.yaml');
  writeFileSync(manifest, 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, uid: u}\n');
  for (const flags of ['', '-n shop', '-A']) {
    const { stdout } = await gcHere(`tree deployments ${flags} -o name --from ${manifest}`);
    expect(stdout).toBe('deployment.apps/web\n');
  }
});
