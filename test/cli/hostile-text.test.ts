import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Text of files and arguments that would act on a terminal, or on the log of a job. */
const folder = temporaryFolder();

/** Clears the screen, writes to the clipboard, colours by C1, turns the line round, begins a command. */
const hostile = 'a\u001b[2J\u001b]52;c;x\u0007\u009b31m\u202eb\r\n::error::c';
const shown = 'a^[[2J^[]52;c;x^G 31m b^M^J::error::c';

function file(name: string, ...objects: object[]): string {
  const path = join(folder, name);
  writeFileSync(path, objects.map((object) => `${JSON.stringify(object)}\n`).join(''));
  return path;
}

const metadata = (name: string, uid = `uid-${name}`) => ({ name, namespace: 'shop', uid });
const record = (name: string, uid?: string) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata(name, uid) },
});
const plain = record('plain');
const twins = [record(hostile, 'one-uid'), record(hostile, 'one-uid')];
const inLines = `"${shown.replace('^J', '\n\\')}"`;

describe('stderr shows what a message quotes, and does nothing', () => {
  test.each([
    [['orphans', '-A', '--from', file('twins.json', ...twins)], '', 0],
    [['owners', `configmap/${hostile}`, '--from', file('empty.json', plain)], `"${shown}"`, 3],
    [['owners', hostile, '--from', file('none.json', plain)], `"${shown}"`, 2],
    [['orphans', `--${hostile}`], '', 2],
    [['orphans', '-o', hostile], `"${shown}"`, 2],
    [['audit', '--config', join(folder, hostile)], shown, 3],
    // kubectl's messages may have several lines: what begins one commands no log.
    [['delete', 'configmap', hostile, '--from', file('gone.json', plain)], inLines, 3],
  ])('%j', async (line, quoted, code) => {
    const run = await gc(line);
    expect(run.stderr).not.toMatch(/[^\n\P{Cc}]|\p{Bidi_Control}|^\s*::/mu);
    expect(run.stderr).toContain(quoted);
    expect(run.code).toBe(code);
  });

  test('with the stack of an error as well', async () => {
    const from = ['-v=9', '--from', file('stack.json', plain)];
    const { stderr } = await gc(['owners', `configmap/${hostile}`, ...from]);
    expect(stderr).not.toMatch(/[^\n\P{Cc}]|\p{Bidi_Control}|^\s*::/mu);
    expect(stderr.split('\n').filter((each) => /^\s+at /.test(each))).not.toEqual([]);
  });

  test('a line ends after 2000 characters', async () => {
    const { stderr, code } = await gc(['orphans', '-o', 'x'.repeat(100_000)]);
    const [line = '', next] = stderr.split('\n');
    const more = / \((\d+) more characters\)$/.exec(line);
    expect([code, more?.index, Number(more?.[1]) > 98_000, next?.slice(0, 22)]).toEqual([
      2,
      2001,
      true,
      '  Allowed formats are:',
    ]);
  });
});

test('the answer to a deletion and the names of a snapshot are printable', async () => {
  const widget = { ...record(hostile), apiVersion: `e.com/v1`, kind: `Wid${hostile}` };
  const from = file('both.json', record(hostile), widget);
  const line = ['delete', 'configmap', hostile, '-n', 'shop', '--dry-run=client', '-o', 'name'];
  const deleted = await gc([...line, '--from', from]);
  const names = await gc(['snapshot', 'info', '-o', 'name', '--from', from]);
  for (const { stdout } of [deleted, names]) {
    expect(stdout).not.toMatch(/[^\n\P{Cc}]|\p{Bidi_Control}|^\s*::/mu);
  }
  // No object is called so: names hold no %.
  expect(deleted.stdout).toBe(
    'configmap/a%1B[2J%1B]52;c;x%07%C2%9B31m%E2%80%AEb%0D%0A::error::c\n',
  );
});
