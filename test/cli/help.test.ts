import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeCommands } from '../../src/cli/oclif/manifest.ts';
import { gc } from '../support/run-gc.ts';
import { gcHere } from '../support/run-here.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };
const commands = (await describeCommands()).map(({ id }) => id.replace(':', ' '));

describe('help', () => {
  test.each(commands)('of %s is the same however it is asked for', async (command) => {
    const help = await gcHere(`${command} --help`);
    expect(help.code).toBe(0);
    expect(help.stderr).toBe('');
    expect(help.stdout).toContain(`$ kubectl gc ${command} `);
    expect(await gc(`${command} --help`)).toEqual(help);
    const others = [`${command} -h`, `help ${command}`, `--help ${command}`, `-n x ${command} -h`];
    for (const line of others) expect([line, await gcHere(line)]).toEqual([line, help]);
  });

  test.each(commands)('of %s is the same without its input', async (command) => {
    // Help must not wait for files, clusters or a right command line.
    expect((await gcHere(`${command} pod/x -o nonsense --from /nowhere --help`)).code).toBe(0);
  });

  test('of everything lists every command', async () => {
    const help = await gcHere('--help');
    expect(help.code).toBe(0);
    for (const command of commands) {
      expect(help.stdout).toMatch(new RegExp(`^  ${command.split(' ')[0]} `, 'm'));
    }
    for (const line of ['', '-h', 'help', '-n shop --help']) {
      expect([line, await gcHere(line)]).toEqual([line, help]);
    }
  });

  test('of a topic lists its commands', async () => {
    const help = await gcHere('help snapshot');
    expect(help).toEqual({
      code: 0,
      stderr: '',
      stdout: `Save what was read of a cluster in a file, and look into it.

USAGE
  $ kubectl gc snapshot COMMAND

COMMANDS
  snapshot info  Tell what a saved snapshot, or any other input, holds.
  snapshot save  Save what was read of a cluster in one file, for offline
                 questions.

`,
    });
    for (const line of ['snapshot', 'snapshot --help', 'snapshot -h']) {
      expect([line, await gcHere(line)]).toEqual([line, help]);
    }
  });

  test('speaks of kubectl gc, never of the program behind it', async () => {
    const lines = ['--help', 'help snapshot', ...commands.map((command) => `${command} --help`)];
    for (const line of lines) {
      const { stdout } = await gcHere(line);
      // The version line names the package.
      expect(stdout.replace(/^VERSION\n.*\n/m, '')).not.toMatch(/(?<!\.)kubectl-gc|\$ gc/);
      expect(stdout).not.toContain('<%');
    }
  });

  test('tells the version', async () => {
    const told = await gc('--version');
    expect(told).toEqual({
      code: 0,
      stdout: `kubectl-gc/${version} ${process.platform}-${process.arch} node-${process.version}\n`,
      stderr: '',
    });
    expect(await gc('version')).toEqual(told);
    expect(await gc('-n shop --version')).toEqual(told);
  });
});

describe('a command that does not exist', () => {
  const cases: readonly [string, string, string][] = [
    ['tre deploy/web', 'unknown command "tre" for "kubectl gc"', 'Did you mean: kubectl gc tree'],
    [
      '-n shop orphan pods',
      'unknown command "orphan" for "kubectl gc"',
      'Did you mean: kubectl gc orphans',
    ],
    [
      'snapshots save x',
      'unknown command "snapshots" for "kubectl gc"',
      'Did you mean: kubectl gc snapshot',
    ],
    [
      'frobnicate',
      'unknown command "frobnicate" for "kubectl gc"',
      'See the commands: kubectl gc --help',
    ],
    [
      'help frobnicate',
      'unknown command "frobnicate" for "kubectl gc"',
      'See the commands: kubectl gc --help',
    ],
    [
      'snapshot sav x.gz',
      'unknown command "sav" for "kubectl gc snapshot"',
      'There is: kubectl gc snapshot save, kubectl gc snapshot info',
    ],
    ['-n shop', 'no command was given', 'See the commands: kubectl gc --help'],
    ['--bogus', 'no command was given', 'See the commands: kubectl gc --help'],
    ['-- tree', 'no command was given', 'See the commands: kubectl gc --help'],
  ];
  test.each(cases)('gc %s', async (line, message, hint) => {
    expect(await gcHere(line)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${message}\n  ${hint}\n`,
    });
  });
});
