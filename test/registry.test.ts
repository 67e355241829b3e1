import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { allRules, clusterRules, manifestRules, referenceRules } from '../src/audit/rules/rules.ts';
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

const testsOfRules = globSync('audit/rules/*/*.test.ts', { cwd: `${root}test` }).map((path) =>
  basename(path, '.test.ts'),
);

describe('rules', () => {
  test('are all listed, each once', async () => {
    const found = await Promise.all(modulesIn('src/audit/rules').map(rulesIn));
    expect(found.flat().sort()).toEqual(allRules.map(({ id }) => id).sort());
  });

  test.each(referenceRules)(
    '$id has a test, a page and a line in the overviews',
    ({ id, title }) => {
      expect({
        test: testsOfRules.includes(id),
        page: text(`docs/rules/${id}.md`).split('\n')[0],
        listed: text('docs/rules/README.md').includes(`| [${id}](${id}.md) | ${title} |`),
        played: text('docs/fidelity.md').includes(`| [${id}](rules/${id}.md) |`),
      }).toEqual({ test: true, page: `# ${id}`, listed: true, played: true });
    },
  );

  test.each([...clusterRules, ...manifestRules])(
    '$id has a test, a page and a line in the overview',
    (rule) => {
      const { id, title, severity } = rule;
      expect({
        test: testsOfRules.includes(id),
        page: text(`docs/rules/${id}.md`).split('\n', 3),
        listed: text('docs/rules/README.md').includes(
          `| [${id}](${id}.md) | ${title} | ${severity} |`,
        ),
      }).toEqual({ test: true, page: [`# ${id}`, '', `${title}.`], listed: true });
    },
  );
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

  test.each(ids)('%s has a page, which the README links to', (id) => {
    const page = `docs/commands/${id.split(':')[0]}.md`;
    expect({
      page: text(page).includes(`kubectl gc ${id.replace(':', ' ')}`),
      readme: text('README.md').includes(`](${page})`),
    }).toEqual({ page: true, readme: true });
  });
});
