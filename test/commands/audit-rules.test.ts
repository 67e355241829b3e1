import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allRuleIds } from '../../src/audit/audit.ts';
import { auditRules, manifestRules } from '../../src/audit/rules/audit-rules.ts';
import { referenceRules } from '../../src/audit/rules/reference-rules.ts';
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
  expect(await gcHere('audit --list-rules -o sarif')).toMatchObject({ code: 2, stdout: '' });
});

const adviceOf = new Map(
  [...referenceRules, ...auditRules, ...manifestRules].map(({ id, advice }) => [id, advice]),
);

/** The section of a rule's page, as one line of plain text. */
function howToFix(id: string): string {
  const page = readFileSync(`${root}docs/rules/${id}.md`, 'utf8');
  const [, section = ''] = page.split('## How to fix\n\n');
  return section.replaceAll('`', '').replaceAll('\n', ' ');
}

test('nothing is explained that is no rule', () => {
  expect([...adviceOf.keys()]).toEqual(allRuleIds);
});

test.each(allRuleIds)('%s is explained', async (id) => {
  const { code, stdout } = await gcHere(`audit --explain ${id}`);
  const [name, ...rest] = stdout.trimEnd().split('\n');
  expect([code, name]).toEqual([0, id]);
  expect(rest.map((line) => line.trim().split(':')[0])).toEqual([
    'Finds',
    'Severity',
    'Consequence',
    'Fix',
    'Page',
  ]);
  expect(rest[3]).toBe(`  Fix:          ${howToFix(id).slice(0, adviceOf.get(id)?.length)}`);
});

test.each([
  ['--explain missing-ownr', '--explain', 'missing-ownr', 'Did you mean missing-owner? '],
  ['--rule stuck-objects', '--rule', 'stuck-objects', 'Did you mean stuck-object? '],
  ['--skip-rule cycle', '--skip-rule', 'cycle', 'Did you mean ownership-cycle? '],
  ['--rule qqqq', '--rule', 'qqqq', ''],
  ['--explain unserved-kinds', '--explain', 'unserved-kinds', 'Did you mean unserved-kind? '],
])('audit %s offers the nearest', async (line, flag, id, meant) => {
  expect(await gcHere(`audit --no-config ${line} --from docs/rules/missing-owner.yaml`)).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: ${flag}: there is no rule "${id}"\n  ${meant}--list-rules shows them all.\n`,
  });
});
