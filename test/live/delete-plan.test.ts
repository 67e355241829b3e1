import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validDocument } from '../contract/valid-document.ts';
import { askingOf } from '../support/asking.ts';
import { eventually } from '../support/eventually.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { claimSpec, volumeSpec } from '../support/volumes.ts';
import { playground, referenceTo } from './delete-playground.ts';
import { proxyOfFile } from './proxy.ts';

/** Plans through the built command line: shown, written, refused and performed. */
const plane = sharedControlPlane();
const proxy = await proxyOfFile(plane);
const { fates } = askingOf(plane);
const { folder, run, familyIn, namesIn, grant, remove } = playground(plane);
afterAll(remove);

/** What the top of a family owns from then on. */
async function ownedByTop(namespace: string) {
  const ownerReferences = [referenceTo(await plane.get(`ConfigMap ${namespace}/top`))];
  return { metadata: { ownerReferences } };
}

describe('a plan', () => {
  let path: string;
  const file = join(folder, 'plan.json');
  beforeAll(async () => {
    path = await familyIn('delete-plan');
  });

  test('what the volume of a claim owns goes along, in whichever namespace it is', async () => {
    const name = 'delete-plan-owning';
    const away = await familyIn('delete-plan-away');
    const volume = await plane.make(`PersistentVolume ${name}`, {
      spec: volumeSpec(`kubectl-gc-${name}`, {
        persistentVolumeReclaimPolicy: 'Delete',
        claimRef: { namespace: 'delete-plan', name },
      }),
    });
    const ownerReferences = [{ ...referenceTo(volume), kind: 'PersistentVolume' }];
    await plane.make(`Gadget ${name}-gadget`, { metadata: { ownerReferences } });
    await plane.make(`ConfigMap delete-plan-away/${name}-map`, { metadata: { ownerReferences } });
    await plane.make(`PersistentVolumeClaim delete-plan/${name}`, { spec: claimSpec });
    await eventually('the claim is bound', async () => {
      const { status } = await plane.get(`PersistentVolume ${name}`);
      return (status as { phase: string }).phase === 'Bound';
    });
    expect((await fates(`pvc/${name} -n delete-plan`)).sort()).toEqual([
      `ConfigMap ${name}-map deleted`,
      `Gadget ${name}-gadget deleted`,
      `PersistentVolume ${name} deleted`,
      `PersistentVolumeClaim ${name} deleted`,
    ]);
    const { code, stderr } = await run(`pvc/${name} -n delete-plan --yes --timeout 60s`);
    expect([code, stderr.split(':')[0]], stderr).toEqual([0, 'Backup of 4 objects']);
    expect(await namesIn(away)).not.toContain(`${name}-map`);
  });

  test('is written, and not performed where it is not confirmed or looked at otherwise', async () => {
    const written = await run(`cm/top -n delete-plan --plan ${file}`);
    expect([written.code, written.stdout]).toEqual([0, '']);
    expect(written.stderr).toMatch(
      /^Nothing was deleted\. .* holds the plan: 4 objects would be deleted/,
    );
    const cannot = 'cannot be given with a saved plan: it is performed, or looked at';
    const none = join(folder, 'none.json');
    for (const [line, code, error] of [
      [`--plan ${file}`, 2, 'there is no terminal on which to confirm'],
      [`--plan ${file} --yes --cascade=orphan`, 2, ''],
      [`--plan ${file} --yes --dry-run=client`, 2, `--dry-run ${cannot}`],
      [`--plan ${file} --yes --dry-run=server`, 2, `--dry-run ${cannot}`],
      [`--plan ${file} --yes --interactive`, 2, `--interactive ${cannot}`],
      [`--plan ${none} --yes`, 3, ''],
    ] as const) {
      const refused = { code, stdout: '', stderr: expect.stringContaining(error) };
      expect([line, await run(line)]).toEqual([line, refused]);
    }
    expect(await namesIn(path)).toHaveLength(4);
  });

  test('is refused when the cluster has moved, and says how', async () => {
    await plane.make('ConfigMap delete-plan/new', await ownedByTop('delete-plan'));
    const moved = await run(`--plan ${file} --yes`);
    expect([moved.code, moved.stdout]).toEqual([3, '']);
    expect(moved.stderr).toMatch(/the cluster has moved since .*; nothing was sent\n/);
    expect(moved.stderr).toMatch(/configmap\/new in namespace delete-plan is new: deleted\n/);
    await plane.remove('ConfigMap delete-plan/new');
    expect(await namesIn(path)).toHaveLength(4);
  });

  test('is performed although its objects are written to fifty times a second', async () => {
    const busy = await familyIn('delete-busy');
    const plan = join(folder, 'busy.json');
    await run(`cm/top -n delete-busy --plan ${plan}`);
    let writes = 0;
    let isOver = false;
    const write = async () => {
      for (; !isOver; await sleep(20)) {
        writes += 1;
        const metadata = { annotations: { count: `${writes}` } };
        if ((await plane.merge(`${busy}/top`, { metadata })).status !== 200) return;
      }
    };
    const writing = write();
    const { code, stdout } = await run(`--plan ${plan} --yes --no-backup`);
    isOver = true;
    await writing;
    expect(writes).toBeGreaterThan(5);
    expect([code, stdout]).toEqual([0, 'configmap "top" deleted from delete-busy namespace\n']);
    expect(await namesIn(busy)).toEqual([]);
  });

  test('is refused when the cluster moves while the backup is made', async () => {
    await run(`cm/top -n delete-plan --plan ${file}`);
    const late = await ownedByTop('delete-plan');
    let isMade = false;
    proxy.before = async ({ path: asked }) => {
      if (isMade || !asked.includes('selfsubjectaccessreviews')) return undefined;
      isMade = true;
      await plane.make('ConfigMap delete-plan/late', late);
      return undefined;
    };
    const directory = join(folder, 'discarded');
    const line = `--plan ${file} --yes --backup ${directory} -s ${proxy.address}`;
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout], stderr).toEqual([3, '']);
    expect(stderr).toMatch(
      /^error: the cluster has moved since .*; nothing was sent\n {2}configmap\/late in namespace delete-plan is new: deleted\n/,
    );
    expect([existsSync(directory), await namesIn(path)]).toEqual([
      false,
      ['bottom', 'late', 'left', 'right', 'top'],
    ]);
    await plane.remove('ConfigMap delete-plan/late');
  });

  test('is performed: lines, a backup, and nothing left', async () => {
    await run(`cm/top -n delete-plan --plan ${file}`);
    const directory = join(folder, 'kept');
    expect(await run(`--plan ${file} --yes --backup ${directory}`)).toEqual({
      code: 0,
      stdout: 'configmap "top" deleted from delete-plan namespace\n',
      stderr: `Backup of 4 objects: ${directory}\nTo bring back what was deleted: kubectl gc restore ${directory}\n`,
    });
    expect(existsSync(join(directory, 'backup.json'))).toBe(true);
    expect(await namesIn(path)).toEqual([]);
  });
});

describe('a plan, performed by one who cannot read all that it may touch', () => {
  const namespace = 'delete-plan-unread';
  const file = join(folder, 'unread.json');
  let path: string;
  beforeAll(async () => {
    path = await familyIn(namespace);
    await grant(namespace, 'limited', ['get', 'list', 'watch', 'delete'], ['configmaps']);
    await run(`cm/right -n ${namespace} --plan ${file}`);
    const ownerReferences = [referenceTo(await plane.get(`ConfigMap ${namespace}/right`))];
    await plane.make(`Secret ${namespace}/late`, { metadata: { ownerReferences } });
  });
  const secrets = () => plane.names(`Secret ${namespace}/`);

  test('is complete when it is made, and nothing has moved as far as that one sees', async () => {
    const { coverage } = JSON.parse(readFileSync(file, 'utf8'));
    expect([coverage.complete, coverage.problems]).toEqual([true, []]);
    const { code, stdout, stderr } = await run(`--plan ${file} --preview -o json --as limited`);
    const shown = validDocument('plan', stdout);
    expect([code, shown.coverage.complete]).toEqual([0, false]);
    const unread = shown.coverage.problems.map(({ resource }: { resource: string }) => resource);
    expect(unread).toContain('secrets');
    expect(stderr).toMatch(/^Warning: limited may not list \d+ kinds in namespace /);
  });

  test('is refused', async () => {
    const { code, stdout, stderr } = await run(`--plan ${file} --yes --as limited`);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(
      /^error: not everything that would be deleted could be read; nothing was sent\n/,
    );
    expect(stderr).toMatch(/--allow-incomplete/);
    expect(await namesIn(path)).toEqual(['bottom', 'left', 'right', 'top']);
    expect(await secrets()).toEqual(['late']);
  });

  test('does not take for gone what could not be read', async () => {
    const seen = join(folder, 'seen.json');
    const perform = () => run(`--plan ${seen} --yes --as limited --allow-incomplete`);
    await run(`cm/right -n ${namespace} --plan ${seen}`);
    const dependent = await perform();
    expect([dependent.code, dependent.stdout]).toEqual([3, '']);
    expect(dependent.stderr).toMatch(
      /^error: the cluster is not as in .*, as far as it could be read; nothing was sent\n/,
    );
    expect(dependent.stderr).toMatch(/^ {2}limited may not list \d+ kinds in namespace /m);
    await run(`secret/late -n ${namespace} --plan ${seen}`);
    const theirs = await plane.kubectl(`get secret/late -n ${namespace} --as limited`.split(' '));
    expect(await perform()).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: what ${seen} would delete could not be looked at; nothing was sent\n  ${theirs.stderr}`,
    });
    expect(await secrets()).toEqual(['late']);
  });

  test('is performed when that is allowed, with what could not be read', async () => {
    const line = `--plan ${file} --yes --as limited --allow-incomplete`;
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout]).toEqual([0, `configmap "right" deleted from ${namespace} namespace\n`]);
    expect(stderr).toMatch(
      /^Backup of 1 object: .*\nWarning: it is incomplete: .*\nTo bring back .*\nWarning: limited may not list /,
    );
    expect(await namesIn(path)).toEqual(['bottom', 'left', 'top']);
  });
});
