import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  assertPluginAllowed,
  lookPath,
} from '../../../src/cluster/connection/exec-plugin-policy.ts';
import { isGcError } from '../../../src/errors.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

afterEach(() => vi.restoreAllMocks());

test('on Windows a program is a file with an extension of PATHEXT, or with any other', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-plugins-'));
  try {
    for (const name of ['aws', 'aws.EXE', 'tool.sh']) {
      writeFileSync(join(folder, name), '');
      chmodSync(join(folder, name), 0o700);
    }
    const env = { Path: folder, PATHEXT: '.COM;.EXE' };
    expect(lookPath('aws', env)).toBe(join(folder, 'aws'));
    vi.spyOn(process, 'platform', 'get').mockReturnValue('win32');
    expect(['aws', 'aws.EXE', 'tool', 'tool.sh'].map((name) => lookPath(name, env))).toEqual([
      join(folder, 'aws.EXE'),
      join(folder, 'aws.EXE'),
      undefined,
      join(folder, 'tool.sh'),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('a kuberc says which plugins run', () => {
  const folder = temporaryFolder();
  let homes = 0;
  const apiVersion = (version: string) => `apiVersion: kubectl.config.k8s.io/${version}`;
  const preference = (version: string, ...lines: readonly string[]) =>
    [apiVersion(version), 'kind: Preference', ...lines, ''].join('\n');
  const deny = 'credentialPluginPolicy: DenyAll';
  const allow = 'credentialPluginPolicy: AllowAll';
  const listed = (field: string) =>
    `credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{${field}: login}]`;

  /** Whether the plugin `login` runs: `runs`, or the code of the error. */
  async function answerOf(kuberc: string, isNamed: boolean): Promise<string> {
    const home = join(folder, `${homes++}`);
    const file = join(home, '.kube', 'kuberc');
    mkdirSync(join(home, '.kube'), { recursive: true });
    writeFileSync(file, kuberc);
    const env = { HOME: home, PATH: '', ...(isNamed && { KUBERC: file }) };
    const environment = { env, cwd: folder, stdinIsTerminal: false, serviceAccountDirectory: '' };
    return assertPluginAllowed('login', environment).then(
      () => 'runs',
      (error) => (isGcError(error) ? error.code : String(error)),
    );
  }

  const denied = 'exec-plugin-denied';
  test.each([
    ['v1 that denies all', preference('v1', deny), denied],
    ['v1 written by kubectl kuberc', preference('v1', 'aliases: null', 'defaults: null'), 'runs'],
    ['v1 that lists it', preference('v1', listed('command')), 'runs'],
    ['v1 with the field of v1beta1', preference('v1', listed('name')), 'kuberc-invalid'],
    ['v1beta1 with its old field', preference('v1beta1', listed('name')), 'runs'],
    ['v1beta1 that denies all', preference('v1beta1', deny), denied],
    ['v1alpha1, which has no policy', preference('v1alpha1', deny), 'runs'],
    ['unknown version, DenyAll', preference('v2', deny), denied],
    ['unknown version, AllowAll', preference('v2', allow), 'runs'],
    ['unknown version, no policy', preference('v2', 'aliases: []'), denied],
    [
      'unknown version, policy of another type',
      preference('v2', 'credentialPluginPolicy: {deny: all}'),
      denied,
    ],
    ['unknown version, unknown policy', preference('v2', 'credentialPluginPolicy: Ask'), denied],
    [
      'unknown version with DenyAll, then v1 with AllowAll',
      `${preference('v2', deny)}---\n${preference('v1', allow)}`,
      denied,
    ],
    [
      'unknown version without policy, then v1 with AllowAll',
      `${preference('v2')}---\n${preference('v1', allow)}`,
      'runs',
    ],
    [
      'v1 that denies, before v1beta1 that allows',
      `${preference('v1', deny)}---\n${preference('v1beta1', allow)}`,
      denied,
    ],
    [
      'v1 that allows, before v1beta1 that denies',
      `${preference('v1', allow)}---\n${preference('v1beta1', deny)}`,
      'runs',
    ],
  ])('%s', async (_, kuberc, answer) => {
    expect([await answerOf(kuberc, false), await answerOf(kuberc, true)]).toEqual([answer, answer]);
  });

  test('an array is no kuberc, and kubectl goes on without one that nobody named', async () => {
    const one = { apiVersion: 'kubectl.config.k8s.io/v1', kind: 'Preference' };
    const kuberc = JSON.stringify([{ ...one, credentialPluginPolicy: 'AllowAll' }]);
    expect([await answerOf(kuberc, false), await answerOf(kuberc, true)]).toEqual([
      'runs',
      'kuberc-invalid',
    ]);
  });
});
