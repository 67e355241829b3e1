import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isController } from '../../src/settings/enabled-controllers.ts';

const texts = new URL('../../docs/texts/controllers.yaml', import.meta.url);
const lines = parse(readFileSync(texts, 'utf8')) as Record<string, Record<string, string[]>>;
const namesOf = (program: string) => Object.keys(lines[program] ?? {});

/** Upstream's source, where a control plane was built on this machine. */
const modules = join(process.env.GOMODCACHE ?? join(homedir(), 'go', 'pkg', 'mod'), 'k8s.io');
const upstream = join(modules, 'kubernetes@v1.36.3');

/** What the group matches in Go files below these folders, but for tests. */
function foundIn(folders: readonly string[], pattern: RegExp): string[] {
  const found = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.go') && !file.endsWith('_test.go'))
        .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(pattern)]),
    );
  return [...new Set(found.flatMap((match) => match[1] ?? []))];
}

test('each controller of kube-controller-manager has a line, and is known to --controllers', () => {
  const recorded = namesOf('kube-controller-manager');
  expect(recorded.filter((name) => !isController(name))).toEqual([]);
  const folder = join(upstream, 'cmd', 'kube-controller-manager', 'names');
  const names = foundIn([folder], /^\s+\w+Controller\s+= "([^"]+)"$/gm);
  expect(names.filter((name) => !recorded.includes(name))).toEqual([]);
  // The others are of cloud-controller-manager.
  expect(names.length).toBeOneOf([0, recorded.length - 3]);
});

test('each post-start hook of kube-apiserver has a line', () => {
  const recorded = namesOf('kube-apiserver');
  const folders = [
    join(upstream, 'pkg', 'controlplane'),
    join(upstream, 'pkg', 'registry'),
    ...['apiserver', 'apiextensions-apiserver', 'kube-aggregator'].map((name) =>
      join(modules, `${name}@v0.36.3`, 'pkg'),
    ),
  ];
  const hooks = [
    ...foundIn(folders, /AddPostStartHook(?:OrDie)?\("([^"]+)"/g),
    ...foundIn(folders.slice(0, 2), /PostStartHookName\s*=\s*"([^"]+)"/g),
    ...foundIn(folders.slice(1, 2), /PostStartHook\(\)[^\n]*\n\s+return "([^"]+)",/g),
  ];
  expect(hooks.filter((name) => !recorded.includes(name))).toEqual([]);
  if (existsSync(upstream)) expect(new Set(hooks)).toEqual(new Set(recorded));
});

test('every line says what is deleted and by which rule', () => {
  const cells = Object.values(lines).flatMap((program) => Object.values(program));
  expect(cells.filter((one) => one.length !== 2 || one.some((cell) => cell === ''))).toEqual([]);
});
