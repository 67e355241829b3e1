import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { defaultVersion } from '../../scripts/control-plane.mjs';
import { commonFlags } from '../../src/shell/flags/flags.ts';
import { glossary } from '../../src/shell/oclif/glossary.ts';
import { describeCommands } from '../../src/shell/oclif/manifest.ts';
import { provenVersions } from '../../src/shell/proven-versions.ts';
import { validDocument } from '../contract/valid-document.ts';
import { gc } from '../support/run-gc.ts';
import { gcHere } from '../support/run-here.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };
const commands = (await describeCommands()).map(({ id }) => id.replace(':', ' '));

/** The flags that a page explains. */
function flagsOf(page: string): string[] {
  return [...page.matchAll(/^ {2}(?:-\w, | {4})?(--[\w-]+)/gm)].map(([, flag]) => flag ?? '');
}

/** The program behind `kubectl gc`, and what a template leaves. */
const otherNames = /(?<!\.)kubectl-gc(?!-guard)|\$ gc|<%/;

describe('help', () => {
  test.each(commands)('of %s is one screen, however it is asked for', async (command) => {
    const help = await gcHere(`${command} --help`);
    const { stdout } = help;
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(await gc(`${command} --help`)).toEqual(help);
    const others = [`${command} -h`, `help ${command}`, `--help ${command}`, `-n x ${command} -h`];
    for (const line of others) expect([line, await gcHere(line)]).toEqual([line, help]);
    // Help must not wait for files, clusters or a right command line.
    expect((await gcHere(`${command} pod/x -o nonsense --from /nowhere --help`)).code).toBe(0);

    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^[A-Z][a-z]+ .{0,55}$/);
    expect(lines.length).toBeLessThanOrEqual(25);
    const texts = lines.filter((line) => !line.startsWith('  $ '));
    expect(texts.filter((line) => line.length > 80)).toEqual([]);
    const headings = lines.filter((line) => /^[A-Z ]+$/.test(line) && line !== '');
    expect([headings[0], headings.at(-1)]).toEqual(['USAGE', 'EXAMPLES']);
    expect(stdout).not.toMatch(/^(DESCRIPTION|ALIASES|[A-Z ]+ FLAGS)$|--kubeconfig/m);
    expect(stdout).not.toMatch(otherNames);
    expect(stdout).toContain(' kubectl gc options\n\nEXAMPLES\n');
    const [, usage = ''] = /^USAGE\n([\s\S]*?)\n\n/m.exec(stdout) ?? [];
    expect(usage).toMatch(new RegExp(`^  \\$ kubectl gc ${command}( |$)`, 'm'));
    // No line of it is broken within brackets.
    expect(usage).not.toMatch(/\[[^[\]|\n]*$/m);
  });

  test('of everything lists every command once, in groups, with an imperative of at most 60 characters', async () => {
    const help = await gcHere('--help');
    expect([help.code, help.stderr]).toEqual([0, '']);
    const lines = help.stdout.trimEnd().split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const headings = lines.filter((line) => /^[A-Z ]+$/.test(line) && line !== '');
    const groups = ['LOOK', 'DELETE AND RESTORE', 'FORECAST', 'CHECK', 'KEEP AND COMPARE', 'MORE'];
    expect(headings).toEqual(groups);
    const shown = [...help.stdout.matchAll(/^ {2}(\S+) +\S/gm)].map(([, name]) => name ?? '');
    const expected = new Set(commands.map((command) => command.split(' ')[0] ?? ''));
    expect(shown.toSorted()).toEqual([...expected].sort());
    for (const { id, summary = '' } of await describeCommands()) {
      expect([id, summary]).toEqual([
        id,
        expect.stringMatching(/^[A-Z][a-z]+ (?!.*\?).{0,55}[^.?]$/),
      ]);
    }
    for (const line of ['', '-h', 'help', '-n shop --help']) {
      expect([line, await gcHere(line)]).toEqual([line, help]);
    }
  });

  test.each(Object.keys(glossary))('explains the concept %s', async (name) => {
    const { code, stdout, stderr } = await gcHere(`help ${name}`);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${glossary[name]?.title}\n\n`);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('--all of everything lists every command', async () => {
    const help = await gcHere('help --all');
    expect(help.code).toBe(0);
    for (const command of commands) {
      expect(help.stdout.match(new RegExp(`^  ${command} `, 'gm')) ?? []).toHaveLength(1);
    }
    for (const line of ['--help --all', '-h --all', 'help --all -n shop']) {
      expect([line, await gcHere(line)]).toEqual([line, help]);
    }
  });

  test('of everything ends with a command that needs no cluster', async () => {
    const { stdout } = await gcHere('');
    const [, line = ''] = /^Without a cluster: kubectl gc (.*)$/m.exec(stdout) ?? [];
    const { code, stderr } = await gcHere(line);
    expect([code, stderr]).toEqual([0, '']);
  });

  test('of everything has the width that is asked for', async () => {
    const { stdout } = await gc('--help');
    const narrow = await gc('--help', { env: { OCLIF_COLUMNS: '60' } });
    expect(narrow.stdout).not.toBe(stdout);
    expect(narrow.stdout.split(/\s+/)).toEqual(stdout.split(/\s+/));
  });

  test.each(['--help', 'delete --help --all'])('%s in colours says the same', async (line) => {
    const { stdout } = await gc(line);
    const coloured = await gc(line, { env: { FORCE_COLOR: '1' } });
    expect(coloured.stdout).not.toBe(stdout);
    expect(stripVTControlCharacters(coloured.stdout)).toBe(stdout);
  });

  test('of a topic lists its commands', async () => {
    const help = await gcHere('help snapshot');
    expect(help).toEqual({
      code: 0,
      stderr: '',
      stdout: `Save, inspect, compare and export snapshots of a cluster

USAGE
  $ kubectl gc snapshot COMMAND

COMMANDS
  snapshot diff    Compare two snapshots and explain each deletion
  snapshot export  Export snapshots as Parquet tables for SQL
  snapshot info    Show the content of a snapshot or any other input
  snapshot save    Save a cluster to a file for offline use

`,
    });
    for (const line of ['snapshot', 'snapshot --help', 'snapshot -h']) {
      expect([line, await gcHere(line)]).toEqual([line, help]);
    }
  });

  test.each(['--help', 'help snapshot'])('%s speaks of kubectl gc alone', async (line) => {
    expect((await gcHere(line)).stdout).not.toMatch(otherNames);
  });

  test('of an alias has the usage of the alias, and names the command', async () => {
    const { stdout } = await gcHere('cascade-delete --help');
    expect(stdout).toContain('USAGE\n  $ kubectl gc cascade-delete (TYPE/NAME... ');
    const whole = (await gcHere('cascade-delete --help --all')).stdout;
    expect(whole).toContain('ALIASES\n  $ kubectl gc delete\n');
    expect((await gcHere('delete --help --all')).stdout).toContain(
      'ALIASES\n  $ kubectl gc cascade-delete\n',
    );
  });

  test.each(commands)('--all of %s shows the flags that the other only names', async (command) => {
    const { stdout } = await gcHere(`${command} --help`);
    const whole = await gcHere(`help ${command} --all`);
    expect([whole.code, whole.stderr]).toEqual([0, '']);
    expect(await gcHere(`${command} --help --all`)).toEqual(whole);
    const [, named = ''] =
      /^Also \(kubectl gc [\w- ]+ --help --all\): ([^.]*)\./m.exec(stdout) ?? [];
    const also = named === '' ? [] : named.split(/,\s+/);
    const onOptions = Object.keys(commonFlags).map((name) => `--${name}`);
    const told = [...flagsOf(stdout), ...also, ...onOptions];
    expect(flagsOf(whole.stdout).filter((flag) => !told.includes(flag))).toEqual([]);
  });

  test('of a flag shows its default and the values that it takes', async () => {
    const { stdout } = await gcHere('orphans --help --all');
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      '-o, --output=FORMAT [default: table] output format (table, wide, json, yaml, name, html)',
    );
  });

  test('of a flag whose value may be left out says so', async () => {
    expect((await gcHere('delete --help --all')).stdout).toContain('\n      --now[=TIME]  ');
  });

  test.each([
    ['version', ['output']],
    ['completion', ['guard']],
    ['rbac', ['namespace', 'output', 'service-account', 'with']],
    ['snapshot info', ['output', 'complete', 'from', 'now']],
  ])('of %s lists its flags alone', async (command, flags) => {
    const { stdout } = await gcHere(`${command} --help --all`);
    expect(flagsOf(stdout)).toEqual(flags.map((name) => `--${name}`));
  });

  test('options lists the flags that every command takes', async () => {
    const { code, stdout, stderr } = await gcHere('options');
    expect([code, stderr]).toEqual([0, '']);
    const shared = Object.keys(commonFlags).map((name) => `--${name}`);
    expect(flagsOf(stdout).toSorted()).toEqual(shared.toSorted());
  });

  test('prints the version and the versions that it was tested against', async () => {
    const told = await gc('version');
    const node = `Node: ${process.version} on ${process.platform}/${process.arch}`;
    const proven = `Proven against Kubernetes: ${provenVersions.join(', ')}`;
    expect(told.stdout.split('\n').slice(1)).toEqual([node, proven, '']);
    expect(told.stdout).toMatch(/^Version: \S+ \(commit ([0-9a-f]{40}(-dirty)?|unknown)\)\n/);
    expect(told.stdout).toContain(`Version: ${version} (`);
    for (const line of ['--version', '-n shop --version', '-v']) {
      expect([line, await gc(line)]).toEqual([line, told]);
    }
    const document = validDocument('version', (await gc('version -o json')).stdout);
    expect(document).toEqual({
      apiVersion: 'kubectl-gc/v1',
      kind: 'Version',
      version,
      ...(document.commit !== undefined && {
        commit: expect.stringMatching(/^[0-9a-f]{40}(-dirty)?$/),
      }),
      node: process.version,
      platform: `${process.platform}/${process.arch}`,
      provenAgainst: provenVersions,
    });
    expect((await gc('version -o yaml')).stdout).toContain(`version: ${version}\n`);
  });

  test('the proven versions are those of the live tests and of versions.md', () => {
    expect(provenVersions[0]).toBe(defaultVersion);
    const page = readFileSync('docs/versions.md', 'utf8');
    for (const proven of provenVersions) expect(page).toContain(proven);
  });
});
