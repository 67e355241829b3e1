import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { validatorOf } from '../contract/valid-document.ts';
import { eventually } from '../support/eventually.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { type Named, playground, referenceTo } from './delete-playground.ts';
import { interruptGc } from './interrupt-gc.ts';
import { onTerminal } from './on-terminal.ts';
import { startProxy } from './proxy.ts';

/** What delete does while it performs, through the built command line on a real cluster. */
const plane = sharedControlPlane();
const { env, folder, run, familyIn, namesIn, release, remove } = playground(plane);
afterAll(remove);

describe('while it is performed', () => {
  test('the tree is followed until it is gone', async () => {
    const path = await familyIn('delete-leaves');
    const { code, stdout } = await run('cm/top -n delete-leaves');
    expect([code, stdout]).toEqual([0, 'configmap "top" deleted from delete-leaves namespace\n']);
    expect(await namesIn(path)).toEqual([]);
    expect(readdirSync(join(folder, 'backups')).length).toBeGreaterThan(0);
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

  test('--wait=object does not wait for dependents, --wait=false for no object', async () => {
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
    expect(stderr).toMatch(/kubectl gc why configmap\/bottom -n delete-interrupted$/m);
    await release(path, 'bottom');
  });
});

test('what changes between plan and backup is planned again', async () => {
  const path = await familyIn('delete-moving');
  const top = await plane.get<Named>(`${path}/top`);
  const proxy = await startProxy(plane);
  let isMade = false;
  proxy.before = async ({ path: asked }) => {
    if (isMade || !asked.includes('selfsubjectaccessreviews')) return;
    isMade = true;
    const ownerReferences = [referenceTo(top)];
    await plane.create(path, { metadata: { name: 'late', ownerReferences } });
  };
  try {
    const { code, stderr } = await run(`cm/top -n delete-moving --wait=false -s ${proxy.address}`);
    const backups = [...stderr.matchAll(/^Backup of (\d) objects: (.*)$/gm)];
    const kept = backups.map(([, count, directory]) => [count, existsSync(directory ?? '')]);
    // The one that was taken back is not spoken of.
    expect([code, kept]).toEqual([0, [['5', true]]]);
    await eventually('an empty namespace', async () => (await namesIn(path)).length === 0);
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
    expect(shown).toMatch(/4 objects go.*: 4 ConfigMap/);
    expect(shown).toMatch(/Delete these 4 objects\? \(y\/N\): /);
    expect(shown).toMatch(/Nothing was deleted\./);
    expect([code, await namesIn(path)]).toEqual([0, ['bottom', 'left', 'right', 'top']]);
    const agreed = await onTerminal('delete cm/top -n delete-asked', { env, typed: 'y\r' });
    expect(agreed.shown).toMatch(/configmap "top" deleted from delete-asked namespace/);
    expect([agreed.code, await namesIn(path)]).toEqual([0, []]);
  });

  test('a Namespace and its like are deleted once their name is typed', async () => {
    await familyIn('delete-typed');
    const line = 'delete ns/delete-typed --no-backup --wait=false';
    const at = 'Type delete-typed to confirm: ';
    for (const typed of ['y\r', '\r', 'delete-type\r']) {
      const { code, shown } = await onTerminal(line, { env, at, typed });
      expect([code, shown.includes('Nothing was deleted.')]).toEqual([0, true]);
    }
    expect(await plane.get('/api/v1/namespaces/delete-typed')).toMatchObject({
      status: { phase: 'Active' },
    });
    const agreed = await onTerminal(line, { env, at, typed: 'delete-typed\r' });
    expect(agreed.shown).toMatch(/namespace "delete-typed" deleted/);
  });

  test('what is being deleted already is shown, and not asked about', async () => {
    const path = await familyIn('delete-leaving', ['example.com/hold']);
    expect(await run('cm/bottom -n delete-leaving --wait=false')).toMatchObject({ code: 0 });
    const line = 'delete cm/bottom -n delete-leaving --wait=false';
    const { code, shown } = await onTerminal(line, { env });
    expect(code).toBe(0);
    expect(shown).not.toContain('(y/N)');
    expect(shown).toMatch(
      /1 object goes.*: 1 ConfigMap; only once example\.com\/hold is removed from ConfigMap\/bottom\./,
    );
    expect(shown).toContain('All of this is being deleted already.');
    expect(shown).toContain('configmap "bottom" deleted from delete-leaving namespace');
    const more = await onTerminal('delete cm/bottom cm/left -n delete-leaving', {
      env,
      typed: 'n\r',
    });
    expect(more.shown).toContain('Delete this object (1 more being deleted already)? (y/N): ');
    await release(path, 'bottom');
  });

  test('what stdin names is planned, and asked about on the terminal itself', async () => {
    const path = await familyIn('delete-piped');
    const manifest =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: top, namespace: delete-piped}\n';
    const file = join(folder, 'piped.yaml');
    writeFileSync(file, manifest);
    const line = 'delete -f - -n delete-piped --no-backup';
    for (const given of [{ input: file }, { first: `${manifest}\u0004` }]) {
      const { code, shown } = await onTerminal(line, { env, ...given, typed: 'n\r' });
      expect(shown).toContain('Delete these 4 objects? (y/N): ');
      expect([code, shown.includes('Nothing was deleted.')]).toEqual([0, true]);
    }
    expect(await namesIn(path)).toEqual(['bottom', 'left', 'right', 'top']);
    const { code } = await onTerminal(line, { env, input: file, typed: 'y\r' });
    expect([code, await namesIn(path)]).toEqual([0, []]);
  });
});
