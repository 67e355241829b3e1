import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { validatorOf } from '../contract/valid-document.ts';
import { eventually } from '../support/eventually.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { interruptGc } from '../support/watching.ts';
import { playground, referenceTo } from './delete-playground.ts';
import { onTerminal } from './on-terminal.ts';
import { startProxy } from './proxy.ts';

/** What delete does while it performs, through the built command line on a real cluster. */
const plane = sharedControlPlane();
const { env, folder, run, familyIn, namesIn, release, remove } = playground(plane);
afterAll(remove);

describe('while it is performed', () => {
  test('the tree is followed until it is gone, and -o json prints events as published', async () => {
    const path = await familyIn('delete-events');
    const { code, stdout } = await run('cm/top -n delete-events -o json');
    const validate = validatorOf('progress-event');
    const lines = stdout.trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line));
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
    expect(readdirSync(join(folder, 'backups'))).toHaveLength(1);
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
  const ownerReferences = [referenceTo(await plane.get(`${path}/top`))];
  const proxy = await startProxy(plane);
  let isMade = false;
  proxy.before = async ({ path: asked }) => {
    if (isMade || !asked.includes('selfsubjectaccessreviews')) return;
    isMade = true;
    await plane.make('ConfigMap delete-moving/late', { metadata: { ownerReferences } });
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
    const { code, shown } = await onTerminal(line, { env, at, typed: 'y\r' });
    expect([code, shown.includes('Nothing was deleted.')]).toEqual([0, true]);
    expect((await plane.get('Namespace delete-typed')).status).toEqual({ phase: 'Active' });
    const agreed = await onTerminal(line, { env, at, typed: 'delete-typed\r' });
    expect(agreed.shown).toMatch(/namespace "delete-typed" deleted/);
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
