import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allRuleIds } from '../../src/audit/audit.ts';
import type { AuditReport } from '../../src/questions/audit/document.ts';
import { rulePageUrl } from '../../src/questions/audit/formats/rule-page.ts';
import { root } from '../support/command-line.ts';
import { gcHere } from '../support/run-here.ts';

test('every rule is listed, and nothing is looked at', async () => {
  const { code, stdout, stderr } = await gcHere('audit --list-rules');
  const [head, ...lines] = stdout.trimEnd().split('\n');
  expect([code, stderr]).toEqual([0, '']);
  expect(head?.split(/ {2,}/)).toEqual(['RULE', 'SEVERITY', 'FINDS']);
  expect(lines.map((line) => line.split(' ')[0])).toEqual(allRuleIds);
  expect(lines.every((line) => / {3}(error|warning|info|depends) +[A-Z]/.test(line))).toBe(true);
});

test('the names alone, for scripts', async () => {
  const { stdout } = await gcHere('audit --list-rules -o name');
  expect(stdout.trimEnd().split('\n')).toEqual(allRuleIds);
});

test.each(allRuleIds)('%s is explained by its whole page', async (id) => {
  const { code, stdout } = await gcHere(`audit --explain ${id}`);
  const page = readFileSync(`${root}docs/rules/${id}.md`, 'utf8');
  const plain = page.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  expect([code, stdout]).toEqual([0, `${plain}\nPage: docs/rules/${id}.md\n`]);
});

test('a rule has an address as soon as package.json names a homepage', () => {
  const name = 'kubectl-gc';
  const homepage = 'https://example.com/kubectl-gc/';
  const unnamed = { name, homepage: 'https://github.com/OWNER/kubectl-gc' };
  expect(rulePageUrl('self-owner', unnamed)).toBe(undefined);
  expect([{ name }, { name, homepage }].map((one) => rulePageUrl('self-owner', one))).toEqual([
    undefined,
    'https://example.com/kubectl-gc/docs/rules/self-owner.md',
  ]);
});

test('the package contains the pages', () => {
  const { files } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  expect(files).toContain('docs/rules/*.md');
});

test('--rule and --skip-rule take several rules with commas, as --collector does', async () => {
  const line = 'audit -A -o json --fail-on never --from examples/clusters/shop.json.gz';
  const rules = ['missing-owner', 'doomed-dependents'];
  const apart = await gcHere(`${line} --rule ${rules[0]} --rule ${rules[1]}`);
  expect(await gcHere(`${line} --rule ${rules}`)).toEqual(apart);
  expect(await gcHere(`${line} --rule ${rules},stuck-object --skip-rule stuck-object`)).toEqual(
    apart,
  );
});

test('every finding names its own fix, with a command', async () => {
  const examples = globSync('docs/rules/*.yaml', { cwd: root }).filter(
    (path) => !path.endsWith('.settings.yaml'),
  );
  const found = new Set<string>();
  for (const path of [...examples.sort(), 'examples/clusters/shop.json.gz']) {
    const line = `audit --complete --fail-on never -o json --from ${path}`;
    const { items }: AuditReport = JSON.parse((await gcHere(line)).stdout);
    const without = items.filter(({ fix }) => fix.summary === '' || fix.command === undefined);
    expect(without).toEqual([]);
    for (const { rule } of items) found.add(rule);
  }
  // The others find what files do not show: what an API server serves, and flags.
  expect(allRuleIds.filter((id) => !found.has(id)).sort()).toEqual([
    'ended-pods-threshold',
    'missing-namespace',
    'unavailable-api',
    'unlistable-kind',
    'unserved-kind',
  ]);
});
