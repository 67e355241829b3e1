import { builtInTypes } from '../../kube/built-in-types.ts';
import { bareRecord, type ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';

/** The cluster-scoped object of a built-in resource, or, where it was not read, no more than its name. */
export function objectNamed(graph: Graph, resource: string, name: string): ObjectRecord {
  const type = typeOf(graph, resource);
  return graph.at(type, '', name) ?? bareRecord({ type, namespace: '', name });
}

function typeOf({ snapshot: { types } }: Graph, resource: string): ResourceType {
  const type =
    types.versions(resource)[0] ??
    builtInTypes.find((builtIn) => groupResourceOf(builtIn) === resource);
  if (!type) throw new Error(`${resource} is no built-in resource`);
  return type;
}
