import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Without HOME, Node fails as it does for a user whom /etc/passwd does not know. */
const folder = temporaryFolder();
const preload = join(folder, 'no-home.cjs');
writeFileSync(
  preload,
  `const os = require('node:os');
   const { homedir } = os;
   delete process.env.HOME;
   os.homedir = () => {
     if (process.env.HOME === undefined) throw new Error('uv_os_homedir returned ENOENT');
     return homedir();
   };`,
);
const env = { NODE_OPTIONS: `--require=${preload}` };

test.each([
  'audit --from examples/clusters/shop.json.gz',
  'owners deployment/web -n shop --from examples/clusters/shop.json.gz',
])('%s needs no home', async (line) => {
  expect(await gc(line, { env })).toEqual(await gc(line));
});

test('backups says what to do where there is no home', async () => {
  expect(await gc('backups', { env: { ...env, KUBECTL_GC_BACKUP_DIR: '' } })).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: there is no folder for backups: this user has no home
  Set KUBECTL_GC_BACKUP_DIR to a folder.
`,
  });
});

test('a home that does not exist is not made', async () => {
  const home = join(folder, 'nobody');
  const line = 'owners deployment/web -n shop --from examples/clusters/shop.json.gz';
  expect(await gc(line, { env: { HOME: home, XDG_CACHE_HOME: '' } })).toEqual(await gc(line));
  expect(existsSync(home)).toBe(false);
});
