import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Answer, sendFixes } from '../../../src/shell/fix/send-fixes.ts';
import { withInterruption } from '../../../src/shell/terminal/interruption.ts';

/** A server that takes every step but `no`; this process has no terminal. */
let stderr: string;
let asked: string[];
const terminal = { stdin: process.stdin.isTTY, stderr: process.stderr.isTTY };

beforeEach(() => {
  stderr = '';
  asked = [];
  Object.assign(process.stdin, { isTTY: false });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += text;
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(process.stdin, { isTTY: terminal.stdin });
});

const steps = ['one', 'no', 'two', 'three'];

function fix(given: { yes?: boolean; dryRun?: boolean }, after?: (line: string) => void) {
  const { yes = false, dryRun = false } = given;
  return withInterruption((interruption) =>
    sendFixes(
      steps,
      { yes, dryRun, interruption },
      {
        send: async function* (some, sending): AsyncGenerator<Answer<string>> {
          for (const step of some) {
            const line = `${sending.dryRun ? 'rehearsed' : 'sent'} ${step}`;
            asked.push(line);
            yield { step, isTaken: step !== 'no', line };
            after?.(line);
          }
        },
        backup: {
          show: async (some) => void asked.push(`shown ${some.join(' ')}`),
          keep: async (some) => void asked.push(`kept ${some.join(' ')}`),
          finish: async (done, isCertain) => {
            asked.push(`done ${done.join(' ')}${isCertain ? '' : ' at least'}`);
          },
        },
        question: (count) => `Send ${count}?`,
        declined: 'Nothing was changed.',
      },
    ),
  );
}

const rehearsed = ['rehearsed one', 'rehearsed no', 'rehearsed two', 'rehearsed three'];

describe('fixes', () => {
  test('that the server would take are sent once with --yes', async () => {
    expect(await fix({ yes: true })).toEqual({ sent: 3, refused: 1 });
    const sent = ['sent one', 'sent two', 'sent three'];
    const all = 'one two three';
    expect(asked).toEqual([...rehearsed, `kept ${all}`, ...sent, `done ${all}`]);
    expect(stderr).toBe(`${[...rehearsed, ...sent].join('\n')}\n`);
  });

  test('are rehearsed only with --dry-run', async () => {
    expect(await fix({ yes: true, dryRun: true })).toEqual({ sent: 0, refused: 1 });
    expect(asked).toEqual([...rehearsed, 'shown one two three']);
    expect(stderr).toBe(`${[...rehearsed, 'Nothing was changed (--dry-run).'].join('\n')}\n`);
  });

  test('are wrong usage without --yes and without a terminal', async () => {
    await expect(fix({})).rejects.toMatchObject({
      exitCode: 2,
      message: 'nothing was changed: there is no terminal to ask on',
      suggestions: ['Add --yes to apply the fixes, or --dry-run to rehearse them only.'],
    });
    expect(asked).toEqual([]);
  });

  test('end with the one that is on its way when Ctrl-C is pressed', async () => {
    const press = (line: string) => {
      if (line === 'sent one') process.emit('SIGINT');
    };
    await expect(fix({ yes: true }, press)).rejects.toMatchObject({
      exitCode: 130,
      suggestions: ['Nothing was changed but what the lines above say.'],
    });
    expect(asked).toEqual([
      ...rehearsed,
      'kept one two three',
      'sent one',
      'sent two',
      'done one two at least',
    ]);
    expect(process.listenerCount('SIGTERM')).toBe(0);
  });

  test('are not sent when Ctrl-C is pressed while they are rehearsed', async () => {
    const press = (line: string) => {
      if (line === 'rehearsed no') process.emit('SIGINT');
    };
    await expect(fix({ yes: true }, press)).rejects.toMatchObject({
      exitCode: 130,
      suggestions: ['Nothing was changed.'],
    });
    expect(asked.filter((line) => line.startsWith('sent'))).toEqual([]);
  });
});
