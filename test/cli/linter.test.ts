import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the linter', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const folder = temporaryFolder();
  beforeAll(() => {
    copyFileSync(join(root, 'biome.json'), join(folder, 'biome.json'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, 'src/kube'), { recursive: true });
  });

  /** The rules that files of src/kube break, by their names. */
  function broken(files: Readonly<Record<string, string>>): string[] {
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, 'src/kube', name), text);
    }
    const paths = Object.keys(files).map((name) => join('src/kube', name));
    const { stdout, stderr } = spawnSync(
      join(root, 'node_modules/.bin/biome'),
      ['lint', '--vcs-enabled=false', ...paths],
      { cwd: folder, encoding: 'utf8' },
    );
    const named = [...`${stdout}${stderr}`.matchAll(/lint\/\w+\/(\w+)/g)];
    return [...new Set(named.map(([, rule]) => rule ?? ''))];
  }

  const longFile = Array.from({ length: 501 }, (_, n) => `export const a${n} = ${n};\n`).join('');

  const circle = {
    'a.ts': `import type { B } from './b.ts';\nexport type A = B;\n`,
    'b.ts': `import type { A } from './a.ts';\nexport type B = A;\n`,
  };
  const joining = `import { join } from 'node:path';\nexport { join };\n`;
  const waiting = 'export const start = () => setTimeout(() => undefined, 5);\n';

  test.each([
    ['a long file', { 'long.ts': longFile }, 'noExcessiveLinesPerFile'],
    ["Node's modules", { 'files.ts': joining }, 'noNodejsModules'],
    ['timers', { 'clock.ts': waiting }, 'noRestrictedGlobals'],
    ['circular imports', circle, 'noImportCycles'],
  ])('refuses %s', (_, files, rule) => {
    expect(broken(files)).toEqual([rule]);
  });

  test('finds nothing in a sound file', () => {
    expect(broken({ 'sound.ts': 'export const one = 1;\n' })).toEqual([]);
  });
});
