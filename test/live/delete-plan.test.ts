import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validDocument } from '../contract/valid-document.ts';
import { eventually } from '../support/eventually.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { claimSpec, volumeSpec } from '../support/volumes.ts';
import { type Named, playground, referenceTo } from './delete-playground.ts';
import { startProxy } from './proxy.ts';

/** Plans through the built command line: shown, compared, written, refused and performed. */
const plane = sharedControlPlane();
const { folder, run, familyIn, namesIn, grant, remove } = playground(plane);
afterAll(remove);

describe('a plan', () => {
  let path: string;
  const file = join(folder, 'plan.json');
  beforeAll(async () => {
    path = await familyIn('delete-plan');
  });

  test('what the volume of a claim owns goes along, in whichever namespace it is', async () => {
    const name = 'delete-plan-owning';
    const away = 'delete-plan-away';
    await familyIn(away);
    const volumes = '/api/v1/persistentvolumes';
    const volume = await plane.make<Named>(`PersistentVolume ${name}`, {
      spec: volumeSpec(`kubectl-gc-${name}`, {
        persistentVolumeReclaimPolicy: 'Delete',
        claimRef: { namespace: 'delete-plan', name },
      }),
    });
    const reference = { ...referenceTo(volume), kind: 'PersistentVolume' };
    const ownerReferences = [reference];
    await plane.make(`Gadget ${name}-gadget`, { metadata: { ownerReferences } });
    await plane.make(`ConfigMap ${away}/${name}-map`, { metadata: { ownerReferences } });
    await plane.make(`PersistentVolumeClaim delete-plan/${name}`, { spec: claimSpec });
    await eventually('the claim is bound', async () => {
      const { status } = await plane.get<{ status: { phase: string } }>(`${volumes}/${name}`);
      return status.phase === 'Bound';
    });
    const line = `pvc/${name} -n delete-plan`;
    const { stdout } = await run(`${line} --preview -o json`);
    const objects = JSON.parse(stdout).objects as { kind: string; name: string; fate: string }[];
    const told = objects.map((object) => `${object.kind} ${object.name} ${object.fate}`);
    expect(told.sort()).toEqual([
      `ConfigMap ${name}-map deleted`,
      `Gadget ${name}-gadget deleted`,
      `PersistentVolume ${name} deleted`,
      `PersistentVolumeClaim ${name} deleted`,
    ]);
    const { code, stderr } = await run(`${line} --yes --timeout 60s`);
    expect([code, stderr.split(':')[0]], stderr).toEqual([0, 'Backup of 4 objects']);
    expect(await namesIn(`/api/v1/namespaces/${away}/configmaps`)).not.toContain(`${name}-map`);
  });

  test('is written, and not performed where it is not confirmed or looked at otherwise', async () => {
    const written = await run(`cm/top -n delete-plan --plan ${file}`);
    expect([written.code, written.stdout]).toEqual([0, '']);
    expect(written.stderr).toMatch(
      /^Nothing was deleted\. .* holds the plan: 4 objects would be deleted/,
    );
    expect(await run(`--plan ${file}`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/there is no terminal on which to confirm/),
    });
    expect(await run(`--plan ${file} --yes --cascade=orphan`)).toMatchObject({ code: 2 });
    for (const wish of ['dry-run=client', 'dry-run=server', 'interactive']) {
      expect(await run(`--plan ${file} --yes --${wish}`)).toEqual({
        code: 2,
        stdout: '',
        stderr: [
          `error: --${wish.split('=')[0]} cannot be given with a saved plan: it is performed, or looked at`,
          '  To look at it: --preview. To perform it: --yes, or without it on a terminal, which asks.',
          '',
        ].join('\n'),
      });
    }
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
    expect(await namesIn(path)).toHaveLength(4);
  });

  test('is performed although its objects are written to fifty times a second', async () => {
    const busy = await familyIn('delete-busy');
    const plan = join(folder, 'busy.json');
    await run(`cm/top -n delete-busy --plan ${plan}`);
    let writes = 0;
    let isOver = false;
    const write = async () => {
      while (!isOver) {
        writes += 1;
        const metadata = { annotations: { count: `${writes}` } };
        if ((await plane.merge(`${busy}/top`, { metadata })).status !== 200) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
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

  async function topReference() {
    return referenceTo(await plane.get<Named>(`${path}/top`));
  }

  test('is refused when the cluster moves while the backup is made', async () => {
    await run(`cm/top -n delete-plan --plan ${file}`);
    const topOwned = { name: 'late', ownerReferences: [await topReference()] };
    const proxy = await startProxy(plane);
    let isMade = false;
    proxy.before = async ({ path: asked }) => {
      if (isMade || !asked.includes('selfsubjectaccessreviews')) return;
      isMade = true;
      await plane.create(path, { metadata: topOwned });
    };
    const directory = join(folder, 'discarded');
    try {
      const { code, stdout, stderr } = await run(
        `--plan ${file} --yes --backup ${directory} -s ${proxy.address}`,
      );
      expect([code, stdout], stderr).toEqual([3, '']);
      expect(stderr).toMatch(
        /^error: the cluster has moved since .*; nothing was sent\n {2}configmap\/late in namespace delete-plan is new: deleted\n/,
      );
      expect(existsSync(directory)).toBe(false);
      expect(await namesIn(path)).toHaveLength(5);
    } finally {
      await proxy.close();
      await plane.request(`${path}/late`, { method: 'DELETE' });
    }
  });

  test('is performed: lines, a backup, and nothing left', async () => {
    await run(`cm/top -n delete-plan --plan ${file}`);
    const directory = join(folder, 'kept');
    const { code, stdout, stderr } = await run(`--plan ${file} --yes --backup ${directory}`);
    expect([code, stdout]).toEqual([0, 'configmap "top" deleted from delete-plan namespace\n']);
    expect(stderr).toBe(
      `Backup of 4 objects: ${directory}\nTo bring back what was deleted: kubectl gc restore ${directory}\n`,
    );
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
    const ownerReferences = [referenceTo(await plane.get<Named>(`${path}/right`))];
    await plane.make(`Secret ${namespace}/late`, { metadata: { ownerReferences } });
  });
  const secrets = async () => {
    const { items } = await plane.get<{ items: Named[] }>(
      `/api/v1/namespaces/${namespace}/secrets`,
    );
    return items.map(({ metadata: { name } }) => name);
  };

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
    await run(`cm/right -n ${namespace} --plan ${seen}`);
    const dependent = await run(`--plan ${seen} --yes --as limited --allow-incomplete`);
    expect([dependent.code, dependent.stdout]).toEqual([3, '']);
    expect(dependent.stderr).toMatch(
      /^error: the cluster is not as in .*, as far as it could be read; nothing was sent\n/,
    );
    expect(dependent.stderr).toMatch(/^ {2}limited may not list \d+ kinds in namespace /m);
    await run(`secret/late -n ${namespace} --plan ${seen}`);
    const target = await run(`--plan ${seen} --yes --as limited --allow-incomplete`);
    const theirs = await plane.kubectl(`get secret/late -n ${namespace} --as limited`.split(' '));
    expect(target).toEqual({
      code: 3,
      stdout: '',
      stderr: `error: what ${seen} would delete could not be looked at; nothing was sent\n  ${theirs.stderr}`,
    });
    expect(await secrets()).toEqual(['late']);
  });

  test('is performed when that is allowed, with what could not be read', async () => {
    const { code, stdout, stderr } = await run(
      `--plan ${file} --yes --as limited --allow-incomplete`,
    );
    expect([code, stdout]).toEqual([0, `configmap "right" deleted from ${namespace} namespace\n`]);
    expect(stderr).toMatch(
      /^Backup of 1 object: .*\nWarning: it is incomplete: .*\nTo bring back .*\nWarning: limited may not list /,
    );
    expect(await namesIn(path)).toEqual(['bottom', 'left', 'top']);
  });
});
