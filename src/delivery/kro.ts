import type { ObjectRecord } from '../kube/object-record.ts';
import { fullNameOf } from '../kube/object-reference.ts';
import type { AppliedBy, Tool } from './tool.ts';

/*
 * Instances of kro's ResourceGraphDefinitions, by kro v0.9.4 (reconcileDeletion, ListOrphans). Users define their kinds,
 * so they are recognized by their finalizer:
 *
 * | read | by it |
 * | --- | --- |
 * | finalizer kro.run/finalizer | it is an instance, and deletes all of its ApplySet before that is removed |
 * | label applyset.kubernetes.io/id of the instance, …/part-of of the others | what is in its ApplySet |
 * | labels kro.run/instance-kind, -group, -namespace, -name | the instance, for people |
 */

export const kroFinalizer = 'kro.run/finalizer';

const partOfLabel = 'applyset.kubernetes.io/part-of';

/** What objects of an ApplySet share. */
function applySetMark(id: string): string {
  return `applyset ${id}`;
}

export const kroInstance: Tool = {
  title: 'kro instance',
  inventoryOf: ({ labels }) => ({
    marks: [applySetMark(labels?.['applyset.kubernetes.io/id'] ?? '')],
    finalizer: kroFinalizer,
    recreates: () => ({ when: 'as soon as it is deleted' }),
  }),
};

export function applySetMarkOf({ labels }: ObjectRecord): string | undefined {
  const id = labels?.[partOfLabel];
  return id === undefined ? undefined : applySetMark(id);
}

/** kubectl's ApplySets have no object that deletes them: only another apply prunes what is not among it any more. */
export function appliedInApplySet({ labels }: ObjectRecord): AppliedBy | undefined {
  const id = labels?.[partOfLabel];
  return id === undefined ? undefined : { who: `ApplySet ${id}`, by: undefined };
}

export function appliedByKro({ labels }: ObjectRecord): AppliedBy | undefined {
  const name = labels?.['kro.run/instance-name'];
  const kind = labels?.['kro.run/instance-kind'];
  if (name === undefined || kind === undefined) return undefined;
  const namespace = labels?.['kro.run/instance-namespace'] ?? '';
  const group = labels?.['kro.run/instance-group'] ?? '';
  const who = fullNameOf({ kind: `kro instance ${kind}`, namespace, name });
  return { who, by: { group, kind, namespace, name } };
}
