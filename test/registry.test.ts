import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { referenceRules } from '../src/audit/rules/reference-rules.ts';
import { allRules } from '../src/audit/rules/rules.ts';
import { commands } from '../src/commands/index.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

function text(path: string): string {
  return readFileSync(`${root}${path}`, 'utf8');
}

/** The names of the modules in a folder, without their extension, in alphabetical order. */
function modulesIn(folder: string): string[] {
  const paths = globSync('**/*.ts', { cwd: `${root}${folder}` });
  return paths.map((path) => path.replaceAll('\\', '/').replace(/\.ts$/, '')).sort();
}

/** The ids of the rules that a module of `src/audit/rules` exports. */
async function rulesIn(module: string): Promise<string[]> {
  const exported: Record<string, unknown> = await import(`../src/audit/rules/${module}.ts`);
  return Object.values(exported).flatMap((value) =>
    typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : [],
  );
}

/** A rule's test is a file of its name, or has its name in a file for a theme. */
const testsOfRules = globSync('audit/rules/*/*.test.ts', { cwd: `${root}test` }).flatMap((path) => [
  basename(path, '.test.ts'),
  ...[...text(`test/${path}`).matchAll(/^describe\('([a-z-]+)'/gm)].map(([, id]) => id),
]);

describe('rules', () => {
  test('are all listed, each once', async () => {
    const found = await Promise.all(modulesIn('src/audit/rules').map(rulesIn));
    expect(found.flat().sort()).toEqual(allRules.map(({ id }) => id).sort());
  });

  test.each(allRules)('$id has a test', ({ id }) => {
    expect(testsOfRules).toContain(id);
  });

  test.each(referenceRules)('$id is played on a real control plane', ({ id }) => {
    expect(text('docs/evidence/fidelity.md')).toContain(`| [${id}](../rules/${id}.md) |`);
  });
});

describe('commands', () => {
  const ids = Object.keys(commands);

  test('are all listed, each in the file that bears its name', () => {
    const modules = modulesIn('src/commands').filter((module) =>
      text(`src/commands/${module}.ts`).includes('extends GcCommand {'),
    );
    // In a folder of the same name, where a command needs more than a file.
    const names = modules.map((module) => module.replace(/^([^/]+)\/\1$/, '$1'));
    expect(names.sort()).toEqual(ids.map((id) => id.replace(':', '/')).sort());
  });

  test.each(ids)('%s has a page, which the index of docs links to', (id) => {
    const page = `docs/commands/${id.split(':')[0]}.md`;
    expect({
      page: text(page).includes(`kubectl gc ${id.replace(':', ' ')}`),
      index: text('docs/README.md').includes(`](${page.replace('docs/', '')})`),
    }).toEqual({ page: true, index: true });
  });
});
