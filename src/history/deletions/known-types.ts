import { builtInTypes } from '../../kube/built-in-types.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { ResourceTypes } from '../../kube/resource-types.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { AuditedRequest } from '../audited-request.ts';

/** Kinds that snapshots serve and that Kubernetes serves anyway, and those of which requests name no more than the plural. */
export function knownTypes(
  snapshots: readonly (Snapshot | undefined)[],
  requests: readonly AuditedRequest[],
): ResourceTypes {
  const served = [...snapshots.flatMap((snapshot) => snapshot?.types.all ?? []), ...builtInTypes];
  const known = new Set(served.map(groupResourceOf));
  const others = new Map<string, ResourceType>();
  for (const { group, resource, namespace } of requests) {
    const name = groupResourceOf({ group, resource });
    if (known.has(name) || others.has(name)) continue;
    others.set(name, onlyNamed(group, resource, namespace !== ''));
  }
  return new ResourceTypes([...served, ...others.values()], { exhaustive: false });
}

/** A kind of which the plural is all that is known; its version is left empty. */
function onlyNamed(group: string, resource: string, namespaced: boolean): ResourceType {
  return {
    group,
    version: '',
    kind: resource,
    resource,
    singular: resource.replace(/(?<=.)s$/, ''),
    shortNames: [],
    categories: [],
    namespaced,
    verbs: [],
  };
}
