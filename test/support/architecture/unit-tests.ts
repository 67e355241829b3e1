import type { Module } from './module-graph.ts';

/** What starts a process, a server or a browser. */
const heavy =
  /^(node:(child_process|cluster|dgram|https?|http2|net|tls|worker_threads)|puppeteer-core|@sparticuz\/chromium)$/;
const otherSuites = ['test/cli/', 'test/shipped/', 'test/live/'];

/**
 * Unit tests that reach, through helpers, a module that starts processes, servers or a browser: those tests
 * belong in test/cli. What the code in src imports does not count.
 */
export function heavyUnitTests(modules: readonly Module[]): string[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const tests = modules.filter(
    ({ path }) =>
      path.endsWith('.test.ts') && !otherSuites.some((folder) => path.startsWith(folder)),
  );
  return tests.flatMap(({ path }) => {
    const found = heavyImport(path, byPath, new Set());
    return found === undefined ? [] : [`${path} is a unit test, but ${found}`];
  });
}

function heavyImport(
  path: string,
  modules: ReadonlyMap<string, Module>,
  seen: Set<string>,
): string | undefined {
  if (seen.has(path) || path.startsWith('src/')) return undefined;
  seen.add(path);
  for (const { kind, specifier, file } of modules.get(path)?.edges ?? []) {
    if (kind === 'type' || specifier === undefined) continue;
    if (heavy.test(specifier)) return `${path} imports ${specifier}`;
    const found = file === undefined ? undefined : heavyImport(file, modules, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}
