import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { validatorOf } from '../contract/schemas.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { type Named, playground } from './delete-playground.ts';

/** Deletions that a finalizer holds until a small operator, played by the test, removes it. */
const plane = sharedControlPlane();
const namespace = 'delete-past-finalizers';
const { folder, run, familyIn, namesIn, release, remove } = playground(plane);
afterAll(remove);

interface Held extends Named {
  readonly metadata: Named['metadata'] & { readonly deletionTimestamp?: string };
}

let path: string;
beforeAll(async () => {
  path = await familyIn(namespace, ['ex.com/data']);
  await plane.patch(`${path}/top`, { metadata: { finalizers: ['ex.com/cleanup'] } });
});

test('the plan goes on past the finalizers, and says what waits for which', async () => {
  const { code, stdout } = await run(`cm/top -n ${namespace} --preview -o json`);
  const plan = JSON.parse(stdout);
  const validate = validatorOf('plan');
  validate(plan);
  expect([code, validate.errors]).toEqual([0, null]);
  interface Planned {
    readonly name: string;
    readonly fate: string;
    readonly then?: string;
    readonly waitsFor?: readonly { readonly finalizer: string }[];
  }
  const told = (plan.objects as Planned[]).map(({ name, fate, then, waitsFor = [] }) =>
    [name, fate, then, ...waitsFor.map(({ finalizer }) => finalizer)].join(' '),
  );
  expect(told).toEqual([
    'top terminating deleted ex.com/cleanup',
    'left kept deleted ex.com/cleanup',
    'right kept deleted ex.com/cleanup',
    'bottom kept deleted ex.com/data ex.com/cleanup',
  ]);
  const table = await run(`cm/top -n ${namespace} --preview`);
  expect(table.stdout).toContain(
    '4 objects will be deleted: 4 ConfigMap; 3 of them once ex.com/cleanup is removed from ConfigMap/top and ex.com/data is removed from ConfigMap/bottom\n',
  );
});

test('what goes then counts', async () => {
  expect(await run(`cm/top -n ${namespace} --yes --max-deletes 3`)).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(/^error: 4 objects would be deleted, and --max-deletes allows 3/),
  });
  const { stdout } = await run(`cm/top -n ${namespace} --compare -o json`);
  const { policies } = JSON.parse(stdout);
  expect([policies.background.deleted, policies.foreground.deleted]).toEqual([4, 4]);
  expect(await namesIn(path)).toEqual(['bottom', 'left', 'right', 'top']);
});

test('it is followed until the operator has removed the finalizers, and all of it is in the backup', async () => {
  const directory = join(folder, 'kept');
  const operator = new AbortController();
  const working = operate(operator.signal);
  const { code, stdout, stderr } = await run(
    `cm/top -n ${namespace} --yes --timeout 60s --backup ${directory}`,
  );
  operator.abort();
  await working;
  expect([code, stdout], stderr).toEqual([
    0,
    `configmap "top" deleted from ${namespace} namespace\n`,
  ]);
  expect(stderr).toBe(
    `Backup of 4 objects: ${directory}\nTo bring back what was deleted: kubectl gc restore ${directory}\n`,
  );
  expect(existsSync(join(directory, 'backup.json'))).toBe(true);
});

/** Removes the finalizers of what is being deleted, a second after it was first seen so. */
async function operate(signal: AbortSignal): Promise<void> {
  const since = new Map<string, number>();
  while (!signal.aborted) {
    const { items } = await plane.get<{ items: Held[] }>(path);
    for (const { metadata } of items) {
      if (metadata.deletionTimestamp === undefined) continue;
      const first = since.get(metadata.uid) ?? performance.now();
      since.set(metadata.uid, first);
      if (performance.now() - first > 1000)
        await release(path, metadata.name).catch(() => undefined);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
