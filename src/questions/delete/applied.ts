import { deliveriesAmong } from '../../delivery/deliveries.ts';
import { inventoryOf, nameOfTool, toolOf, verbOfTool } from '../../delivery/tools.ts';
import { countsByKind } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { type Graph, idOf } from '../../snapshot/graph/graph.ts';
import { dependentsOf, type Subgraph } from '../owners/subgraph.ts';

/** From the object of a delivery tool to one that it applied, which is no owner reference. */
export interface AppliedEdge {
  /** `Flux Kustomization`. */
  readonly by: string;
  /** The id of the tool's object. */
  readonly tool: string;
  /** The id of what it applied. */
  readonly object: string;
  /** Why it stays when the tool's object is deleted; left out where the tool deletes it then. */
  readonly stays?: string;
}

/** `Flux Kustomization would delete it`: what the tool does, and no verdict of the garbage collector. */
export function appliedInWords({ by, stays }: AppliedEdge): string {
  return stays === undefined ? `${by} would delete it` : `${by} leaves it: ${stays}`;
}

/** The dependents of some objects by references, and below these the objects that delivery tools applied. */
export function appliedBelow(
  graph: Graph,
  starts: readonly ObjectRecord[],
): { readonly part: Subgraph; readonly applied: readonly AppliedEdge[] } {
  const deliveries = deliveriesAmong(graph.snapshot.records);
  const applied: AppliedEdge[] = [];
  const part = dependentsOf(graph, starts, (tool) => {
    const by = toolOf(tool)?.title;
    const delivered = by === undefined ? [] : deliveries.below(tool);
    return delivered.map(({ record, stays }) => {
      const edge = { by: by ?? '', tool: idOf(tool), object: idOf(record) };
      applied.push({ ...edge, ...(stays !== undefined && { stays }) });
      return record;
    });
  });
  return { part, applied };
}

/** What a delivery tool says that it applied: `Flux Kustomization flux-system/apps applied 3 Deployments; …`. */
export function appliedIn({ snapshot }: Graph, root: ObjectRecord): string | undefined {
  const inventory = inventoryOf(root);
  if (!inventory) return undefined;
  const who = `${nameOfTool(root)} ${verbOfTool(root)}`;
  if (inventory === 'unknown') return `What ${who} was not read.`;
  const { entries, cluster, keepsAllBecause: leaves } = inventory;
  const marked = deliveriesAmong(snapshot.records).below(root);
  const objects = entries.length > 0 ? entries : marked.map(({ record }) => referenceTo(record));
  if (objects.length === 0) return undefined;
  const where = cluster === undefined ? '' : ` to ${cluster}`;
  const fate =
    leaves === '' ? 'it deletes them when it is deleted itself' : `they stay without it: ${leaves}`;
  return `${who} ${countsByKind(objects)}${where}; ${fate}.`;
}
