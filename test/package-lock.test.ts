import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface LockedPackage {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
);

/** Where Node looks for a package that `path` asks for, nearest first. */
function placesOf(path: string, name: string): string[] {
  const parts = path.split('/node_modules/');
  const above = parts.map((_, at) => parts.slice(0, parts.length - at).join('/node_modules/'));
  return [...above.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`];
}

// npm leaves out what it cannot fetch for another platform; `npm ci` then fails on every platform.
test('locks the binaries of every platform', () => {
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).flatMap(([name, wanted]) => {
      const place = placesOf(path, name).find((candidate) => candidate in lock.packages);
      const locked = place && lock.packages[place]?.version;
      const fits = locked !== undefined && (/^[~^<>=*]/.test(wanted) || locked === wanted);
      return fits ? [] : [`${path} → ${name}@${wanted}`];
    }),
  );
  expect(missing).toEqual([]);
});
