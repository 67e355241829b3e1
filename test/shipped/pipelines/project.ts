import { execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../support/command-line.ts';
import { bin } from '../../support/run-gc.ts';

export const run = promisify(execFile);

/** Programs that npm and pre-commit start find this Node first. */
export const searchPath = `${dirname(process.execPath)}:${process.env.PATH}`;

const manifests = {
  good: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\n',
  bad: 'apiVersion: v1\nkind: [\n',
};

/** A repository of somebody who uses kubectl gc; its folders have spaces in their names. */
export function makeProject(folder: string): string {
  const project = join(folder, 'some project');
  for (const name of ['with findings', 'with none', 'unreadable', 'partly read']) {
    mkdirSync(join(project, name), { recursive: true });
  }
  const ownOwner = join(root, 'docs/rules/self-owner.yaml');
  cpSync(ownOwner, join(project, 'with findings', 'own owner.yaml'));
  writeFileSync(join(project, 'with none', 'good.yaml'), manifests.good);
  writeFileSync(join(project, 'unreadable', 'bad.yaml'), manifests.bad);
  writeFileSync(join(project, 'partly read', 'bad.yaml'), manifests.bad);
  cpSync(ownOwner, join(project, 'partly read', 'own owner.yaml'));
  return project;
}

export function git(folder: string, ...words: readonly string[]): string {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...who, ...words], { cwd: folder, encoding: 'utf8' }).trim();
}

/** Makes a repository of all that is in the folder, and answers its commit. */
export function commitAll(folder: string): string {
  git(folder, 'init', '--quiet', '--initial-branch=main');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'all');
  return git(folder, 'rev-parse', 'HEAD');
}

/** A folder for PATH, in which kubectl-gc is the built command line. */
export function makePrograms(folder: string): string {
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  const text = `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`;
  writeFileSync(join(programs, 'kubectl-gc'), text, { mode: 0o755 });
  return programs;
}

/** The package as a release has it. */
export async function packed(folder: string): Promise<string> {
  const line = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', line, { cwd: root, env: { PATH: searchPath, HOME: folder } });
  return join(folder, stdout.trim());
}

/** What docs/pipelines.md says below the heading. */
export function sectionOf(heading: string): string {
  const page = readFileSync(join(root, 'docs/pipelines.md'), 'utf8');
  return page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
}

/** The blocks of YAML there. */
export function examplesBelow(heading: string): string[] {
  return [...sectionOf(heading).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);
}

export interface Ended {
  readonly code: number | null;
  /** stdout and stderr, in the order in which they came. */
  readonly log: string;
}

/** Runs a program as a runner does: without a terminal or input, with nothing but this environment. */
export function runLogged(
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        log += text;
      });
    }
    child.once('error', reject).once('close', (code) => resolve({ code, log }));
  });
}
