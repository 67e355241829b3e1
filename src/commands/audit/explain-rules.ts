import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allRuleIds } from '../../audit/audit.ts';
import { knownRule } from '../../audit/audit-config.ts';
import { allRules, manifestRules } from '../../audit/rules/rules.ts';
import { usageError } from '../../errors.ts';
import { printedText } from '../../output/printable.ts';
import { rulePage, rulePageUrl } from '../../questions/audit/formats/rule-page.ts';
import { writeOut } from '../../shell/terminal/streams.ts';

/** Every rule on a line: its id, its severity, what it finds; with `-o name` the ids alone. */
export async function listRules(output: string): Promise<void> {
  if (!['table', 'wide', 'name'].includes(output)) {
    throw usageError(`--list-rules cannot be printed as ${output}`, ['Use -o table or -o name.']);
  }
  const idsOnly = output === 'name';
  const width = Math.max(...allRuleIds.map((id) => id.length));
  const lines = allRules.map((rule) => {
    const { id, severity, title } = rule;
    if (idsOnly) return id;
    const when = manifestRules.includes(rule) ? ' (--against-cluster)' : '';
    return `${id.padEnd(width)}   ${severity.padEnd(8)}   ${title}${when}`;
  });
  const head = `${'RULE'.padEnd(width)}   SEVERITY   FINDS`;
  await writeOut(printedText(`${[...(idsOnly ? [] : [head]), ...lines].join('\n')}\n`));
}

/** The page of one rule, and where it stands. `root`: the folder of package.json. */
export async function explainRule(asked: string, root: string): Promise<void> {
  const id = knownRule(asked, allRuleIds, '--explain');
  const markdown = await readFile(join(root, rulePage(id)), 'utf8');
  // Links of Markdown lead nowhere on a terminal: their words stay.
  const page = markdown.replaceAll(/\[([^[\]]+)\]\([^()]+\)/g, '$1');
  await writeOut(printedText(`${page}\nPage: ${rulePageUrl(id) ?? rulePage(id)}\n`));
}
