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
const { folder, run, tell, familyIn, namesIn, grant, remove } = playground(plane);
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

  test('objects that the volume of a claim owns are deleted too, in whichever namespace', async () => {
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
    await tell(`
cm/top -n delete-plan --plan ${file}
  0
  ^Nothing was deleted\\. .* contains the plan: 4 objects would be deleted
--plan ${file}
  2
  there is no terminal on which to confirm
--plan ${file} --yes --cascade=orphan
  2
--plan ${file} --yes --dry-run=client
  2
  --dry-run cannot be given with a saved plan: it is performed, or looked at
--plan ${file} --yes --dry-run=server
  2
  --dry-run cannot be given with a saved plan: it is performed, or looked at
--plan ${file} --yes --interactive
  2
  --interactive cannot be given with a saved plan: it is performed, or looked at
--plan ${join(folder, 'none.json')} --yes
  3`);
    expect(await namesIn(path)).toHaveLength(4);
  });

  test('is refused when the cluster has moved, and says how', async () => {
    await plane.make('ConfigMap delete-plan/new', await ownedByTop('delete-plan'));
    await tell(`
--plan ${file} --yes
  3
  the cluster has changed since .*; nothing was sent$
  configmap/new in namespace delete-plan is new: deleted$`);
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
    await tell(String.raw`
--plan ${file} --yes --backup ${directory} -s ${proxy.address}
  3
  ^error: the cluster has changed since .*; nothing was sent\n {2}configmap/late in namespace delete-plan is new: deleted$`);
    expect([existsSync(directory), await namesIn(path)]).toEqual([
      false,
      ['bottom', 'late', 'left', 'right', 'top'],
    ]);
    await plane.remove('ConfigMap delete-plan/late');
  });

  test('is performed: lines with a path and a command that no width breaks, a backup, and no remaining object', async () => {
    await run(`cm/top -n delete-plan --plan ${file}`);
    const directory = join(folder, 'kept');
    expect(await run(`--plan ${file} --yes --backup ${directory}`, { COLUMNS: '40' })).toEqual({
      code: 0,
      stdout: 'configmap "top" deleted from delete-plan namespace\n',
      stderr: `Backup of 4 objects: ${directory}\nTo bring back what was deleted:\n  kubectl gc restore ${directory}\n`,
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
  const whole = ['bottom', 'left', 'right', 'top'];

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

  test('is refused, and does not take for gone what could not be read', async () => {
    const seen = join(folder, 'seen.json');
    await tell(String.raw`
--plan ${file} --yes --as limited
  3
  ^error: not everything that would be deleted could be read; nothing was sent$
  --allow-incomplete
cm/right -n ${namespace} --plan ${seen}
  0
--plan ${seen} --yes --as limited --allow-incomplete
  3
  ^error: the cluster is not as in .*, as far as it could be read; nothing was sent$
  ^ {2}limited may not list \d+ kinds in namespace
secret/late -n ${namespace} --plan ${seen}
  0`);
    const theirs = await plane.kubectl(`get secret/late -n ${namespace} --as limited`.split(' '));
    expect(await run(`--plan ${seen} --yes --as limited --allow-incomplete`)).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: what ${seen} would delete could not be looked at; nothing was sent\n  ${theirs.stderr}`,
    });
    expect([await namesIn(path), await secrets()]).toEqual([whole, ['late']]);
  });

  test('is performed when that is allowed, with what could not be read', async () => {
    await tell(String.raw`
--plan ${file} --yes --as limited --allow-incomplete
  0
  > configmap "right" deleted from ${namespace} namespace
  ^Backup of 1 object: .*\nWarning: it is incomplete: .*\nTo bring back .*\nWarning: limited may not list `);
    expect(await namesIn(path)).toEqual(['bottom', 'left', 'top']);
  });
});
