import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { playTranscript, transcripts } from '../support/transcripts.ts';

/**
 * Command lines and all that they print, as a person reads them: what stands behind `$` is run, and what follows is
 * what it has to print: stdout, lines of stderr behind `# `, and the exit code where it is not 0. `file NAME`
 * writes the lines behind `| ` to a file in FOLDER. `-u` writes what is printed now; then read the diff.
 */
const folder = temporaryFolder();

async function played(command: string): Promise<string[]> {
  const env = { NO_COLOR: '1', KUBECTL_GC_BACKUP_DIR: join(folder, 'backups') };
  const { code, stdout, stderr } = await gcHere(command.replaceAll('FOLDER', folder), env);
  const told = [
    ...(stdout === '' ? [] : stdout.replace(/\n$/, '').split('\n')),
    ...(stderr === '' ? [] : stderr.replace(/\n$/, '').split('\n')).map((line) => `# ${line}`),
    ...(code === 0 ? [] : [`[exit ${code}]`]),
  ];
  return told.map((line) => line.replaceAll(folder, 'FOLDER').trimEnd());
}

describe('commands print what their transcript says', () => {
  test.each(readdirSync(transcripts))('%s', async (name) => {
    const shown = await playTranscript(name, folder, played);
    expect(shown).not.toContain('this is a bug');
    await expect(shown).toMatchFileSnapshot(join('..', '..', transcripts, name));
  });
});
