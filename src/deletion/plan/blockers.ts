import { kindCounts } from '../../kube/counts-by-kind.ts';
import { FOREGROUND, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import { objectKey } from '../../kube/object-reference.ts';
import { nodeNameOf, notRead } from '../../kube/pod-use.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import {
  isCustomResourceDefinition,
  isNamespace,
  isPod,
  specFinalizersOf,
} from '../../kube/well-known-kinds.ts';
import { knownFinalizer } from '../../programs/known-finalizers.ts';
import { CRD_CLEANUP } from '../../simulator/api-server/delete-object.ts';
import { silentNodesAmong } from '../../simulator/controllers/kubelet.ts';
import type { Simulation } from '../../simulator/simulate.ts';
import type { Blocker } from './plan.ts';

/** The blocker of an object whose deletion does not end, and the reason in words. */
interface Held {
  readonly because: string;
  readonly blockedBy: readonly Blocker[];
}

/** Answers for each object that a simulation leaves terminating. */
export function blockersIn(simulation: Simulation): (end: ObjectRecord) => Held {
  const stuck = new Map(simulation.stuck.map((entry) => [objectKey(entry.object), entry]));
  const contentOf = contentCounts(simulation.objects);
  const silentNodeOf = silentNodesAmong(simulation.objects);
  return (end) => {
    const entry = stuck.get(objectKey(end));
    const blockedBy: Blocker[] = [];
    for (const finalizer of end.finalizers) {
      if (finalizer === FOREGROUND && entry && entry.on.length > 0) {
        for (const object of entry.on)
          blockedBy.push({ kind: 'dependent', name: `${object.kind} ${object.name}`, object });
      } else if (finalizer !== CRD_CLEANUP) blockedBy.push({ kind: 'finalizer', name: finalizer });
    }
    const content = isNamespace(end)
      ? namespaceBlockers(end, contentOf(end))
      : isCustomResourceDefinition(end)
        ? contentBlockers(contentOf(end))
        : [];
    for (const blocker of content) blockedBy.push(blocker);
    const node = nodeNameOf(end);
    const isAwaited = isPod(end) && (end.finalizers.length === 0 || silentNodeOf(end));
    if (isAwaited && node !== notRead) blockedBy.push({ kind: 'kubelet', name: node });
    const because = entry?.because ?? 'its deletion takes longer than was looked ahead';
    return {
      because: [because, ...end.finalizers.flatMap((one) => hintOf(one, end))].join('; '),
      blockedBy,
    };
  };
}

/** Of a finalizer that nothing simulates: who would remove it, and when. */
function hintOf(finalizer: string, { type }: ObjectRecord): string[] {
  const isSimulated = [FOREGROUND, ORPHAN, CRD_CLEANUP].includes(finalizer);
  return isSimulated || !knownFinalizer(finalizer, type) ? [] : [removalOf(finalizer, type)];
}

/** `the PVC protection controller removes kubernetes.io/pvc-protection when no pod uses the claim`. */
function removalOf(finalizer: string, type?: ResourceType): string {
  const known = knownFinalizer(finalizer, type);
  if (!known) return `it is unknown who removes ${finalizer}`;
  return `the ${known.setBy.title} removes ${finalizer} when ${known.removedWhen}`;
}

function namespaceBlockers(namespace: ObjectRecord, counts: Counts): Blocker[] {
  const content = contentBlockers(counts);
  if (content.length > 0) return content;
  return specFinalizersOf(namespace).map((name) => ({ kind: 'finalizer', name }));
}

type Counts = ReadonlyMap<string, number>;

function contentBlockers(counts: Counts): Blocker[] {
  return [...counts].sort().map(([resource, count]) => ({
    kind: 'content',
    name: `${count} ${resource}`,
  }));
}

/** How many objects of each kind a namespace or a definition still has; counted when first asked. */
function contentCounts(objects: readonly ObjectRecord[]): (container: ObjectRecord) => Counts {
  let namespaces: Map<string, ObjectRecord[]> | undefined;
  let kinds: Map<string, ObjectRecord[]> | undefined;
  const kindOf = ({ type }: ObjectRecord) => groupResourceOf(type);
  return (container) => {
    namespaces ??= Map.groupBy(objects, ({ namespace }) => namespace);
    kinds ??= Map.groupBy(objects, kindOf);
    const content = (isNamespace(container) ? namespaces : kinds).get(container.name) ?? [];
    return new Map(kindCounts(content.map(kindOf)));
  };
}
