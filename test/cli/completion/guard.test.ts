import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasTools } from '../../support/has-tools.ts';
import { gc } from '../../support/run-gc.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The function that stands before kubectl, in the real shells, on a terminal that `script` makes. */
const folder = temporaryFolder();
for (const name of ['kubectl', 'kubectl-gc']) {
  const noted = `#!/bin/sh\nprintf '%s' ${name}; for word; do printf ' [%s]' "$word"; done; echo; exit 3\n`;
  writeFileSync(join(folder, name), noted);
  chmodSync(join(folder, name), 0o755);
}

/** What is printed by lines of a shell that has read its guard. */
async function shown(
  shell: string,
  lines: readonly string[],
  on: 'terminal' | 'pipe' = 'terminal',
): Promise<string[]> {
  const { code, stdout } = await gc(`completion --guard ${shell}`);
  expect(code).toBe(0);
  const file = join(folder, `lines.${shell}`);
  writeFileSync(file, `${stdout}\n${lines.join('\n')}\n`);
  const env = { PATH: `${folder}:/usr/bin:/bin`, HOME: folder, TERM: 'dumb' };
  const child =
    on === 'terminal'
      ? spawn('script', ['-qec', `${shell} ${file}`, '/dev/null'], { env })
      : spawn(shell, [file], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await once(child, 'close');
  return text.split(/\r?\n/).filter((line) => line !== '');
}

const shells = ['bash', 'zsh', 'fish'].filter((shell) => hasTools(shell));

describe.each(shells)('%s', (shell) => {
  test('sends deletions on a terminal through the preview, with every argument as it was', async () => {
    const lines = [
      `kubectl delete pod web -n shop`,
      `kubectl -n shop --context staging delete pod 'a b' '*' '$HOME' ''`,
      `kubectl --namespace=shop -v 6 delete -f web.yaml`,
      `kubectl -n delete delete pods --all`,
    ];
    expect(await shown(shell, lines)).toEqual([
      'kubectl-gc [delete] [pod] [web] [-n] [shop]',
      'kubectl-gc [-n] [shop] [--context] [staging] [delete] [pod] [a b] [*] [$HOME] []',
      'kubectl-gc [--namespace=shop] [-v] [6] [delete] [-f] [web.yaml]',
      'kubectl-gc [-n] [delete] [delete] [pods] [--all]',
    ]);
  });

  test('passes all else to kubectl unchanged, with its exit code', async () => {
    const status = shell === 'fish' ? '$status' : '$?';
    const lines = [
      'kubectl get pods -n delete',
      'kubectl -n delete get pods',
      'kubectl __complete delete pod ""',
      'kubectl delete pod web --dry-run=server',
      'kubectl delete --raw /api/v1/namespaces/shop/pods/web',
      'kubectl delete --help',
      'kubectl',
      `echo ${status}`,
      'kubectl delete pod web | cat',
      'echo | kubectl delete -f -',
      'command kubectl delete pod web',
    ];
    expect(await shown(shell, lines)).toEqual([
      'kubectl [get] [pods] [-n] [delete]',
      'kubectl [-n] [delete] [get] [pods]',
      'kubectl [__complete] [delete] [pod] []',
      'kubectl [delete] [pod] [web] [--dry-run=server]',
      'kubectl [delete] [--raw] [/api/v1/namespaces/shop/pods/web]',
      'kubectl [delete] [--help]',
      'kubectl',
      '3',
      'kubectl [delete] [pod] [web]',
      'kubectl [delete] [-f] [-]',
      'kubectl [delete] [pod] [web]',
    ]);
    expect(await shown(shell, ['kubectl delete pod web'], 'pipe')).toEqual([
      'kubectl [delete] [pod] [web]',
    ]);
  });

  test('answers with the exit code of the deletion', async () => {
    const status = shell === 'fish' ? '$status' : '$?';
    expect(await shown(shell, ['kubectl delete pod web', `echo ${status}`])).toEqual([
      'kubectl-gc [delete] [pod] [web]',
      '3',
    ]);
  });
});
