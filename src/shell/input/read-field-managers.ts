import type { ReferenceFinding } from '../../audit/rules/reference-findings.ts';
import { loadOwnershipManagers } from '../../cluster/list/get-objects.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { FieldManagersOf } from '../../questions/invalid-ownerrefs/document.ts';
import { fieldManagersIn } from '../../snapshot/evidence.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { OpenedCluster } from './session.ts';

/** More objects than a person reads of are not worth a request each. */
export const mostManagedObjects = 500;

/** The objects of which a finding says who set a reference. */
export function objectsOf(findings: readonly ReferenceFinding[]): readonly ObjectRecord[] {
  const objects = findings.flatMap(({ object, reference }) => (reference ? [object] : []));
  return [...new Set(objects)].slice(0, mostManagedObjects);
}

/**
 * Asks for the managedFields of the objects in question, as lists leave them out; offline, takes what was
 * saved of them.
 */
export async function readFieldManagers(
  cluster: OpenedCluster | undefined,
  { evidence }: Snapshot,
  findings: readonly ReferenceFinding[],
): Promise<FieldManagersOf> {
  if (!cluster) return fieldManagersIn(evidence);
  const objects = objectsOf(findings);
  if (objects.length === 0) return (record) => record.writers;
  const fieldManagers = await loadOwnershipManagers(cluster.client, objects);
  return fieldManagersIn({ fieldManagers });
}
