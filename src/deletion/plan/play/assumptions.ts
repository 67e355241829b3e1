import type { PropagationPolicy } from '../../../controllers/garbage-collector/judge.ts';
import { type Deliveries, deletedWith } from '../../../delivery/deliveries.ts';
import { inventoryOf } from '../../../delivery/tools.ts';
import type { ObjectRecord } from '../../../kube/object-record.ts';
import { objectKey } from '../../../kube/object-reference.ts';
import { silentNodesAmong } from '../../../simulator/kubelet.ts';
import type { Refusals } from '../proven-refusals.ts';
import {
  blockingFinalizers,
  finalizerGroups,
  type StrippedFinalizers,
} from './blocking-finalizers.ts';
import type { Scope } from './scope.ts';
import type { TouchedObject } from './touched-objects.ts';

/** What a play takes for done by programs that the simulator does not run. */
export interface Assumptions {
  readonly strippedFinalizers: StrippedFinalizers;
  /** The Nodes without a responsive kubelet, by the uids of the Pods whose end is confirmed all the same. */
  readonly silentNodeOfPod: ReadonlyMap<string, ObjectRecord>;
  /** The refusals of webhooks without a server, by the uids of the objects that are deleted all the same. */
  readonly liftedRefusals: Refusals;
  /** The deletions by delivery tools, by the key of the deleted object. */
  readonly toolDeletions: ReadonlyMap<string, ToolDeletion>;
}

/** An object that a delivery tool deletes when its own object is deleted. */
export interface ToolDeletion {
  readonly record: ObjectRecord;
  readonly tool: ObjectRecord;
  readonly policy: PropagationPolicy;
  /** The tool deletes it only after its own object was removed. */
  readonly isLate: boolean;
}

export const nothingAssumed: Assumptions = {
  strippedFinalizers: new Map(),
  silentNodeOfPod: new Map(),
  liftedRefusals: new Map(),
  toolDeletions: new Map(),
};

/**
 * Adds the deletions by tools whose own objects are removed at the end of a play; the same assumptions if there are no
 * more.
 */
export function withToolsGone(
  assumed: Assumptions,
  tools: readonly ObjectRecord[],
  left: readonly ObjectRecord[],
  deliveries: Deliveries,
): Assumptions {
  const uids = new Set(left.map(({ uid }) => uid));
  const gone = tools.filter(({ uid }) => !uids.has(uid));
  const deleted = gone.flatMap((tool) => deletionsBy(tool, deliveries));
  const toolDeletions = new Map([...assumed.toolDeletions, ...deleted]);
  return toolDeletions.size === assumed.toolDeletions.size
    ? assumed
    : { ...assumed, toolDeletions };
}

/**
 * Adds what still blocks an object at the end of a play: kubelets that do not respond, webhooks without a server, and the
 * finalizers of the first group that has any. The same assumptions if nothing blocks an object any more.
 */
export function withAllReleased(
  assumed: Assumptions,
  touched: readonly TouchedObject[],
  left: readonly ObjectRecord[],
  { deliveries, proven }: Pick<Scope, 'deliveries' | 'proven'>,
): Assumptions {
  const answering =
    assumed.liftedRefusals.size < proven.size ? { ...assumed, liftedRefusals: proven } : assumed;
  const released = withKubeletsReleased(answering, touched, left);
  for (const isOfGroup of finalizerGroups) {
    const more = withFinalizersReleased(released, touched, deliveries, isOfGroup);
    if (more !== assumed) return more;
  }
  return assumed;
}

function withKubeletsReleased(
  assumed: Assumptions,
  touched: readonly TouchedObject[],
  left: readonly ObjectRecord[],
): Assumptions {
  const silentNodeOf = silentNodesAmong(left);
  const more = touched.flatMap(({ ends: { released: end } }) => {
    const node = end && silentNodeOf(end);
    return node && end.uid !== '' && !assumed.silentNodeOfPod.has(end.uid)
      ? [[end.uid, node] as const]
      : [];
  });
  if (more.length === 0) return assumed;
  return { ...assumed, silentNodeOfPod: new Map([...assumed.silentNodeOfPod, ...more]) };
}

function withFinalizersReleased(
  assumed: Assumptions,
  touched: readonly TouchedObject[],
  deliveries: Deliveries,
  isOfGroup: (finalizer: string) => boolean,
): Assumptions {
  const strippedFinalizers = new Map(assumed.strippedFinalizers);
  const toolDeletions = new Map(assumed.toolDeletions);
  let isMore = false;
  for (const { key, ends, record } of touched) {
    if (!ends.released) continue;
    const known = strippedFinalizers.get(key) ?? [];
    const blocking = blockingFinalizers(ends.released).filter(
      (finalizer) => isOfGroup(finalizer) && !known.includes(finalizer),
    );
    if (blocking.length === 0) continue;
    isMore = true;
    strippedFinalizers.set(key, [...known, ...blocking]);
    for (const [other, deletion] of deletionsBy(record, deliveries)) {
      toolDeletions.set(other, deletion);
    }
  }
  return isMore ? { ...assumed, strippedFinalizers, toolDeletions } : assumed;
}

function deletionsBy(tool: ObjectRecord, deliveries: Deliveries): [string, ToolDeletion][] {
  const inventory = inventoryOf(tool);
  if (!inventory || inventory === 'unknown') return [];
  const { policy, finalizer } = inventory;
  const isLate = finalizer === undefined;
  return deletedWith(deliveries, tool).map((record) => [
    objectKey(record),
    { record, tool, policy, isLate },
  ]);
}

/** Does a tool delete what it applied only after its own object was removed? */
export function deletesLater(record: ObjectRecord): boolean {
  const inventory = inventoryOf(record);
  if (!inventory || inventory === 'unknown') return false;
  const { finalizer, keepsAllBecause, cluster } = inventory;
  return finalizer === undefined && keepsAllBecause === '' && cluster === undefined;
}
