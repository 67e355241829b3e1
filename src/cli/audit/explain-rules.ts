import { allRuleIds } from '../../audit/audit.ts';
import { knownRule } from '../../audit/audit-config.ts';
import { auditRules, manifestRules } from '../../audit/rules/audit-rules.ts';
import { referenceRules } from '../../audit/rules/reference-rules.ts';
import { usageError } from '../../errors.ts';
import { writeOut } from '../terminal/streams.ts';

interface Shown {
  readonly id: string;
  readonly title: string;
  readonly severity: string;
  readonly consequence: string;
  readonly advice: string;
}

/** Wrong references have no severity of their own. */
const shown: readonly Shown[] = [
  ...referenceRules.map((rule) => ({
    ...rule,
    severity: 'depends',
    consequence:
      'what the collector does with the object: deleted, kept by another owner, or never collected; how grave it is follows from that',
  })),
  ...auditRules,
  ...manifestRules.map((rule) => ({ ...rule, title: `${rule.title} (--against-cluster)` })),
];

/** Every rule on a line: its id, its severity, what it finds; with `-o name` the ids alone. */
export async function listRules(output: string): Promise<void> {
  if (!['table', 'wide', 'name'].includes(output)) {
    throw usageError(
      'list-rules-output',
      `--list-rules cannot be printed as ${output}`,
      'Use -o table or -o name.',
    );
  }
  const idsOnly = output === 'name';
  const width = Math.max(...shown.map(({ id }) => id.length));
  const lines = shown.map(({ id, severity, title }) =>
    idsOnly ? id : `${id.padEnd(width)}   ${severity.padEnd(8)}   ${title}`,
  );
  const head = `${'RULE'.padEnd(width)}   SEVERITY   FINDS`;
  await writeOut(`${[...(idsOnly ? [] : [head]), ...lines].join('\n')}\n`);
}

/** What one rule finds, what comes of it, what to do about it, and where more is said. */
export async function explainRule(asked: string): Promise<void> {
  const id = knownRule(asked, allRuleIds, '--explain');
  for (const { title, severity, consequence, advice } of shown.filter((one) => one.id === id)) {
    const page = `docs/rules/${id}.md`;
    await writeOut(
      `${id}\n  Finds:        ${title}.\n  Severity:     ${severity}\n  Consequence:  ${consequence}.\n  Fix:          ${advice}\n  Page:         ${page}\n`,
    );
  }
}
