import { knownFinalizer } from '../finalizers/known-finalizers.ts';
import { FOREGROUND, type ObjectRecord, ORPHAN } from '../kube/object-record.ts';
import { nodeNameOf, notRead } from '../kube/pod-use.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import {
  isCustomResourceDefinition,
  isNamespace,
  isPod,
  specFinalizersOf,
} from '../kube/well-known-kinds.ts';
import { CRD_CLEANUP } from '../simulator/api-server-delete.ts';
import type { Simulation } from '../simulator/simulate.ts';
import { keyOf, keyOfRecord } from './object-key.ts';
import type { Blocker } from './plan.ts';

/** What holds an object that cannot finish being deleted, and the reason in words. */
export interface Held {
  readonly because: string;
  readonly blockedBy: readonly Blocker[];
}

/** Answers for each object that a simulation leaves terminating. */
export function heldObjects(simulation: Simulation): (end: ObjectRecord) => Held {
  const stuck = new Map(simulation.stuck.map((entry) => [keyOf(entry.object), entry]));
  const contentOf = contentCounts(simulation.objects);
  return (end) => {
    const entry = stuck.get(keyOfRecord(end));
    const blockedBy: Blocker[] = [];
    for (const finalizer of end.finalizers) {
      if (finalizer === FOREGROUND && entry && entry.on.length > 0) {
        for (const object of entry.on)
          blockedBy.push({ kind: 'dependent', name: `${object.kind} ${object.name}`, object });
      } else if (finalizer !== CRD_CLEANUP) blockedBy.push({ kind: 'finalizer', name: finalizer });
    }
    if (isNamespace(end)) blockedBy.push(...namespaceBlockers(end, contentOf(end)));
    if (isCustomResourceDefinition(end)) blockedBy.push(...contentBlockers(contentOf(end)));
    const node = nodeNameOf(end);
    if (isPod(end) && end.finalizers.length === 0 && node !== notRead) {
      blockedBy.push({ kind: 'kubelet', name: node });
    }
    const because = entry?.because ?? 'its deletion takes longer than was looked ahead';
    return { because: [because, ...end.finalizers.flatMap(hintOf)].join('; '), blockedBy };
  };
}

/** Of a finalizer that nothing simulates: who would remove it, and when. */
function hintOf(finalizer: string): string[] {
  const isSimulated = [FOREGROUND, ORPHAN, CRD_CLEANUP].includes(finalizer);
  return isSimulated || !knownFinalizer(finalizer) ? [] : [removalOf(finalizer)];
}

/** `the PVC protection controller removes kubernetes.io/pvc-protection when no pod uses the claim`. */
export function removalOf(finalizer: string): string {
  const known = knownFinalizer(finalizer);
  if (!known) return `nobody knows who removes ${finalizer}`;
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
function contentCounts(objects: readonly ObjectRecord[]): (home: ObjectRecord) => Counts {
  let namespaces: Map<string, Map<string, number>> | undefined;
  let kinds: Map<string, number> | undefined;
  const count = () => {
    namespaces = new Map();
    kinds = new Map();
    for (const { namespace, type } of objects) {
      const resource = groupResourceOf(type);
      kinds.set(resource, (kinds.get(resource) ?? 0) + 1);
      if (namespace === '') continue;
      const counts = namespaces.get(namespace) ?? new Map<string, number>();
      namespaces.set(namespace, counts);
      counts.set(resource, (counts.get(resource) ?? 0) + 1);
    }
  };
  const none: Counts = new Map();
  return (home) => {
    if (!namespaces) count();
    if (isNamespace(home)) return namespaces?.get(home.name) ?? none;
    const instances = kinds?.get(home.name) ?? 0;
    return instances > 0 ? new Map([[home.name, instances]]) : none;
  };
}
