import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { cached } from '../../../scripts/release/go-tool.ts';
import { root } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  commitAll,
  examplesBelow,
  git,
  makePrograms,
  makeProject,
  packed,
  run,
  runLogged,
  searchPath,
} from './project.ts';

const folder = temporaryFolder();
const project = makeProject(folder);
const hooks = join(folder, 'the hooks');
const programs = makePrograms(folder);
const tool = cached('tools', 'pre-commit-4.7.0');
/** Debian's package where it is installed, else the one that pip installs. */
const installed = '/usr/bin/pre-commit';
const preCommit = existsSync(installed) ? installed : join(tool, 'bin', 'pre-commit');
let revision = '';
let tarball = '';

beforeAll(async () => {
  if (!existsSync(preCommit)) {
    // An environment of Python knows its own place, so it is made there; where that was cut short, again.
    await run('python3', ['-m', 'venv', '--clear', tool]);
    await run(join(tool, 'bin', 'pip'), ['install', '--quiet', 'pre-commit==4.7.0']);
  }
  mkdirSync(hooks);
  cpSync(join(root, '.pre-commit-hooks.yaml'), join(hooks, '.pre-commit-hooks.yaml'));
  revision = commitAll(hooks);
  // Debian's name for Node, which pre-commit looks for first.
  symlinkSync(process.execPath, join(programs, 'nodejs'));
  commitAll(project);
  tarball = await packed(folder);
}, 240_000);

/** What a commit of all manifests comes to, with this configuration of pre-commit. */
function committed(configuration: object, path = `${programs}:${searchPath}`) {
  writeFileSync(join(project, '.pre-commit-config.yaml'), stringify(configuration));
  git(project, 'add', '--all');
  return runLogged(preCommit, ['run', '--all-files', '--color=never'], {
    cwd: project,
    env: { PATH: path, HOME: folder, PRE_COMMIT_HOME: join(folder, 'pre-commit home') },
  });
}

/** An example of the page, with what takes the place of the published repository and package. */
function example(index: number, audited: string) {
  const configuration = parse(examplesBelow('pre-commit')[index] ?? '');
  const [repository] = configuration.repos;
  const [hook] = repository.hooks;
  if (repository.repo !== 'local') Object.assign(repository, { repo: hooks, rev: revision });
  else {
    hook.additional_dependencies = [tarball];
    hook.entry = hook.entry.replace(/ --from manifests$/, '');
  }
  hook.args = ['--from', audited];
  return configuration;
}

describe.each([
  ['the hook of this repository', 0],
  ['the hook that brings the npm package', 1],
])(
  '%s',
  (_, index) => {
    test('refuses a commit with findings, and shows them', async () => {
      const { code, log } = await committed(example(index, 'with findings'));
      expect([code, log]).toEqual([1, expect.stringMatching(/exit code: 1\n[\s\S]*self-owner/)]);
    });

    test('lets others pass', async () => {
      const { code, log } = await committed(example(index, 'with none'));
      expect([code, log]).toEqual([0, expect.stringMatching(/^kubectl gc audit\.+Passed$/m)]);
    });

    test('refuses what it cannot read', async () => {
      const { code, log } = await committed(example(index, 'unreadable'));
      expect([code, log]).toEqual([
        1,
        expect.stringMatching(/exit code: 3\n[\s\S]*error: nothing could be read from unreadable/),
      ]);
    });
  },
  240_000,
);

test('the pre-commit hook reports that the program is not in PATH', async () => {
  const { code, log } = await committed(example(0, 'with none'), '/usr/bin:/bin');
  expect([code, log]).toEqual([1, expect.stringContaining('Executable `kubectl-gc` not found')]);
});

test('the hooks are valid for pre-commit', () => {
  const line = ['validate-manifest', join(root, '.pre-commit-hooks.yaml')];
  expect(execFileSync(preCommit, line, { encoding: 'utf8' })).toBe('');
});
