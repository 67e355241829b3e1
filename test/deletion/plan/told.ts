import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { DeletionIntent, Plan, PlanContext } from '../../../src/deletion/plan/plan.ts';
import type { ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, type Details, ownedBy, type SnapshotOptions } from '../../support/builders.ts';
import { objectsFrom } from '../../support/objects-from.ts';
import { rowsOf } from '../../support/rows.ts';
import { planned } from './planned.ts';

/** `warning recreated: …`, one line per remark. */
export const remarksOf = ({ remarks }: Plan): string[] =>
  remarks.map(({ severity, code, message }) => `${severity} ${code}: ${message}`);

/** The remarks with one of these codes. */
export const remarksAbout =
  (...codes: readonly Plan['remarks'][number]['code'][]) =>
  (plan: Plan): string[] =>
    remarksOf({ ...plan, remarks: plan.remarks.filter(({ code }) => codes.includes(code)) });

/** Makes plans of what `objectsFrom` reads: of its first object, or of `web, db {policy: Orphan, unread: [pods]}`. */
export function plansFrom(...tables: Parameters<typeof objectsFrom>) {
  const recordsOf = objectsFrom(...tables);
  return (there: string, how = '', around: Partial<PlanContext> = {}): Plan => {
    const records = recordsOf(there);
    const called = there.split(';').map((text) => text.trim().split(' ')[0]);
    const [, names = '', settings = ''] = /^([^{]*)({.*})?$/.exec(how) ?? [];
    const targets = (names.trim() || called[0] || '').split(', ').map((name) => {
      const target = records[called.indexOf(name)];
      if (!target) throw new Error(`there is no ${name}`);
      return target;
    });
    const { policy = 'Background', gracePeriodSeconds, ...options } = parse(settings) ?? {};
    return planned(records, targets, { policy, gracePeriodSeconds }, options, around);
  };
}

/**
 * Tests plans by tables: the objects, and the cases: what each is about; its objects; what is deleted, and how; what is
 * said.
 */
export function casesOfPlans(
  say: (plan: Plan) => readonly string[],
  objects: string,
  cases: string,
  references?: string,
  around: Partial<PlanContext> = {},
): void {
  const planOf = plansFrom(objects, references);
  test.each(rowsOf(cases))('%s', (_, there = '', how = '', ...said) => {
    expect(say(planOf(there, how, around))).toEqual(said);
  });
}

/** What is said in each case of such a table without results: its title, and a line for each thing that is said below it. */
export function outcomesOf(
  say: (plan: Plan) => readonly string[],
  objects: string,
  cases: string,
  references?: string,
): string {
  const planOf = plansFrom(objects, references);
  const outcomes = rowsOf(cases).map(([title = '', there = '', how = '']) =>
    [title, ...say(planOf(there, how))].join('\n  '),
  );
  return outcomes.join('\n');
}

export const namespace = builderOf('v1', 'Namespace');

const controlled = { controller: true, blockOwnerDeletion: true };
/** Controlled by this one. */
export const by = (owner: ObjectRecord): Details => ({
  ownerReferences: [ownedBy(owner, controlled)],
});
export const unbound: ObjectFacts = { nodeName: '' };

/** `warning recreated: …`, one line per remark, and the fates of the objects. */
export function told(
  records: readonly ObjectRecord[],
  targets: ObjectRecord | readonly ObjectRecord[],
  intent: Partial<DeletionIntent> = {},
  options: SnapshotOptions = {},
  around: Partial<PlanContext> = {},
): string[] {
  return remarksOf(planned(records, targets, intent, options, around));
}

/** `web-1: deleted`, one line per object. */
export function fatesOf(records: readonly ObjectRecord[], targets: ObjectRecord): string[] {
  return planned(records, targets).objects.map(({ name, fate }) => `${name}: ${fate}`);
}
