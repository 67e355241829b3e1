// Writes docs/rules and docs/collectors from what the code declares, docs/texts and the examples beside the pages: `npm run pages`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import type { Rule } from '../src/audit/rule.ts';
import { referenceRules } from '../src/audit/rules/reference-rules.ts';
import { allRules, clusterRules, manifestRules } from '../src/audit/rules/rules.ts';
import { glossary } from '../src/shell/oclif/glossary.ts';

/** What a page of a rule says besides its declaration. */
interface RuleText {
  readonly finds: string;
  readonly matters: string;
  /** Where no objects show it: what an audit prints. */
  readonly example?: string;
  /** Another command than the usual one. */
  readonly run?: string;
  /** The references of the example after the fix. */
  readonly after?: string;
  /** More than the advice. */
  readonly fix?: string;
  readonly kubernetes: string;
}

/** What a page of a collector says; a collector without `is` has a page written by hand. */
interface CollectorText {
  /** In the list of collectors: what it deletes, when, and the names of its rules. */
  readonly row: readonly string[];
  readonly is?: string;
  readonly deletes?: string;
  readonly when?: string;
  readonly rules?: Readonly<Record<string, string>>;
  readonly settings?: string;
  readonly uncertain?: string;
  /** What the objects of its example are. */
  readonly shows?: string;
  readonly run?: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const fileOf = (path: string) => (existsSync(`${root}${path}`) ? read(path) : undefined);

/** The pages by their paths. What examples print is left as it is: the test of the documentation runs them. */
export function madePages(): ReadonlyMap<string, string> {
  const rules = load(read('docs/texts/rules.yaml')) as Readonly<Record<string, RuleText>>;
  const collectors = load(read('docs/texts/collectors.yaml')) as Readonly<
    Record<string, CollectorText>
  >;
  return new Map([
    ...allRules.map((rule) => pageOfRule(rule, rules[rule.id])),
    ...Object.entries(collectors).flatMap(([id, text]) => pageOfCollector(id, text)),
    listOf('rules', [
      referenceRules.map(({ id, title }) => [id, title]),
      manifestRules.map(({ id, title, severity }) => [id, title, severity]),
      clusterRules.map(({ id, title, severity }) => [id, title, severity]),
    ]),
    pageOfControllers(),
    pageOfGlossary(),
    listOf('collectors', [Object.entries(collectors).map(([id, { row }]) => [id, ...row])]),
  ]);
}

function pageOfRule(rule: Rule, text: RuleText | undefined): [string, string] {
  const { id, title, severity, consequence, advice } = rule;
  if (!text) throw new Error(`docs/texts/rules.yaml says nothing of ${id}`);
  const path = `docs/rules/${id}.md`;
  const from = `--complete --now 2026-01-08T00:00:00Z --from docs/rules/${id}.yaml`;
  const usual =
    severity === 'depends'
      ? `kubectl gc invalid-ownerrefs -A --complete --from docs/rules/${id}.yaml`
      : `kubectl gc audit --rule ${id} ${from}`;
  const objects = fileOf(`docs/rules/${id}.yaml`);
  const example = objects
    ? `\`\`\`yaml\n${objects}\`\`\`\n\n${consoleOf(path, text.run ?? usual)}`
    : text.example;
  return pageOf(path, [
    `# ${id}\n\n${title}.\n\nSeverity: ${severity}. Consequence: ${consequence}.`,
    section('What it finds', text.finds),
    section('Why it matters', text.matters),
    section('Example', example),
    section('After the fix', text.after),
    section('How to fix', text.fix === undefined ? advice : `${advice}\n\n${text.fix}`),
    section('In Kubernetes', text.kubernetes),
  ]);
}

function pageOfCollector(id: string, text: CollectorText): [string, string][] {
  if (text.is === undefined) return [];
  const path = `docs/collectors/${id}.md`;
  const from = `--complete --now 2026-01-31T12:00:00Z --from docs/collectors/${id}.yaml`;
  const file = existsSync(`${root}docs/collectors/${id}.yaml`)
    ? `[${id}.yaml](${id}.yaml)${text.shows === undefined ? '' : `: ${text.shows.trim()}`}\n\n`
    : '';
  const rows = Object.entries(text.rules ?? {}).map(([names, says]) => `| ${names} | ${says} |`);
  const rules = ['| rule | what it says |', '| --- | --- |', ...rows].join('\n');
  const run = text.run ?? `kubectl gc forecast --collector ${id} ${from}`;
  return [
    pageOf(path, [
      `# ${id}\n\n${text.is.trim()}`,
      section('What it deletes', text.deletes),
      section('When', text.when),
      section('Rules', text.rules && rules),
      section('Settings', text.settings),
      section('What is uncertain', text.uncertain),
      section('Example', `${file}${consoleOf(path, run)}`),
    ]),
  ];
}

/** The words that `kubectl gc help` explains. */
function pageOfGlossary(): [string, string] {
  const concepts = Object.entries(glossary).map(([name, { title, text, usage }]) => {
    const lines = text.map((line) => `- ${line}`).join('\n');
    return section(title, `\`kubectl gc help ${name}\`\n\n${lines}\n\nTry: \`${usage}\``);
  });
  return pageOf('docs/glossary.md', [
    '# Glossary\n\nThe words of the output and of these pages. `kubectl gc help WORD` prints the same.',
    ...concepts,
  ]);
}

/** What each controller of Kubernetes deletes or releases, by program. */
function pageOfControllers(): [string, string] {
  const programs = load(read('docs/texts/controllers.yaml')) as Readonly<
    Record<string, Readonly<Record<string, readonly string[]>>>
  >;
  const tables = Object.entries(programs).map(([program, controllers]) => {
    const rows = Object.entries(controllers).map(
      ([name, cells]) => `| \`${name}\` | ${cells.join(' | ')} |`,
    );
    const head = ['| controller | deletes or releases | rule |', '| --- | --- | --- |'];
    return section(program, [...head, ...rows].join('\n'));
  });
  return pageOf('docs/collectors/controllers.md', [
    '# Every controller of Kubernetes\n\nThe controllers of kube-controller-manager and the post-start hooks of kube-apiserver, v1.36.3.',
    ...tables,
  ]);
}

function pageOf(path: string, sections: readonly string[]): [string, string] {
  return [path, `${sections.filter((one) => one !== '').join('\n\n')}\n`];
}

function section(title: string, text: string | undefined): string {
  return text === undefined ? '' : `## ${title}\n\n${text.trim()}`;
}

/** The command, on lines of at most 100 columns, and what the page says that it prints. */
function consoleOf(path: string, command: string): string {
  const lines = [''];
  for (const part of command.split(/ (?=--)/)) {
    const line = lines.at(-1) ?? '';
    const isFirst = line === '';
    if (isFirst || `$ ${line} ${part} \\`.length <= 96)
      lines[lines.length - 1] += isFirst ? part : ` ${part}`;
    else lines.push(`    ${part}`);
  }
  const printed = /```console\n\$ (?:.*\\\n)*.*\n([\s\S]*?)```/.exec(fileOf(path) ?? '')?.[1] ?? '';
  return `\`\`\`console\n$ ${lines.join(' \\\n')}\n${printed}\`\`\``;
}

/** The overview of a folder with these rows in its tables, each of which links to the page of its first cell. */
function listOf(folder: string, tables: readonly (readonly string[])[][]): [string, string] {
  const path = `docs/${folder}/README.md`;
  const left = [...tables];
  const text = read(path).replaceAll(/(?:^\| \[.*\n)+/gm, () =>
    (left.shift() ?? [])
      .map(([id, ...cells]) => `| [${id}](${id}.md) | ${cells.join(' | ')} |\n`)
      .join(''),
  );
  return [path, text];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of madePages()) writeFileSync(`${root}${path}`, text);
}
