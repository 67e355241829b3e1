import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { validDocument } from '../../contract/valid-document.ts';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What is printed of files stands in test/fixtures/transcripts/settings.txt. */
test('the output of settings is a settings file', async () => {
  const printed = async (path: string) => {
    const { code, stdout, stderr } = await gcHere(`settings --settings ${path} -o json`);
    expect(code, stderr).toBe(0);
    return { stdout, document: validDocument('settings', stdout) };
  };
  const first = await printed('examples/settings/settings.yaml');
  const path = join(temporaryFolder(), 'document.json');
  writeFileSync(path, first.stdout);
  expect((await printed(path)).document.settings).toEqual(first.document.settings);
  expect(first.document.settings).toEqual({
    controllers: ['*', '-ttl-after-finished-controller'],
    terminatedPodGCThreshold: 500,
  });
});
