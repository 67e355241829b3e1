import { describe, expect, test } from 'vitest';
import { emptyConfig, parseConfig } from '../../src/audit/audit-config.ts';

const ids = ['missing-owner', 'self-owner'];
const exception = { name: 'web-*', reason: 'known', expires: '2026-12-31' };

test('a whole configuration', () => {
  const audit = {
    onlyRules: ['missing-owner', 'self-owner'],
    skipRules: ['self-owner'],
    severities: { 'missing-owner': 'info' },
    severity: 'warning',
    failOn: 'never',
    baseline: 'baseline.json',
    allowIncomplete: true,
    exceptions: [{ rule: 'missing-owner', kind: 'Pod', namespace: 'shop', ...exception }],
  };
  expect(parseConfig({ apiVersion: 'kubectl-gc/v1', kind: 'Config', audit }, ids)).toEqual(audit);
});

test.each([
  ['an empty file', null],
  ['no audit part', { kind: 'Config' }],
  ['an empty audit part', { audit: null }],
])('%s configures nothing', (_, value) => {
  expect(parseConfig(value, ids)).toEqual(emptyConfig);
});

test('an exception needs no more than one thing that it is about', () => {
  expect(parseConfig({ audit: { exceptions: [exception] } }, ids).exceptions).toEqual([
    { rule: undefined, kind: undefined, namespace: undefined, ...exception },
  ]);
});

describe('a configuration is refused', () => {
  const excepting = (entry: object) => ({ audit: { exceptions: [entry] } });
  test.each<[string, unknown, string]>([
    ['that is a list', [], 'the configuration is not a map of keys and values'],
    ['of another version', { apiVersion: 'v2' }, 'apiVersion is "v2", not kubectl-gc/v1'],
    ['with a misspelt key', { audit: { skiprules: [] } }, 'there is no key audit.skiprules'],
    ['with another part', { audits: {} }, 'there is no key audits'],
    ['with a rule that is none', { audit: { skipRules: ['x'] } }, 'there is no rule "x"'],
    ['with rules as a text', { audit: { onlyRules: 'self-owner' } }, 'onlyRules is not a list'],
    ['with a level that is none', { audit: { failOn: 'info' } }, 'failOn is "info", not one of'],
    ['with a severity that is none', { audit: { severities: { 'self-owner': 'bad' } } }, '"bad"'],
    ['with a severity of no rule', { audit: { severities: { x: 'info' } } }, 'no rule "x"'],
    [
      'that is unsure',
      { audit: { allowIncomplete: 'yes' } },
      'allowIncomplete is not true or false',
    ],
    ['with an exception of no rule', excepting({ ...exception, rule: 'x' }), 'no rule "x"'],
    ['without a reason', excepting({ ...exception, reason: ' ' }), 'reason is not a string'],
    [
      'without a last day',
      excepting({ ...exception, expires: undefined }),
      'expires is not a string',
    ],
    ['with a day that is none', excepting({ ...exception, expires: '2026-02-30' }), 'not a day'],
    ['that excepts everything', excepting({ ...exception, name: undefined }), 'except everything'],
  ])('%s', (_, value, message) => {
    expect(() => parseConfig(value, ids)).toThrow(message);
  });
});
