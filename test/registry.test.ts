import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { auditRules, manifestRules } from '../src/audit/rules/audit-rules.ts';
import type { Rule } from '../src/audit/rules/reference-rule.ts';
import { referenceRules } from '../src/audit/rules/reference-rules.ts';
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

const shelves = ['references', 'objects'] as const;

/** The rule that a module of a shelf exports, if it does. */
async function ruleIn(shelf: string, module: string): Promise<Rule | undefined> {
  const exported: Record<string, unknown> = await import(
    `../src/audit/rules/${shelf}/${module}.ts`
  );
  const isRule = (value: unknown): value is Rule =>
    typeof value === 'object' && value !== null && 'id' in value && 'title' in value;
  return Object.values(exported).find(isRule);
}

describe('rules', () => {
  const ids = [...referenceRules, ...auditRules, ...manifestRules].map(({ id }) => id);

  test('are all listed, each in the file that bears its id', async () => {
    const modules = shelves.flatMap((shelf) =>
      modulesIn(`src/audit/rules/${shelf}`).map((module) => ({ shelf, module })),
    );
    const found = await Promise.all(
      modules.map(async ({ shelf, module }) => ({ module, id: (await ruleIn(shelf, module))?.id })),
    );
    const rules = found.filter(({ id }) => id !== undefined);
    expect(rules.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(rules.map(({ module }) => module).sort()).toEqual([...ids].sort());
  });

  test.each(referenceRules)(
    '$id has a test, a page and a line in the overviews',
    ({ id, title }) => {
      expect({
        test: shelves.some((shelf) => existsSync(`${root}test/audit/rules/${shelf}/${id}.test.ts`)),
        page: text(`docs/rules/${id}.md`).split('\n')[0],
        listed: text('docs/rules/README.md').includes(`| [${id}](${id}.md) | ${title} |`),
        played: text('docs/fidelity.md').includes(`| [${id}](rules/${id}.md) |`),
      }).toEqual({ test: true, page: `# ${id}`, listed: true, played: true });
    },
  );

  test.each([...auditRules, ...manifestRules])(
    '$id has a test, a page and a line in the overview',
    (rule) => {
      const { id, title, severity } = rule;
      expect({
        test: shelves.some((shelf) => existsSync(`${root}test/audit/rules/${shelf}/${id}.test.ts`)),
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
    const modules = modulesIn('src/commands').filter((module) => module !== 'index');
    expect(modules).toEqual(ids.map((id) => id.replace(':', '/')).sort());
  });

  test.each(ids)('%s has a page, which the README links to', (id) => {
    const page = `docs/commands/${id.split(':')[0]}.md`;
    expect({
      page: text(page).includes(`kubectl gc ${id.replace(':', ' ')}`),
      readme: text('README.md').includes(`](${page})`),
    }).toEqual({ page: true, readme: true });
  });
});
