import type { ObjectRecord } from '../kube/object-record.ts';
import type { AppliedBy, Tool } from './tool.ts';

/*
 * Crossplane v2.1.0 (claim/reconciler.go, webhook/protection/usage). A composite resource owns its
 * parts by reference. Claims, whose kinds users define, are recognized by:
 *
 * | read | by it |
 * | --- | --- |
 * | finalizer finalizer.apiextensions.crossplane.io | it is a claim, and deletes its composite resource before that is removed |
 * | labels crossplane.io/claim-name, -namespace | the composite resource of a claim |
 * | label crossplane.io/in-use: "true" | a Usage names it: a webhook refuses its deletion |
 */

export const claimFinalizer = 'finalizer.apiextensions.crossplane.io';

function claimMark(namespace: string, name: string): string {
  return `claim ${namespace}/${name}`;
}

export const crossplaneClaim: Tool = {
  title: 'Crossplane claim',
  inventoryOf: ({ namespace, name }) => ({
    marks: [claimMark(namespace, name)],
    finalizer: claimFinalizer,
    recreates: () => ({ when: 'as soon as it is deleted' }),
  }),
};

export function claimMarkOf({ labels }: ObjectRecord): string | undefined {
  const name = labels?.['crossplane.io/claim-name'];
  const namespace = labels?.['crossplane.io/claim-namespace'];
  return name === undefined || namespace === undefined ? undefined : claimMark(namespace, name);
}

export function appliedByClaim(record: ObjectRecord): AppliedBy | undefined {
  const mark = claimMarkOf(record);
  return mark === undefined ? undefined : { who: `Crossplane ${mark}`, by: undefined };
}

/** Does a Usage of Crossplane have the deletion of this object refused? */
export function isInUse({ labels }: ObjectRecord): boolean {
  return labels?.['crossplane.io/in-use'] === 'true';
}

/** The provider of a managed resource removes it once what the resource stands for is deleted. */
export const managedResourceFinalizer = 'finalizer.managedresource.crossplane.io';
