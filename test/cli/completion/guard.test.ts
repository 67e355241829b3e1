import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasTools } from '../../support/has-tools.ts';
import { rowsOf } from '../../support/rows.ts';
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

/** What is typed, and the program that gets it; STATUS and PIPE stand for the signs of the shell. */
const typed = rowsOf(`
  kubectl delete pod web -n shop                   | kubectl-gc [delete] [pod] [web] [-n] [shop]
  kubectl -n shop --context staging delete pod 'a b' '*' '$HOME' ''
  | kubectl-gc [-n] [shop] [--context] [staging] [delete] [pod] [a b] [*] [$HOME] []
  kubectl --namespace=shop -v 6 delete -f web.yaml | kubectl-gc [--namespace=shop] [-v] [6] [delete] [-f] [web.yaml]
  kubectl -n delete delete pods --all              | kubectl-gc [-n] [delete] [delete] [pods] [--all]
  echo STATUS                                      | 3
  kubectl get pods -n delete                       | kubectl [get] [pods] [-n] [delete]
  kubectl -n delete get pods                       | kubectl [-n] [delete] [get] [pods]
  kubectl __complete delete pod ""                 | kubectl [__complete] [delete] [pod] []
  kubectl delete pod web --dry-run=server          | kubectl [delete] [pod] [web] [--dry-run=server]
  kubectl delete --raw /api/v1/namespaces/shop/pods/web | kubectl [delete] [--raw] [/api/v1/namespaces/shop/pods/web]
  kubectl delete --help                            | kubectl [delete] [--help]
  kubectl                                          | kubectl
  echo STATUS                                      | 3
  kubectl delete pod web PIPE cat                  | kubectl [delete] [pod] [web]
  echo PIPE kubectl delete -f -                    | kubectl [delete] [-f] [-]
  command kubectl delete pod web                   | kubectl [delete] [pod] [web]
`);

describe.each(shells)('%s', (shell) => {
  test('sends deletions on a terminal through the preview, and all else to kubectl, with arguments and exit codes', async () => {
    const status = shell === 'fish' ? '$status' : '$?';
    const lines = typed.map(([line = '']) => line.replace('STATUS', status).replace('PIPE', '|'));
    expect(await shown(shell, lines)).toEqual(typed.map(([, got]) => got));
  });

  test('sends nothing through the preview that is in no terminal', async () => {
    const passed = await shown(shell, ['kubectl delete pod web'], 'pipe');
    expect(passed).toEqual(['kubectl [delete] [pod] [web]']);
  });
});
