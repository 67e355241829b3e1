import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { brokenRules, parseGuardRules, reasonOf } from '../../src/guard/guard-rules.ts';
import type { Judgement } from '../../src/guard/judgement.ts';
import { root } from '../support/command-line.ts';

const harmless: Judgement = {
  objects: 1,
  kinds: '1 ConfigMap',
  isExact: true,
  lines: [],
  isNamespace: false,
  instances: 0,
  losesVolumes: false,
  protectedObject: undefined,
  leavesWithoutProgram: false,
};

const rulesOf = (...rules: readonly object[]) =>
  parseGuardRules({ apiVersion: 'kubectl-gc/v1', kind: 'GuardRules', rules }, 'rules.yaml');

const alice = { user: 'alice', namespace: 'shop' };

/** The names of the rules that such a deletion breaks. */
const broken = (rule: object, judgement: Partial<Judgement>, by = alice) =>
  brokenRules(rulesOf({ name: 'one', action: 'deny', ...rule }), by, {
    ...harmless,
    ...judgement,
  }).map(({ name }) => name);

describe('a rule', () => {
  test.each<[rule: object, breaks: Partial<Judgement>, keeps: Partial<Judgement>]>([
    [{ when: 'many-objects', moreThan: 2 }, { objects: 3 }, { objects: 2 }],
    [{ when: 'namespace' }, { isNamespace: true }, { objects: 900 }],
    [{ when: 'definition-with-instances' }, { instances: 1 }, { instances: 0 }],
    [{ when: 'volume-data' }, { losesVolumes: true }, {}],
    [{ when: 'protected' }, { protectedObject: 'Namespace default' }, {}],
    [{ when: 'program-before-objects' }, { leavesWithoutProgram: true }, {}],
  ])('%o counts for what it is about, and gives a reason', (rule, breaks, keeps) => {
    expect([broken(rule, breaks), broken(rule, keeps)]).toEqual([['one'], []]);
    const [parsed] = rulesOf({ name: 'one', action: 'deny', ...rule }).rules;
    if (parsed) expect(reasonOf(parsed, { ...harmless, ...breaks })).toMatchSnapshot();
  });

  test.each([
    [{ namespaces: ['shop'] }, true],
    [{ namespaces: ['sh*'] }, true],
    [{ namespaces: ['*op'] }, true],
    [{ namespaces: ['s*p'] }, true],
    [{ namespaces: ['shop*shop'] }, false],
    [{ namespaces: ['shops'] }, false],
    [{ namespaces: [] }, false],
    [{ users: ['bob', 'al*'] }, true],
    [{ users: ['bob'] }, false],
    [{ exceptUsers: ['a*e'] }, false],
    [{ exceptUsers: ['bob'] }, true],
    [{ users: ['*'], exceptUsers: ['alice'] }, false],
  ])('with %o is for alice in namespace shop: %s', (selection, isFor) => {
    const rule = { when: 'namespace', ...selection };
    expect(broken(rule, { isNamespace: true })).toEqual(isFor ? ['one'] : []);
  });
});

test.each([
  [{ name: 'one', when: 'never', action: 'deny' }],
  [{ name: 'one', when: 'namespace', action: 'refuse' }],
  [{ name: 'one', when: 'namespace', action: 'deny', moreThan: 3 }],
  [{ name: 'one', when: 'many-objects', action: 'deny' }],
  [{ name: 'one', when: 'namespace', action: 'deny', namespace: 'shop' }],
  [{ when: 'namespace', action: 'deny' }],
])('the rule %o is refused', (rule) => {
  expect(() => rulesOf(rule)).toThrowErrorMatchingSnapshot();
});

test('the example is valid', () => {
  const text = readFileSync(join(root, 'examples/guard/rules.yaml'), 'utf8');
  expect(parseGuardRules(parse(text), 'rules.yaml').rules).toHaveLength(2);
});
