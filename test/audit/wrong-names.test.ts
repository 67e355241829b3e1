import { expect, test } from 'vitest';
import { ruleIds } from '../../src/audit/audit.ts';
import { knownRule, parseConfig } from '../../src/audit/audit-config.ts';
import { parseBaseline } from '../../src/audit/baseline.ts';
import { isGcError } from '../../src/errors.ts';

function refusal(act: () => unknown): { code: number; message: string; hint: string | undefined } {
  try {
    act();
  } catch (error) {
    if (!isGcError(error)) throw error;
    const { exitCode, message, suggestions } = error;
    return { code: exitCode, message, hint: suggestions[0] };
  }
  throw new Error('it was accepted');
}

const exception = { rule: 'mising-owner', reason: 'x', expires: '2026-12-31' };

test.each<[string, () => unknown, string, string]>([
  [
    '--rule',
    () => knownRule('misssing-owner', ruleIds, '--rule'),
    '--rule: unknown rule "misssing-owner"',
    'Did you mean missing-owner?',
  ],
  [
    'a key',
    () => parseConfig({ audit: { failon: 'error' } }, ruleIds),
    'audit.failon is',
    'Did you mean failOn?',
  ],
  [
    'an exception',
    () => parseConfig({ audit: { exceptions: [exception] } }, ruleIds),
    'audit.exceptions[0].rule is "mising-owner", not a rule',
    'Did you mean missing-owner?',
  ],
  [
    'a baseline',
    () => parseBaseline({ apiVersion: 'kubectl-gc/v2', kind: 'AuditBaseline' }, 'old.json'),
    'the baseline old.json is of version "kubectl-gc/v2", and this reads kubectl-gc/v1',
    'Remove the file, or name another one, and write it with --update-baseline.',
  ],
])('%s: exit code 2, and what was meant', (_, act, message, hint) => {
  const refused = refusal(act);
  expect([refused.code, refused.hint]).toEqual([2, hint]);
  expect(refused.message).toContain(message);
});

test('no rule, kind or flag is suggested for a word that resembles none', () => {
  expect(refusal(() => knownRule('zebra', ruleIds, '--rule')).hint).toBe(
    '--list-rules shows them all.',
  );
});
