import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allRuleIds } from '../../audit/audit.ts';
import { knownRule } from '../../audit/audit-config.ts';
import type { Rule } from '../../audit/rule.ts';
import { clusterRules, manifestRules, referenceRules } from '../../audit/rules/rules.ts';
import { usageError } from '../../errors.ts';
import { rulePage, rulePageUrl } from '../../output/audit-formats/rule-page.ts';
import { writeOut } from '../../shell/terminal/streams.ts';

type Shown = Pick<Rule, 'id' | 'title' | 'severity' | 'consequence' | 'advice'>;

const shown: readonly Shown[] = [
  ...referenceRules,
  ...clusterRules,
  ...manifestRules.map((rule) => ({ ...rule, title: `${rule.title} (--against-cluster)` })),
];

/** Every rule on a line: its id, its severity, what it finds; with `-o name` the ids alone. */
export async function listRules(output: string): Promise<void> {
  if (!['table', 'wide', 'name'].includes(output)) {
    throw usageError(`--list-rules cannot be printed as ${output}`, ['Use -o table or -o name.']);
  }
  const idsOnly = output === 'name';
  const width = Math.max(...shown.map(({ id }) => id.length));
  const lines = shown.map(({ id, severity, title }) =>
    idsOnly ? id : `${id.padEnd(width)}   ${severity.padEnd(8)}   ${title}`,
  );
  const head = `${'RULE'.padEnd(width)}   SEVERITY   FINDS`;
  await writeOut(`${[...(idsOnly ? [] : [head]), ...lines].join('\n')}\n`);
}

/** What one rule finds, what comes of it and what to do about it; then its whole page. `root`: the folder of package.json. */
export async function explainRule(asked: string, root: string): Promise<void> {
  const id = knownRule(asked, allRuleIds, '--explain');
  const page = plainText(await readFile(join(root, rulePage(id)), 'utf8'));
  for (const { title, severity, consequence, advice } of shown.filter((one) => one.id === id)) {
    const head = [
      `Finds:        ${title}.`,
      `Severity:     ${severity}`,
      `Consequence:  ${consequence}.`,
      `Fix:          ${advice}`,
      `Page:         ${rulePageUrl(id) ?? rulePage(id)}`,
    ];
    await writeOut(`${head.join('\n')}\n\n${page}`);
  }
}

/** Links of Markdown lead nowhere on a terminal: their words stay. */
function plainText(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
}
