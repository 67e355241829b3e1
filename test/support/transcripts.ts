import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Command lines and all that they print; test/commands/transcripts.test.ts says how they are written. */
export const transcripts = 'test/fixtures/transcripts';

/**
 * Writes the files of a transcript into a folder and runs its commands, in their order. Answers with its lines, each
 * command with what it printed now.
 */
export async function playTranscript(
  name: string,
  folder: string,
  play: (command: string) => Promise<readonly string[]>,
): Promise<string> {
  const shown: string[] = [];
  const text = readFileSync(join(transcripts, name), 'utf8').trimEnd();
  for (const section of text.split(/\n\n(?=## )/)) {
    const asked = section.split('\n').filter((line) => /^(\$ gc |file |## |\| )/.test(line));
    const again: string[] = [];
    for (const [at, line] of asked.entries()) {
      again.push(line);
      if (line.startsWith('file ')) {
        const rest = asked.slice(at + 1);
        const end = rest.findIndex((one) => !one.startsWith('| '));
        write(line.slice('file '.length), rest.slice(0, end < 0 ? undefined : end), folder);
      } else if (line.startsWith('$ gc ')) again.push(...(await play(line.slice(5))));
    }
    shown.push(again.join('\n'));
  }
  return `${shown.join('\n\n')}\n`;
}

function write(name: string, lines: readonly string[], folder: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  const text = lines.map((line) => line.replaceAll('FOLDER', folder).slice(2));
  writeFileSync(path, text.length === 0 ? '' : `${text.join('\n')}\n`);
}
