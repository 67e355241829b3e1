import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { acceptedBy, parseConfig } from '../../src/audit/audit-config.ts';
import { rowsOf } from '../support/rows.ts';

const ids = ['missing-owner', 'self-owner'];
const exception = { name: 'web-*', reason: 'known', expires: '2026-12-31' };

test('a whole configuration', () => {
  const audit = {
    onlyRules: ['missing-owner', 'self-owner'],
    skipRules: ['self-owner'],
    skipNamespaces: ['sandbox-*'],
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
  expect(parseConfig(value, ids)).toEqual({
    skipRules: [],
    skipNamespaces: [],
    severities: {},
    allowIncomplete: false,
    exceptions: [],
  });
});

test('a namespace that is skipped is accepted for good, whatever the rule', () => {
  const config = parseConfig({ audit: { skipNamespaces: ['sandbox-*'] } }, ids);
  expect(acceptedBy(config)).toEqual([
    { namespace: 'sandbox-*', reason: 'skipNamespaces names its namespace' },
  ]);
});

test('an exception needs no more than one thing that it is about', () => {
  expect(parseConfig({ audit: { exceptions: [exception] } }, ids).exceptions).toEqual([
    { rule: undefined, kind: undefined, namespace: undefined, ...exception },
  ]);
});

const known = 'reason: known, expires: 2026-12-31';
const faults = rowsOf(`
  that is a list | [] | the configuration is wrong: it is a list, not a mapping
  of another version             | apiVersion: v2                            | apiVersion is "v2", not kubectl-gc/v1
  with a misspelt key | audit: {skiprules: []} | audit.skiprules is not known here; known are onlyRules,
  with another part | audits: {} | audits is not known here; known are apiVersion, kind, audit
  with a rule that is none       | audit: {skipRules: [x]}                   | audit.skipRules[0] is "x", not a rule
  with rules as a text           | audit: {onlyRules: self-owner}            | audit.onlyRules is "self-owner", not a list
  with a level that is none | audit: {failOn: info} | audit.failOn is "info", not one of error, warning, never
  with a severity that is none   | audit: {severities: {self-owner: bad}}    | "bad"
  with a severity of no rule     | audit: {severities: {x: info}}            | audit.severities.x is "x", not a rule
  that is unsure                 | audit: {allowIncomplete: "yes"}           | audit.allowIncomplete is "yes", not true or false
  with an exception of no rule | audit: {exceptions: [{name: web-*, ${known}, rule: x}]}
      | audit.exceptions[0].rule is "x", not a rule
  without a reason | audit: {exceptions: [{name: web-*, reason: " ", expires: 2026-12-31}]}
      | audit.exceptions[0].reason is " ", not a text
  without a last day             | audit: {exceptions: [{name: web-*, reason: known}]} | audit.exceptions[0].expires is missing
  with a day that is none | audit: {exceptions: [{name: web-*, reason: known, expires: 2026-02-30}]}
      | expires is "2026-02-30", not a day
  that excepts everything        | audit: {exceptions: [{${known}}]}         | audit.exceptions[0] would except everything
`);
test.each(faults)('a configuration is refused %s', (_, text = '', message) => {
  expect(() => parseConfig(parse(text), ids)).toThrow(message);
});
