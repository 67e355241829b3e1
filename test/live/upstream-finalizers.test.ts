import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { wantedVersion } from '../../scripts/control-plane.mjs';
import { knownFinalizer } from '../../src/programs/known-finalizers.ts';

const version = wantedVersion();
const staging = version.replace(/^v1/, 'v0');

/** The folders of Kubernetes' own code, from which the control plane was built. */
function folders(): string[] {
  const modules = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim();
  const root = join(modules, 'k8s.io');
  const own = ['pkg', 'cmd', 'plugin'].map((name) => join(root, `kubernetes@${version}`, name));
  const others = readdirSync(root).filter((name) => name.endsWith(`@${staging}`));
  return [...own, ...others.map((name) => join(root, name))].filter((path) => existsSync(path));
}

function* goFiles(folder: string): Iterable<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'testing' && entry.name !== 'testdata') {
      yield* goFiles(path);
    } else if (entry.name.endsWith('.go') && !entry.name.endsWith('_test.go')) yield path;
  }
}

/** A constant whose name speaks of a finalizer, as in `XFinalizer Type = Prefix + "/text"`. */
const constant =
  /^\s*(?:const\s+|var\s+)?\w*Finalizer(?!s)\w*(?:\s+FinalizerName)?\s*=\s*(?:(\w+)\s*\+\s*)?"([^"]+)"/gm;

/** What a constant of the package is. */
function valueIn(folder: string, name: string): string {
  for (const file of readdirSync(folder).filter((one) => one.endsWith('.go'))) {
    const found = new RegExp(`\\b${name}\\s*=\\s*"([^"]*)"`).exec(
      readFileSync(join(folder, file), 'utf8'),
    );
    if (found) return found[1] ?? '';
  }
  throw new Error(`${folder} has no constant ${name}`);
}

function finalizersIn(path: string): string[] {
  const code = readFileSync(path, 'utf8');
  if (!code.includes('Finalizer')) return [];
  return [...code.matchAll(constant)].map(([, prefix, rest = '']) =>
    prefix === undefined ? rest : valueIn(dirname(path), prefix) + rest,
  );
}

test('every finalizer that Kubernetes itself has a constant for is known', () => {
  const found = new Set(folders().flatMap((folder) => [...goFiles(folder)].flatMap(finalizersIn)));
  expect(found.size).toBeGreaterThanOrEqual(12);
  // That of a namespace's spec is no finalizer of metadata.
  const unknown = [...found].filter((name) => name !== 'kubernetes' && !knownFinalizer(name));
  expect(unknown).toEqual([]);
}, 120_000);
