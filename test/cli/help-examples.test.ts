import { describe, expect, test } from 'vitest';
import { endsWell, helpExamples, inBash } from '../support/help-examples.ts';
import { bash } from '../support/run-gc.ts';
import { startWatching } from '../support/watching.ts';

/** Those that need a cluster: test/live/help-examples.test.ts. */
const examples = await helpExamples();
const commands = [...new Set(examples.map(({ command }) => command))];

describe('the examples of help', () => {
  test.each(examples.filter(({ place }) => place !== 'cluster'))('$line', async (example) => {
    const { command, line, place } = example;
    if (command === 'view') {
      // It goes on until Ctrl-C.
      const serving = startWatching(line.replace(/^kubectl gc /, ''), {});
      await serving.shows('http://127.0.0.1:');
      expect((await serving.end()).code).toBe(0);
      return;
    }
    const { code, stdout, stderr } = await bash(
      inBash(place === 'nodes' ? `${line} --from examples/nodes` : line),
    );
    expect([stderr, endsWell(command, code)]).toEqual([stderr, true]);
    // A script goes to a file or a shell, and tables into a folder; there may be no backup.
    const isSilent = command === 'backups' || command === 'snapshot export' || /[<>]/.test(line);
    if (!isSilent) expect(stdout).not.toBe('');
  });

  test.each(commands)('of %s end with three that run as they stand', (command) => {
    const last = examples.filter((example) => example.command === command).slice(-3);
    // Controllers run on a cluster, and agents delete on one.
    const serves = command === 'run-controllers' || command === 'guard';
    const needsCluster = serves ? 3 : command === 'mcp' ? 2 : 0;
    const places = Array(3).fill('bundled').fill('cluster', 0, needsCluster);
    expect(last.map((example) => example.place)).toEqual(places);
  });
});
