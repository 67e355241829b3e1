import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Rule } from '../../src/audit/rule.ts';
import { objectsFrom } from './objects-from.ts';
import { rowsOf } from './rows.ts';
import { violationsOf } from './violations.ts';

/**
 * Tests a rule by two tables: the objects, and the cases: what each is about; its objects; what else is so
 * (`unread: [pods]`); and all that the rule says.
 */
export function casesOfRule(rule: Rule, objects: string, cases: string): void {
  const recordsOf = objectsFrom(objects);
  test.each(rowsOf(cases))('%s', (_, there = '', options = '', ...expected) => {
    const said = violationsOf(rule, recordsOf(there), parse(options) ?? {}).flatMap((one) => {
      if ('notChecked' in one) return [`${one.notChecked} not checked: ${one.because}`];
      const { at, message, command, related, consequence, ...how } = one;
      return [
        `${at}: ${message}`,
        ...(related ? [`with ${related.join(', ')}`] : []),
        ...(consequence ? [`so: ${consequence}`] : []),
        [...Object.values(how), `$ ${command}`].join(', '),
      ];
    });
    expect(said).toEqual(expected);
  });
}
