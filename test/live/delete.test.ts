import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { validatorOf } from '../contract/valid-document.ts';
import { eventually } from '../support/eventually.ts';
import { bash } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { interruptGc } from '../support/watching.ts';
import { playground, referenceTo } from './delete-playground.ts';
import { onTerminal } from './on-terminal.ts';
import { isWatch, startProxy, type TestProxy } from './proxy.ts';

/** What delete does while it performs, through the built command line on a real cluster. */
const plane = sharedControlPlane();
const { env, folder, run, familyIn, namesIn, release, remove } = playground(plane);
afterAll(remove);

describe('while it is performed', () => {
  test('the tree is followed until it is deleted, and -o json prints events as published', async () => {
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

  test('Ctrl-C: sent deletions are reported, exit 130', async () => {
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

describe('while the server or others are in the way', () => {
  const namespace = 'delete-disturbed';
  let path: string;
  let proxy: TestProxy;
  beforeAll(async () => {
    path = await familyIn(namespace);
    proxy = await startProxy(plane);
  });
  afterAll(() => proxy.close());
  afterEach(() => {
    proxy.before = () => undefined;
  });
  /** Deletes these without a backup, over the proxy. */
  const deleted = (names: string, more = '') =>
    run(`${names} -n ${namespace} --yes --no-backup -s ${proxy.address} ${more}`.trim());
  /** Does this before the first real DELETE reaches the server. */
  const beforeDelete = (work: () => Promise<unknown>) => {
    let isDone = false;
    proxy.before = async ({ method }, body) => {
      if (isDone || method !== 'DELETE' || body.includes('dryRun')) return undefined;
      isDone = true;
      await work();
      return undefined;
    };
  };

  test('an object that a busy server could not show at first is deleted', async () => {
    const names = ['busy-429', 'busy-500', 'busy-503'];
    for (const name of names) await plane.make(`ConfigMap ${namespace}/${name}`);
    const asked = new Set<string>();
    proxy.before = ({ method, path: at }) => {
      const status = /\/busy-(\d+)$/.exec(at)?.[1];
      if (method !== 'GET' || status === undefined || asked.has(at)) return undefined;
      asked.add(at);
      return { status: Number(status), body: 'not now' };
    };
    const { code } = await deleted(names.map((name) => `cm/${name}`).join(' '));
    expect([code, asked.size, await namesIn(path)]).toEqual([
      0,
      3,
      ['bottom', 'left', 'right', 'top'],
    ]);
  });

  test('when an object is replaced before its request, its dependents are not waited for', async () => {
    const owner = await plane.make(`ConfigMap ${namespace}/swapped`);
    const ownerReferences = [referenceTo(owner)];
    await plane.make(`ConfigMap ${namespace}/swapped-child`, { metadata: { ownerReferences } });
    beforeDelete(async () => {
      await plane.remove(`ConfigMap ${namespace}/swapped`, { propagationPolicy: 'Orphan' });
      await eventually('it was deleted', async () => !(await plane.find(`${path}/swapped`)));
      await plane.make(`ConfigMap ${namespace}/swapped`);
    });
    const began = performance.now();
    const { code, stdout } = await deleted('cm/swapped');
    expect([code, stdout]).toEqual([3, '']);
    expect(performance.now() - began).toBeLessThan(60_000);
    expect(await namesIn(path)).toEqual(expect.arrayContaining(['swapped', 'swapped-child']));
  });

  test('a dependent that another object owns by then is left, and not waited for', async () => {
    const [owner, other] = [
      await plane.make(`ConfigMap ${namespace}/giver`),
      await plane.make(`ConfigMap ${namespace}/taker`),
    ];
    const ownerReferences = [referenceTo(owner)];
    for (const name of ['given', 'shared'])
      await plane.make(`ConfigMap ${namespace}/${name}`, { metadata: { ownerReferences } });
    beforeDelete(() =>
      plane.patch(`${path}/shared`, {
        metadata: { ownerReferences: [...ownerReferences, referenceTo(other)] },
      }),
    );
    const began = performance.now();
    const { code, stderr } = await deleted('cm/giver', '-o json');
    expect(performance.now() - began).toBeLessThan(60_000);
    expect([code, stderr.match(/kept: also owned by \w+ \w+/)?.[0]]).toEqual([
      4,
      'kept: also owned by ConfigMap taker',
    ]);
    const names = await namesIn(path);
    expect([names.includes('shared'), names.includes('given')]).toEqual([true, false]);
  });

  test('Ctrl-C while watches are silent: what was deleted is not said to be there', async () => {
    for (const name of ['quiet-1', 'quiet-2']) await plane.make(`ConfigMap ${namespace}/${name}`);
    proxy.before = (request) => (isWatch(request) ? 'stall' : undefined);
    const { code, stderr } = await interruptGc(
      `delete cm/quiet-1 cm/quiet-2 -n ${namespace} --yes --no-backup -s ${proxy.address}`,
      'configmap "quiet-2" deleted',
      env,
    );
    expect(await namesIn(path)).not.toEqual(expect.arrayContaining(['quiet-1']));
    const left = stderr.split('\n').filter((line) => line.includes(' is left: '));
    expect([code, left.map((line) => line.includes('unknown'))]).toEqual([130, [true, true]]);
  });

  test('a deletion or restoration that cannot print what it did exits with 4', async () => {
    const names = ['full-1', 'full-2', 'full-3'];
    for (const name of names) await plane.make(`ConfigMap ${namespace}/${name}`);
    const backup = join(folder, 'full');
    const line = `gc delete cm ${names.join(' ')} -n ${namespace} --yes`;
    const { code } = await bash(`${line} --backup ${backup} >/dev/full`, { env });
    const left = await namesIn(path);
    expect([code, names.every((name) => left.includes(name))]).toEqual([4, false]);
    const restored = await bash(`gc restore ${backup} --yes >/dev/full`, { env });
    expect(restored.code).toBe(4);
    expect(await namesIn(path)).toEqual(expect.arrayContaining(names));
    // Nothing was sent: the preview cannot be printed.
    const shown = await bash(`gc restore ${backup} --preview >/dev/full`, { env });
    expect(shown.code).toBe(3);
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
    expect(shown).toMatch(/4 objects will be deleted.*: 4 ConfigMap/);
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
