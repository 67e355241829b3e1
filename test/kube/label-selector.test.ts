import { describe, expect, test } from 'vitest';
import { isGcError } from '../../src/errors.ts';
import {
  isEmptySelector,
  matchesSelector,
  parseLabelSelector,
  workloadSelects,
} from '../../src/kube/label-selector.ts';
import { casesByResult, rowsOf } from '../support/rows.ts';

const objects = {
  bare: undefined,
  web: { app: 'web' },
  db: { app: 'db', tier: 'back' },
  nameless: { app: '', canary: 'true' },
  odd: { in: 'in', notin: 'notin', 'shop.example.com/size': '10' },
  nine: { size: '9', app: 'web' },
  large: { size: 'large' },
};

/** Objects, and selectors by which labels.Parse of apimachinery v0.36.3 matches just these among `objects`. */
const selected = casesByResult(`
  none                              | app=,tier=back | size>9 | size<0 | size<9,app | size>9223372036854775807
                                    | app=web.v1_2-x
  web db nameless nine              | app
  bare odd large                    | !app | ! app
  web nine                          | app=web | app==web | app = web | app in(web) | app=web,tier notin (front,back)
  nameless                          | app= | app in () | canary=true
  bare db nameless odd large        | app!=web | app notin (web)
  bare web db odd nine large        | app!= | app notin ()
  web db nine                       | app in (web,db) | app in (web, db )
  web nameless nine                 | app in (,web) | app in (web,)
  web db nameless nine              | app in (web,,db)
  db                                | app notin (web),tier
  odd                               | in | notin | in=in | in in (in) | shop.example.com/size=10
                                    | shop.example.com/size in (10,11)
  bare web db nameless nine large   | !in | notin notin (notin)
  nine                              | size>8 | size > 8 | size>08 | size<10 | size>8,size<10
                                    | size<9223372036854775807
`);
const everything = Object.keys(objects).join(' ');
const blanks = [
  ['', everything],
  [' ', everything],
  ['app\tin\t(web)', 'web nine'],
  ['app\nin (web)', 'web nine'],
];

const refused = rowsOf(`
  size>large | size> | size>=8 | size>+8 | size>-5 | size>0x1 | size>1_0 | size<9223372036854775808 | app<web
  app=web, | ,app=web | app=web,,tier | app web | app=web db | app===web | app=!web | app=web! | =web | app=(web)
  app in web | app in (web | app in web) | app in ((web)) | app in (web db) | app in (web) tier | app in (web)(db)
  app! | app! =web | !app=web | !!app | ! | /size | shop/ | shop/size/x | Shop.Example.com/size | -app | app-
  app$ | app=we$b | app=-web | app in (we$b)
`).flat();

describe('selects as the API server does', () => {
  test.each([...selected, ...blanks])('%j', (selector = '', names = '') => {
    const matches = parseLabelSelector(selector);
    const found = Object.entries(objects).filter(([, labels]) => matches(labels));
    expect(found.map(([name]) => name).join(' ') || 'none').toBe(names);
  });
});

describe('refuses what the API server refuses', () => {
  const long = 'a'.repeat(64);
  test.each([...refused, long, `app=${long}`])('%j', (selector) => {
    expect(() => parseLabelSelector(selector)).toThrow(/^unable to parse requirement/);
  });
});

test('says which part is wrong, and what a selector looks like', () => {
  const parse = () => parseLabelSelector('app=web,tier=we$b');
  expect(parse).toThrow(
    'unable to parse requirement "tier=we$b" of label selector "app=web,tier=we$b": "we$b" is no label value',
  );
  try {
    parse();
  } catch (error) {
    expect(isGcError(error) && [error.exitCode, error.suggestions]).toEqual([
      2,
      ["Write it as kubectl does: -l 'app=web,tier in (a,b),!canary'."],
    ]);
  }
});

const web = { app: 'web', tier: 'front' };
const matchLabels = { app: 'web' };
const expression = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, values }],
});

test.each([
  ['no selector', undefined, web, false],
  ['an empty one', {}, web, true],
  ['an empty one, no labels', {}, undefined, true],
  ['empty lists', { matchLabels: {}, matchExpressions: [] }, web, true],
  ['a label', { matchLabels }, web, true],
  ['another label', { matchLabels: { app: 'db' } }, web, false],
  ['one of two labels', { matchLabels: { ...matchLabels, zone: 'a' } }, web, false],
  ['a label, no labels', { matchLabels }, undefined, false],
  ['In', expression('tier', 'In', 'back', 'front'), web, true],
  ['In, another value', expression('tier', 'In', 'back'), web, false],
  ['In, no label', expression('zone', 'In', ''), web, false],
  ['NotIn', expression('tier', 'NotIn', 'front'), web, false],
  ['NotIn, another value', expression('tier', 'NotIn', 'back'), web, true],
  ['NotIn, no label', expression('zone', 'NotIn', 'a'), web, true],
  ['Exists', expression('app', 'Exists'), web, true],
  ['Exists, no label', expression('zone', 'Exists'), web, false],
  ['DoesNotExist', expression('app', 'DoesNotExist'), web, false],
  ['DoesNotExist, no label', expression('zone', 'DoesNotExist'), web, true],
  ['an unknown operator', expression('app', 'Gt', '1'), web, false],
  ['both, one not met', { matchLabels, ...expression('tier', 'In', 'back') }, web, false],
])('a selector of the API: %s', (_, selector, labels, expected) => {
  expect(matchesSelector(selector, labels)).toBe(expected);
});

test.each([
  ['absent', undefined, true],
  ['empty', {}, true],
  ['of empty lists', { matchLabels: {}, matchExpressions: [] }, true],
  ['with a label', { matchLabels }, false],
  ['with an expression', expression('app', 'Exists'), false],
])('a workload selects no Pods by an empty selector: %s', (_, selector, isEmpty) => {
  expect([isEmptySelector(selector), workloadSelects(selector, web)]).toEqual([isEmpty, !isEmpty]);
});

test('a workload takes what its selector matches, and nothing else', () => {
  expect(workloadSelects({ matchLabels }, { app: 'db' })).toBe(false);
});

test('a property of every JavaScript object is no label', () => {
  expect(parseLabelSelector('constructor')({})).toBe(false);
  expect(matchesSelector(expression('toString', 'Exists'), {})).toBe(false);
});
