import { expect, test, vi } from 'vitest';
import { PictureView } from '../../../src/shell/watch/picture-view.ts';

const look = {
  answer: { report: { kind: 'Diagnosis', items: [] }, taken: { observedAt: 'now' }, remarks: [] },
  lines: [],
  changes: 0,
  since: 0,
};

/** What is drawn of these lines on a terminal of 40 columns and 8 rows, without the end of the picture. */
async function drawn(lines: readonly string[]): Promise<string[]> {
  const { columns, rows } = process.stdout;
  Object.assign(process.stdout, { columns: 40, rows: 8 });
  const written: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation(((
    text: string,
    done?: () => void,
  ) => {
    written.push(text);
    done?.();
    return true;
  }) as typeof process.stdout.write);
  const print = { textOf: async () => `${lines.join('\n')}\n` };
  try {
    await new PictureView(print as never).show(look as never);
  } finally {
    spy.mockRestore();
    Object.assign(process.stdout, { columns, rows });
  }
  const [, picture = ''] = (written[0] ?? '').split('\u001b[H');
  return picture
    .replaceAll('\u001b[K', '')
    .replaceAll('\u001b[?7h', '<')
    .replaceAll('\u001b[?7l', '>')
    .split('\n')
    .slice(0, -2);
}

const command = 'kubectl gc why pod/web -n shop --context live --as jane';

test('a command that is wider than the terminal continues in the next row, and counts as two', async () => {
  expect(await drawn(['a', `  ${command}`, 'b', 'c', 'd'])).toEqual([
    ...['a', `<  ${command}>`, 'b', 'c', 'd'],
  ]);
  expect(await drawn(['a', `  ${command}`, 'b', 'c', 'd', 'e'])).toEqual([
    ...['a', `<  ${command}>`, 'b', 'c', '... 2 more lines below'],
  ]);
});

test('any other line ends where the terminal ends, and counts as one', async () => {
  const long = 'x'.repeat(100);
  expect(await drawn([long, 'b', 'c', 'd', 'e', 'f'])).toEqual([long, 'b', 'c', 'd', 'e', 'f']);
});
