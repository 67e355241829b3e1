import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingsOfFiles } from '../../src/shell/settings/settings-of-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('hidden files and folders are skipped, and a file without settings is a problem', async () => {
  const folder = temporaryFolder();
  for (const name of ['.git/b', 'nodes', 'nodes/.cache']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  const configuration = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
  for (const name of ['.git/b/c.yaml', '.d.yaml', 'nodes/.cache/e.yaml', 'nodes/a.yaml']) {
    writeFileSync(join(folder, name), configuration);
  }
  writeFileSync(join(folder, 'notes.txt'), 'none\n');
  const { facts } = await settingsOfFiles({ from: [folder] });
  expect(facts.programs.map(({ readFrom }) => readFrom)).toEqual([join(folder, 'nodes/a.yaml')]);
  expect(facts.problems.map(({ path }) => path)).toEqual([join(folder, 'notes.txt')]);
});
