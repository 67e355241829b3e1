import { parse } from 'yaml';
import type { Rule } from '../../src/audit/rule.ts';
import { objectsFrom } from './objects-from.ts';
import { rowsOf } from './rows.ts';
import { violationsOf } from './violations.ts';

/** What a rule says in each case of such a table without results: its title, and below it a line for each thing. */
export function foundByRule(rule: Rule, objects: string, cases: string): string {
  const recordsOf = objectsFrom(objects);
  return rowsOf(cases)
    .map(([title = '', there = '', options = '']) =>
      [title, ...saidOf(rule, recordsOf(there), parse(options) ?? {})].join('\n  '),
    )
    .join('\n');
}

function saidOf(rule: Rule, ...given: Given): string[] {
  return violationsOf(rule, ...given).flatMap((one) => {
    if ('notChecked' in one) return [`${one.notChecked} not checked: ${one.because}`];
    const { at, message, command, related, consequence, ...how } = one;
    return [
      `${at}: ${message}`,
      ...(related ? [`with ${related.join(', ')}`] : []),
      ...(consequence ? [`so: ${consequence}`] : []),
      [...Object.values(how), `$ ${command}`].join(', '),
    ];
  });
}
type Given = Parameters<typeof violationsOf> extends [Rule, ...infer Others] ? Others : never;
