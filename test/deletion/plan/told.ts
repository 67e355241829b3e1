import type { DeletionIntent, PlanContext } from '../../../src/deletion/plan/plan.ts';
import type { ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, type Details, ownedBy, type SnapshotOptions } from '../../support/builders.ts';
import { planned } from './planned.ts';

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
  const { remarks } = planned(records, targets, intent, options, around);
  return remarks.map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
}

/** `web-1: deleted`, one line per object. */
export function fatesOf(records: readonly ObjectRecord[], targets: ObjectRecord): string[] {
  return planned(records, targets).objects.map(({ name, fate }) => `${name}: ${fate}`);
}
