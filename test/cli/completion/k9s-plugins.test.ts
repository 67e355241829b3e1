import { execFileSync, type StdioOptions } from 'node:child_process';
import { chmodSync, closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { hostileNames } from '../../support/run-in-shell.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Plugin {
  readonly shortCut: string;
  readonly command: string;
  readonly dangerous?: boolean;
  readonly args: readonly string[];
}

const { plugins } = parse(readFileSync('examples/k9s/plugins.yaml', 'utf8')) as {
  plugins: Readonly<Record<string, Plugin>>;
};
const folder = temporaryFolder();
const noted = '#!/bin/sh\nfor word; do printf \'%s\\0\' "$word"; done\n';
for (const [name, text] of [
  ['kubectl-gc', noted],
  ['less', '#!/bin/sh\nexec cat\n'],
] as const) {
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), 0o755);
}

/** The key that a person presses after reading. */
writeFileSync(join(folder, 'key'), '\n');

/** k9s puts the values in the place of their names, in the text of each argument, and starts the command. */
function argumentsOf({ command, args }: Plugin, name: string): string[] {
  const values = { RESOURCE_NAME: 'clusterroles', RESOURCE_GROUP: 'rbac.authorization.k8s.io' };
  const env = { ...values, NAME: name, NAMESPACE: '', CONTEXT: 'staging', KUBECONFIG: '' };
  const filled = args.map((arg) =>
    arg.replaceAll(/\$(\w+)/g, (whole, key: string) => env[key as keyof typeof env] ?? whole),
  );
  const path = `${folder}:/usr/bin:/bin`;
  // From a file: a command that reads nothing would break a pipe.
  const stdin = openSync(join(folder, 'key'), 'r');
  const stdio: StdioOptions = [stdin, 'pipe', 'inherit'];
  const shown = execFileSync(command, filled, { cwd: folder, env: { PATH: path }, stdio });
  closeSync(stdin);
  return shown.toString().split('\0').slice(0, -1);
}

test.each(Object.entries(plugins))('%s passes any name on as it is', (id, plugin) => {
  const verb = { 'gc-why': ['why'], 'gc-tree': ['tree'], 'gc-preview': ['delete', '--preview'] };
  const files = readdirSync(folder).length;
  for (const name of hostileNames) {
    expect(argumentsOf(plugin, name)).toEqual([
      ...(verb[id as keyof typeof verb] ?? ['delete']),
      `clusterroles.rbac.authorization.k8s.io/${name}`,
      ...['--namespace=', '--context=staging', '--kubeconfig='],
    ]);
  }
  expect(readdirSync(folder)).toHaveLength(files);
});

test('a read-only k9s lacks only the plugin that deletes, and no two plugins have the same key', () => {
  const all = Object.entries(plugins);
  expect(all.flatMap(([id, { dangerous }]) => (dangerous ? id : []))).toEqual(['gc-delete']);
  expect(new Set(all.map(([, { shortCut }]) => shortCut)).size).toBe(all.length);
});
