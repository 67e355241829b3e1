import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Rule } from '../../src/audit/rule.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { objectOfType, ownedBy, servedTypes } from './builders.ts';
import { rowsOf } from './rows.ts';
import { violationsOf } from './violations.ts';

/** As YAML has it: `by` and `under` name its owner and its controller among the objects; null is unset. */
interface Changes extends Partial<Omit<ObjectRecord, 'type' | 'name'>> {
  readonly by?: string;
  readonly under?: string;
  readonly deleting?: true;
}

/**
 * Tests a rule by two tables. `objects`: how the cases call an object, its kind and name, and what is to be known of
 * it. `cases`: what each is about; its objects, with what is otherwise of them; what else is so (`unread: [pods]`); and
 * all that the rule says.
 */
export function casesOfRule(rule: Rule, objects: string, cases: string): void {
  const named = new Map<string, ObjectRecord>();
  const changed = (object: ObjectRecord, text = ''): ObjectRecord => {
    const { by, under, deleting, ...given }: Changes = parse(text) ?? {};
    const owner = named.get(by ?? under ?? '');
    const ownerReferences = owner && [ownedBy(owner, under ? { controller: true } : {})];
    const ends = deleting && { deletionTimestamp: '2026-01-02T00:00:00Z' };
    const details = Object.entries(given).map(([field, value]) => [field, value ?? undefined]);
    return {
      ...object,
      ...Object.fromEntries(details),
      ...ends,
      ...(ownerReferences && { ownerReferences }),
    };
  };
  for (const [called = '', what = '', details] of rowsOf(objects)) {
    const [kind = '', name = ''] = what.split(' ');
    const type = servedTypes.all.find((one) => one.kind === kind);
    if (!type) throw new Error(`no ${kind} is served`);
    named.set(called, changed(objectOfType(type, name), details));
  }
  const objectOf = (text: string) => {
    const [called = '', ...changes] = text.trim().split(' ');
    const object = named.get(called);
    if (!object) throw new Error(`there is no ${called}`);
    return changed(object, changes.join(' '));
  };
  test.each(rowsOf(cases))('%s', (_, there = '', options = '', ...expected) => {
    const records = there === '' ? [] : there.split(';').map(objectOf);
    const said = violationsOf(rule, records, parse(options) ?? {}).flatMap((one) => {
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
