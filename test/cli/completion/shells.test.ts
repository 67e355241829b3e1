import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../../support/command-line.ts';
import { hasTools } from '../../support/has-tools.ts';
import { bareEnvironment, bin, gc } from '../../support/run-gc.ts';

/** The shells of this machine, on a terminal; CI has them all. */
const shells = [
  {
    name: 'bash',
    start: 'bash --norc --noprofile -i',
    setUp: 'source <(kubectl-gc completion bash)',
  },
  {
    name: 'zsh',
    start: 'zsh -f -i',
    setUp: 'autoload -U compinit; compinit -u -D; source <(kubectl-gc completion zsh)',
  },
  { name: 'fish', start: 'fish --no-config -i', setUp: 'kubectl-gc completion fish | source' },
].filter(({ name }) => hasTools(name));

const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-shells-'));
const path = join(folder, 'a path with spaces');
beforeAll(() => {
  mkdirSync(path);
  symlinkSync(bin, join(path, 'kubectl-gc'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Types keys on a terminal of the shell; answers what its last command wrote to $ANSWER. */
async function typed(start: string, ...lines: readonly string[]): Promise<string> {
  const answer = join(folder, 'answer');
  rmSync(answer, { force: true });
  const env = {
    ...bareEnvironment,
    PATH: [path, dirname(process.execPath), bareEnvironment.PATH].join(delimiter),
    HOME: folder,
    ANSWER: answer,
    TERM: 'xterm',
  };
  const child = spawn('script', ['-qec', start, '/dev/null'], { cwd: root, env });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  child.stdin.end([...lines, 'exit', ''].join('\n'));
  await once(child, 'close');
  try {
    return readFileSync(answer, 'utf8');
  } catch {
    throw new Error(`nothing was answered; the terminal shows:\n${shown}`);
  }
}

test.each(shells)(
  '$name completes commands, flags, files, namespaces, values and names',
  async ({ start, setUp }) => {
    const line =
      'kubectl-gc tre\t--fro\texam\tclust\tshop.json.g\t-n sho\t--output=nam\tdeployment/reco\t> $ANSWER';
    const { stdout } = await gc(
      'tree --from examples/clusters/shop.json.gz -n shop --output=name deployment/recommendations',
    );
    expect(await typed(start, setUp, line)).toBe(stdout);
  },
  180_000,
);
