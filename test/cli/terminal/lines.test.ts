import { expect, test, vi } from 'vitest';
import { nowhere, printedCommand, shellCommand } from '../../../src/command-line/shell-command.ts';
import { writeCommand, writeErr, writeWhole } from '../../../src/shell/terminal/streams.ts';

/** What is written to stderr, which is as wide as 40 columns. */
function written(write: () => void): string {
  const parts: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation(((text: string) => {
    parts.push(text);
    return true;
  }) as typeof process.stderr.write);
  vi.stubEnv('COLUMNS', '40');
  try {
    write();
  } finally {
    vi.unstubAllEnvs();
    spy.mockRestore();
  }
  return parts.join('');
}

const long = shellCommand`kubectl patch configmap/a -n shop --type=json -p ${`[${'"x",'.repeat(2000)}]`}`;
const command = printedCommand(long, nowhere);

test.each([
  ['alone', command],
  ['indented', `  ${command}`],
])('a command of 8000 characters, %s, stays one whole line', (_, line) => {
  expect(written(() => writeErr(line))).toBe(`${line}\n`);
});

test('behind a label it is whole where the program says so, and else a line that is cut', () => {
  const line = `To undo it: ${command}`;
  expect(written(() => writeCommand('To undo it: ', command))).toBe(`${line}\n`);
  expect(written(() => writeErr(line))).toContain('more characters)');
});

test('a path to copy is not broken, and a sentence is', () => {
  const line = `Backup of 2 objects: /home/jane/${'backups/'.repeat(9)}`;
  expect(written(() => writeWhole(line))).toBe(`${line}\n`);
  const lines = written(() => writeErr('word '.repeat(20))).split('\n');
  expect(lines.length).toBeGreaterThan(2);
});
