import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasTools } from './has-tools.ts';

/** Names by which a command would do something else than it says, if they were not quoted. */
export const hostileNames: readonly string[] = [
  ...['a$(touch PWN)b', 'a`touch PWN`b', 'a;touch PWN;b', "a';touch PWN;'b", 'a";touch PWN;"b'],
  ...['a\ntouch PWN\nb', 'a\n', 'a\u001b[31m\u0007b', 'a&touch PWN|b>PWN<b', '-rf', '--all'],
  ...['~', '!!', '!touch', '*', '$HOME', '#a', 'a\\', '{a,b}', '=ls', ' a  b ', 'äsb\\n'],
  ...[
    "a\\'; touch PWN; '",

    'a\u202eb',
    'a\u00a0b',
    'a\u200bb',
    'a…b',
    'µ',
    'größe 🚢',
    '\n\n',
  ],
];

/** The shells that a printed command is for, of those that this machine has; CI has all of them. */
export const shells = ['dash', 'bash', 'zsh', 'fish'].filter((shell) => hasTools(shell));

/** Runs a command line in a shell that knows a kubectl which only notes its arguments. */
export function argumentsIn(line: string, shell = 'sh'): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'gc-shell-'));
  try {
    const kubectl = join(folder, 'kubectl');
    writeFileSync(kubectl, '#!/bin/sh\nfor word; do printf \'%s\\0\' "$word"; done > "$NOTED"\n');
    chmodSync(kubectl, 0o755);
    const noted = join(folder, 'noted');
    const env = { PATH: `${folder}:${process.env.PATH}`, NOTED: noted, HOME: '/home/of-somebody' };
    execFileSync(shell, ['-c', line], { cwd: folder, env, stdio: 'ignore' });
    const strangers = readdirSync(folder).filter((name) => name !== 'kubectl' && name !== 'noted');
    if (strangers.length > 0) throw new Error(`${line} made ${strangers.join(', ')}`);
    if (!existsSync(noted)) throw new Error(`${line} did not run kubectl`);
    return readFileSync(noted, 'utf8').split('\0').slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
