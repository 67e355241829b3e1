import { builtInTypes } from '../../src/kube/built-in-types.ts';
import { groupResourceOf, type ResourceType } from '../../src/kube/resource-type.ts';

/** A built-in type by `pods` or `deployments.apps`. */
export function builtIn(resource: string): ResourceType {
  const type = builtInTypes.find((known) => groupResourceOf(known) === resource);
  if (!type) throw new Error(`${resource} is not built in`);
  return type;
}
