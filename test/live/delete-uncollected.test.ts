import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { type Playground, playground } from './delete-playground.ts';
import { onTerminal } from './on-terminal.ts';

/** Deletions that the garbage collector should finish, and that is not running. */
let plane: ControlPlane;
let ground: Playground;

beforeAll(async () => {
  plane = await startControlPlane({ controllers: 'none' });
  ground = playground(plane);
});
afterAll(async () => {
  await ground.remove();
  await plane.stop();
});

test('what is not collected is not called kept, and the way to find out why is shown', async () => {
  const path = await ground.familyIn('uncollected');
  const { code, stderr } = await ground.run('cm/top -n uncollected --yes --no-backup --timeout 3s');
  expect(code).toBe(4);
  const why =
    'its owners are gone, and it is not collected yet; is the garbage collector running? kubectl gc why --gc';
  expect(stderr).toContain(`configmap/left in uncollected is left: ${why}\n`);
  expect(stderr).toContain(`configmap/right in uncollected is left: ${why}\n`);
  expect(stderr).toContain(
    'configmap/left in uncollected was planned to be deleted, and is not collected yet\n',
  );
  expect(stderr).not.toMatch(/and is kept/);
  expect((await ground.namesIn(path)).sort()).toEqual(['bottom', 'left', 'right']);
});

test('a tree on a terminal shows the last that happened while a deletion hangs', async () => {
  await ground.familyIn('hanging');
  const { code, shown } = await onTerminal(
    'delete cm/top -n hanging --yes --no-backup --timeout 4s',
    { env: { ...ground.env, TERM: 'xterm' }, columns: 80 },
  );
  expect(code).toBe(4);
  const drawn = stripVTControlCharacters(shown).match(/\d of 4 gone/g) ?? [];
  expect(drawn.at(-1)).toBe('1 of 4 gone');
});
