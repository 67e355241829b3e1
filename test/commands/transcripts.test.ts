import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * Command lines and all that they print, as a person reads them: what stands behind `$` is run, and what follows is
 * what it has to print: stdout, lines of stderr behind `# `, and the exit code where it is not 0. `file NAME`
 * writes the lines behind `| ` to a file in FOLDER. `-u` writes what is printed now; then read the diff.
 */
const transcripts = 'test/fixtures/transcripts';
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

function write(name: string, lines: readonly string[]): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  const text = lines.map((line) => line.replaceAll('FOLDER', folder).slice(2));
  writeFileSync(path, text.length === 0 ? '' : `${text.join('\n')}\n`);
}

describe('commands print what their transcript says', () => {
  test.each(readdirSync(transcripts))('%s', async (name) => {
    const path = join(transcripts, name);
    const shown: string[] = [];
    for (const section of readFileSync(path, 'utf8')
      .trimEnd()
      .split(/\n\n(?=## )/)) {
      const asked = section.split('\n').filter((line) => /^(\$ gc |file |## |\| )/.test(line));
      const again: string[] = [];
      for (const [at, line] of asked.entries()) {
        again.push(line);
        if (line.startsWith('file ')) {
          const rest = asked.slice(at + 1);
          const end = rest.findIndex((one) => !one.startsWith('| '));
          write(line.slice('file '.length), rest.slice(0, end < 0 ? undefined : end));
        } else if (line.startsWith('$ gc ')) again.push(...(await played(line.slice(5))));
      }
      shown.push(again.join('\n'));
    }
    expect(shown.join('\n\n')).not.toContain('this is a bug');
    await expect(`${shown.join('\n\n')}\n`).toMatchFileSnapshot(join('..', '..', path));
  });
});
