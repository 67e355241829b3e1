import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { withPreferences } from '../../src/cli/argv/preferences.ts';
import { type CommandManifest, describeCommands } from '../../src/cli/oclif/manifest.ts';
import { wordsOf } from '../support/command-line.ts';
import { gcHere } from '../support/run-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-kuberc-'));
let manifest: readonly CommandManifest[];
beforeAll(async () => {
  manifest = await describeCommands();
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function kuberc(text: string): string {
  files += 1;
  const path = join(folder, `kuberc ${files}`);
  writeFileSync(path, text);
  return path;
}

const beta = (rest: string) =>
  kuberc(`apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n${rest}`);
const alpha = (rest: string) =>
  kuberc(`apiVersion: kubectl.config.k8s.io/v1alpha1\nkind: Preference\n${rest}`);

/** The command line with what the file that $KUBERC names adds to it, and what stderr was told. */
async function applied(line: string, file: string) {
  vi.stubEnv('KUBERC', file);
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const argv = await withPreferences(wordsOf(line), manifest);
    return { argv: argv.join(' '), stderr: written.mock.calls.map(([text]) => text).join('') };
  } finally {
    written.mockRestore();
  }
}

const deletion = beta(`
defaults:
- command: gc delete
  options: [{name: cascade, default: orphan}]
- command: delete
  options: [{name: interactive, default: "true"}, {name: cascade, default: foreground}]
- command: get
  options: [{name: output, default: wide}]
- command: gc snapshot save
  options: [{name: namespace, default: shop}]
aliases:
- name: remove
  command: delete
  options: [{name: wait, default: "false"}, {name: namespace, default: shop}]
  prependArgs: [pod]
  appendArgs: [--now]
- name: save
  command: gc snapshot save
- name: list
  command: get
- name: tree
  command: gc orphans
`);

describe('what a kuberc adds to a command line', () => {
  test.each([
    [
      'the defaults of delete, those of gc delete before them',
      'delete pod/web',
      '--interactive=true --cascade=orphan delete pod/web',
    ],
    [
      'none for a flag that is given',
      'delete pod/web -i=false --cascade background',
      'delete pod/web -i=false --cascade background',
    ],
    ['none for a flag among joined ones', 'delete pods -Ai', '--cascade=orphan delete pods -Ai'],
    ['none for other commands', 'tree pod/web', 'tree pod/web'],
    [
      'the defaults of a command of a topic',
      'snapshot save out.json',
      '--namespace=shop snapshot save out.json',
    ],
    [
      'an alias of delete: its flags, its arguments, and not the defaults of delete',
      'remove web',
      '--wait=false --namespace=shop delete pod web --now',
    ],
    ['an alias behind flags', '-n bank --wait remove web', '-n bank --wait delete pod web --now'],
    ['an alias of a command of a topic', 'save out.json', 'snapshot save out.json'],
    ['nothing for an alias that is named like a command', 'tree pod/web', 'tree pod/web'],
    ['nothing to help', 'help delete', 'help delete'],
    ['nothing without a command', '--version', '--version'],
  ])('%s', async (_, line, expected) => {
    expect(await applied(line, deletion)).toEqual({ argv: expected, stderr: '' });
  });

  test('the same from v1alpha1, which names its fields otherwise', async () => {
    const file = alpha(`
overrides:
- command: delete
  flags: [{name: interactive, default: "true"}]
aliases:
- name: remove
  command: delete
  flags: [{name: wait, default: "false"}]
`);
    expect((await applied('delete pod/web', file)).argv).toBe('--interactive=true delete pod/web');
    expect((await applied('remove pod/web', file)).argv).toBe('--wait=false delete pod/web');
  });

  test('the first preferences that are valid count', async () => {
    const file = kuberc(`---
a: [
---
apiVersion: v1
kind: ConfigMap
---
apiVersion: kubectl.config.k8s.io/v1beta1
kind: Preference
defaults: [{command: delete, options: [{name: wait, default: "false"}]}]
---
apiVersion: kubectl.config.k8s.io/v1beta1
kind: Preference
defaults: [{command: delete, options: [{name: now, default: "true"}]}]
`);
    expect((await applied('delete pod/web', file)).argv).toBe('--wait=false delete pod/web');
  });

  test('a default for a command that kubectl gc does not have is a warning', async () => {
    const file = beta('defaults: [{command: gc prune, options: []}]');
    expect(await applied('delete pod/web', file)).toEqual({
      argv: 'delete pod/web',
      stderr: 'Warning: command "gc prune" not found to set kuberc override\n',
    });
  });
});

describe('which kuberc counts', () => {
  const home = join(folder, 'home');
  const wait = (value: boolean) =>
    `apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n` +
    `defaults: [{command: delete, options: [{name: wait, default: "${value}"}]}]\n`;
  beforeAll(() => {
    mkdirSync(join(home, '.kube'), { recursive: true });
    writeFileSync(join(home, '.kube', 'kuberc'), wait(true));
  });
  const named = kuberc(wait(false));

  test.each([
    ['the one of the home', {}, [], '--wait=true'],
    ['before it the one of $KUBERC', { KUBERC: named }, [], '--wait=false'],
    ['before both the one of --kuberc', { KUBERC: '/no' }, ['--kuberc', named], '--wait=false'],
    ['none with KUBERC=off', { KUBERC: 'off' }, [], undefined],
    ['none with KUBECTL_KUBERC=false', { KUBECTL_KUBERC: 'False', KUBERC: named }, [], undefined],
    ['none where there is none', { HOME: folder }, [], undefined],
  ])('%s', async (_, env, flags, expected) => {
    for (const [name, value] of Object.entries({ HOME: home, KUBERC: '', ...env }))
      vi.stubEnv(name, value);
    const argv = ['delete', 'pod/web', ...flags];
    expect(await withPreferences(argv, manifest)).toEqual(
      expected === undefined ? argv : [expected, ...argv],
    );
  });
});

describe('a kuberc that is broken', () => {
  const line = 'orphans -A --from examples/clusters/shop.json.gz -o name';
  const missing = join(folder, 'missing');
  const unquoted = beta('defaults: [{command: delete, options: [{name: wait, default: true}]}]');

  test.each([
    [missing, 'it does not exist'],
    [kuberc('a: ['), 'invalid YAML'],
    [
      kuberc('kind: Preference'),
      'it is not a Preference of kubectl.config.k8s.io/v1beta1 or v1alpha1',
    ],
    [unquoted, 'defaults[0].options[0].default is not a string: put it in quotes'],
    [beta('aliases: {}'), 'aliases is not a list'],
    [beta('aliases: [none]'), 'aliases[0] is not a mapping'],
  ])('and named is an error: 3 (%#)', async (file, why) => {
    const { code, stdout, stderr } = await gcHere([...wordsOf(line), '--kuberc', file]);
    expect([code, stdout, stderr.split('\n').slice(1)]).toEqual([
      3,
      '',
      ['  Correct the file that --kuberc or $KUBERC names, or set KUBERC=off.', ''],
    ]);
    expect(stderr).toContain(`error: the kuberc ${file} cannot be read: ${why}`);
  });

  test('and not named is a warning', async () => {
    const home = join(folder, 'broken');
    mkdirSync(join(home, '.kube'), { recursive: true });
    const file = join(home, '.kube', 'kuberc');
    writeFileSync(file, 'a: [');
    vi.stubEnv('HOME', home);
    const { code, stdout, stderr } = await gcHere(line);
    expect(code).toBe(0);
    expect(stdout).not.toBe('');
    expect(stderr).toContain(`Warning: no preferences were read from ${file}: `);
  });

  test.each([
    [
      'aliases: [{name: a1, command: delete}]',
      'the alias name "a1" has other characters than letters',
    ],
    ['aliases: [{name: a, command: get}, {name: a, command: get}]', 'it has two aliases "a"'],
    [
      'defaults: [{command: get, options: [{name: -o, default: wide}]}]',
      'the flag "-o" is to be named without dashes',
    ],
    [
      'defaults: [{command: gc orphans, options: [{name: nothing, default: ""}]}]',
      'invalid flag nothing for command orphans',
    ],
    [
      'defaults: [{command: gc orphans, options: [{name: unmanaged, default: maybe}]}]',
      'invalid value "maybe" of flag unmanaged for command orphans',
    ],
  ])('or wrong is an error: 2 (%s)', async (text, fault) => {
    const file = beta(text);
    expect(await gcHere([...wordsOf(line), '--kuberc', file])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: the kuberc ${file} cannot be applied: ${fault}\n  Correct it, or set KUBERC=off.\n`,
    });
  });

  test('or named and turned off is an error: 2', async () => {
    const argv = [...wordsOf(line), '--kuberc', missing];
    const { code, stderr } = await gcHere(argv, { KUBERC: 'off' });
    expect([code, stderr]).toEqual([
      2,
      'error: KUBERC=off and --kuberc contradict each other\n  Unset KUBERC, or leave out --kuberc.\n',
    ]);
  });
});

test("an alias for one of kubectl's own commands says so", async () => {
  expect(await gcHere(['list', '--kuberc', deletion])).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: unknown command "list" for "kubectl gc"\n  In ${deletion}, it is an alias of kubectl's command "get".\n`,
  });
});

test('the defaults decide what a command does', async () => {
  const file = beta('defaults: [{command: gc orphans, options: [{name: output, default: name}]}]');
  const line = 'orphans -A --from examples/clusters/shop.json.gz';
  expect((await gcHere([...wordsOf(line), '--kuberc', file])).stdout).toBe(
    (await gcHere(`${line} -o name`)).stdout,
  );
});
