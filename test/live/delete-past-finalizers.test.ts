import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { validDocument } from '../contract/valid-document.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { playground } from './delete-playground.ts';

/** Deletions that a finalizer holds until a small operator, played by the test, removes it. */
const plane = sharedControlPlane();
const namespace = 'delete-past-finalizers';
const { folder, run, tell, familyIn, namesIn, release, remove } = playground(plane);
afterAll(remove);

let path: string;
beforeAll(async () => {
  path = await familyIn(namespace, ['ex.com/data']);
  await plane.patch(`${path}/top`, { metadata: { finalizers: ['ex.com/cleanup'] } });
});

test('the plan goes on past the finalizers, and says what waits for which', async () => {
  const { code, stdout } = await run(`cm/top -n ${namespace} --preview -o json`);
  const { objects } = validDocument('plan', stdout) as Plan;
  expect(code).toBe(0);
  const told = objects.map(({ name, fate, then, waitsFor = [] }) => {
    const waits = waitsFor.map((wait) => 'finalizer' in wait && wait.finalizer);
    return [name, fate, then, ...waits].join(' ');
  });
  expect(told).toEqual([
    'top terminating deleted ex.com/cleanup',
    'left kept deleted ex.com/cleanup',
    'right kept deleted ex.com/cleanup',
    'bottom kept deleted ex.com/data ex.com/cleanup',
  ]);
  const table = await run(`cm/top -n ${namespace} --preview`);
  expect(table.stdout).toContain(
    '4 objects go: 4 ConfigMaps; only once ex.com/cleanup is removed from ConfigMap/top and ex.com/data is removed from ConfigMap/bottom.\n',
  );
});

test('what goes then counts, is followed until the operator has removed the finalizers, and is in the backup', async () => {
  const directory = join(folder, 'kept');
  await tell(`
cm/top -n ${namespace} --yes --max-deletes 3
  3
  ^error: 4 objects would be deleted, and --max-deletes allows 3`);
  expect(await namesIn(path)).toEqual(['bottom', 'left', 'right', 'top']);
  const operator = new AbortController();
  const working = operate(operator.signal);
  await tell(String.raw`
cm/top -n ${namespace} --yes --timeout 60s --backup ${directory}
  0
  > configmap "top" deleted from ${namespace} namespace
  ^Backup of 4 objects: ${directory}\nTo bring back what was deleted: kubectl gc restore ${directory}\n$`);
  operator.abort();
  await working;
  expect(existsSync(join(directory, 'backup.json'))).toBe(true);
});

/** Removes the finalizers of what is being deleted, a second after it was first seen so. */
async function operate(signal: AbortSignal): Promise<void> {
  const since = new Map<unknown, number>();
  while (!signal.aborted) {
    for (const { metadata } of await plane.list(path)) {
      if (metadata.deletionTimestamp === undefined) continue;
      const first = since.get(metadata.uid) ?? performance.now();
      since.set(metadata.uid, first);
      if (performance.now() - first > 1000)
        await release(path, String(metadata.name)).catch(() => undefined);
    }
    await sleep(100);
  }
}
