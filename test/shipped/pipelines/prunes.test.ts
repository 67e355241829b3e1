import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  evaluated,
  filled,
  loadExpressions,
  runAction,
  type Step,
  type Texts,
} from './composite-action.ts';
import {
  commitAll,
  examplesBelow,
  git,
  makePrograms,
  runLogged,
  searchPath,
  sectionOf,
} from './project.ts';

/**
 * The workflow of the page, step by step, on pull requests of a real repository. The programs of others are played: each
 * takes the words that the page gives it and no others, and renders the manifests as they are.
 */
const heading = 'What a pull request prunes';
const workflow = examplesBelow(heading)[0] ?? '';
const steps = parse(workflow).jobs.prunes.steps as readonly Step[];
const rendering = 'kustomize build $side/apps';

const folder = temporaryFolder();
const programs = makePrograms(folder);
const origin = join(folder, 'origin');
const path = `${programs}:${searchPath}`;
const played = {
  kustomize: '[ "$1 $#" = "build 2" ] && cat "$2"/*.yaml',
  flux: `[ "$1 $2 $3 $4 $6 $8 $#" = "build kustomization apps --path --kustomization-file --dry-run 8" ] &&
    [ -f "$7" ] && cat "$5"/*.yaml`,
  argocd: `[ "$1 $2 $3 $4 $#" = "app manifests shop --revision 5" ] &&
    git -C '${origin}' archive "$5" apps | tar -xO`,
  helm: `[ "$1 $2 $4 $5 $6 $#" = "template shop --namespace shop --values 7" ] &&
    [ -f "$7" ] && cat "$3"/templates/*.yaml`,
  gh: `[ "$1 $2 $4 $#" = "pr comment --body-file 5" ] && [ -n "$GH_TOKEN" ] &&
    { echo "$GH_REPO#$3"; cat "$5"; } >'${join(folder, 'comment')}'`,
};

beforeAll(async () => {
  for (const [name, script] of Object.entries(played)) {
    writeFileSync(join(programs, name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  }
  mkdirSync(join(origin, 'clusters/prod'), { recursive: true });
  mkdirSync(join(origin, 'charts/shop'), { recursive: true });
  for (const name of ['clusters/prod/apps.yaml', 'values.yaml']) {
    writeFileSync(join(origin, name), '# Of no meaning to what is played\n');
  }
  for (const home of ['apps', 'charts/shop/templates']) {
    cpSync(join(root, 'docs/pruning/old'), join(origin, home), { recursive: true });
  }
  commitAll(origin);
  await loadExpressions();
}, 120_000);

function commitChange(): void {
  git(origin, 'add', '--all');
  git(origin, 'commit', '--quiet', '--message', 'change');
}

/** What becomes of a pull request that changes the folder of the applications, and of the chart. */
async function opened(change: (folder: string) => void, render = rendering) {
  git(origin, 'checkout', '--quiet', '-B', 'change', 'main');
  change(join(origin, 'apps'));
  change(join(origin, 'charts/shop/templates'));
  commitChange();
  // The branch that it goes to has moved on meanwhile.
  git(origin, 'checkout', '--quiet', '-B', 'moved', 'main');
  writeFileSync(join(origin, 'README.md'), 'moved\n');
  commitChange();
  git(origin, 'checkout', '--quiet', '-B', 'merge');
  git(origin, 'merge', '--quiet', '--no-ff', '--message', 'merge', 'change');
  const workspace = join(mkdtempSync(join(folder, 'a job ')), 'workspace');
  mkdirSync(workspace);
  rmSync(join(folder, 'comment'), { force: true });
  return runJob(workspace, render);
}

async function runJob(workspace: string, render: string) {
  const expressions = await loadExpressions();
  const github = { event: { number: '7' }, token: 'secret', repository: 'acme/shop' };
  const done: Record<string, unknown> = {};
  let [code, log, summary]: [number | null, string, string] = [0, '', ''];
  for (const step of steps) {
    const context = { github, steps: done };
    const also = step.if?.replace(/^always\(\) && /, '');
    if (also === undefined ? code !== 0 : evaluated(expressions, also, context) === '') continue;
    const given = step.with ?? {};
    if (step.uses?.startsWith('actions/checkout@')) {
      const depth = `--depth=${given['fetch-depth'] ?? 1}`;
      const place = join(workspace, given.path ?? '.');
      git(folder, 'clone', '--quiet', depth, '--branch=merge', `file://${origin}`, place);
      continue;
    }
    if (step.uses !== undefined) {
      const inputs = { ...given, version: 'installed' };
      const server = 'http://127.0.0.1:9';
      const ran = await runAction({
        actionPath: root,
        workspace,
        inputs,
        server,
        searchPath: path,
      });
      done[step.id ?? ''] = { outputs: ran.outputs };
      code ||= ran.code;
      log += ran.log;
      summary += ran.summary;
      continue;
    }
    const script = (step.run ?? '').replace(rendering, render);
    const env = Object.entries(step.env ?? {}).map(([name, text]) => [
      name,
      filled(expressions, text, context),
    ]);
    const text = filled(expressions, script, context);
    const ran = await inBash(text, workspace, Object.fromEntries(env));
    code ||= ran.code;
    log += ran.log;
  }
  return { code, log, summary, workspace };
}

/** As a runner of GitHub runs a step, without `pipefail`. */
function inBash(script: string, cwd: string, env: Texts = {}) {
  return runLogged('bash', ['--noprofile', '--norc', '-e', '-c', script], {
    cwd,
    env: { PATH: path, HOME: folder, ...env },
  });
}

/** As docs/pruning has it: the namespace web is left out, and a ConfigMap of another one. */
function leaveOut(home: string): void {
  cpSync(join(root, 'docs/pruning/new'), home, { recursive: true });
}

const comment = () => readFileSync(join(folder, 'comment'), 'utf8');

test('objects deleted with a namespace are listed in a comment and in the summary, and the job fails', async () => {
  const { code, log, summary, workspace } = await opened(leaveOut);
  expect(code, log).toBe(1);
  expect(summary).toContain('|  | Namespace/web | yes | will be deleted |');
  expect(summary).toContain('| web | PersistentVolumeClaim/uploads | dependent |');
  expect(comment()).toBe(`acme/shop#7\n${summary}`);
  const [, line = ''] = /```sh\n([\s\S]*?)```/.exec(sectionOf(heading)) ?? [];
  const kubectl = 'kubectl() { shift; kubectl-gc "$@"; }';
  const elsewhere = await inBash(`${kubectl}\n${line}`, workspace);
  expect(elsewhere.code, elsewhere.log).toBe(1);
  expect(readFileSync(join(workspace, 'prunes.md'), 'utf8')).toBe(summary);
});

test('a pull request that prunes nothing passes, and says so', async () => {
  const { code, log } = await opened((home) => writeFileSync(join(home, 'note.yaml'), '# no\n'));
  expect(code, log).toBe(0);
  expect(comment()).toBe('acme/shop#7\n## Nothing is pruned\n');
});

test('the folder may go as a whole', async () => {
  const { code, log, summary } = await opened((home) => rmSync(home, { recursive: true }));
  expect(code, log).toBe(1);
  expect(summary).toContain('5 or more objects will be deleted (1 whole namespace)');
});

test('manifests that cannot be rendered give no answer', async () => {
  const { code, summary } = await opened(leaveOut, 'false');
  expect([code, summary]).toEqual([1, '']);
  expect(comment).toThrow();
});

const others = [...sectionOf(heading).matchAll(/`((?:argocd|flux|helm) [^`]*\$side[^`]*)`/g)].map(
  ([, command = '']) => command,
);

test('the page has a command for each tool', () => {
  expect(others.map((command) => command.split(' ')[0])).toEqual(['argocd', 'flux', 'helm']);
  expect(steps.flatMap(({ run = '' }) => (run.includes(rendering) ? [run] : []))).toHaveLength(1);
});

test.each(others)('%s stands in its place', async (command) => {
  const { code, log, summary } = await opened(leaveOut, command);
  expect(code, log).toBe(1);
  expect(summary).toContain('Namespace/web');
  expect(comment()).toBe(`acme/shop#7\n${summary}`);
});
