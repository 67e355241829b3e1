import { knownFinalizer } from '../../controllers/finalizers/known-finalizers.ts';
import { protections } from '../../controllers/finalizers/protection.ts';
import { whySilent } from '../../controllers/nodes/silent-node.ts';
import { compareText } from '../../kube/names.ts';
import { FOREGROUND, isBeingDeleted, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import { compareObjects, type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import { isNamespace, specFinalizersOf } from '../../kube/well-known-kinds.ts';
import { CRD_CLEANUP } from '../../simulator/api-server/delete-object.ts';
import type { removersIn } from './finalizer-programs.ts';
import type { FinalizerWait, KubeletWait, Wait } from './plan.ts';
import { relationsAmong } from './relations.ts';
import type { TouchedObject } from './touched-objects.ts';

/** Does the garbage collector remove it, when it is done with the dependents? */
export function isOfDependents(finalizer: string): boolean {
  return finalizer === FOREGROUND || finalizer === ORPHAN;
}

/** Does the namespace controller remove it from the spec of a Namespace, once that has no content? */
function isOfContent(finalizer: string): boolean {
  return finalizer === 'kubernetes';
}

/** The simulator removes the protections of claims and volumes, and those of other kinds. */
const conditional: ReadonlySet<string> = new Set([
  ...protections.map(({ finalizer }) => finalizer),
  'kubernetes.io/pvc-protection',
  'kubernetes.io/pv-protection',
]);

/** Does a program remove the finalizer that is not simulated? */
export function isForeign(finalizer: string): boolean {
  return (
    finalizer !== CRD_CLEANUP &&
    !conditional.has(finalizer) &&
    !isOfDependents(finalizer) &&
    !isOfContent(finalizer)
  );
}

/**
 * Finalizers by who removes them, in the order in which a play takes them for removed: other programs, Kubernetes once a
 * condition is met, the garbage collector, the namespace controller. The removal of the first often leads to that of the
 * others: a pod is deleted, then the claim that it used, then the owner that waited for the claim in the foreground.
 */
export const finalizerGroups: readonly ((finalizer: string) => boolean)[] = [
  isForeign,
  (finalizer) => conditional.has(finalizer),
  isOfDependents,
  isOfContent,
];

/** What blocks an object that is being deleted: its finalizers and, of a Namespace, those of its spec. */
export function blockingFinalizers(end: ObjectRecord): readonly string[] {
  if (!isBeingDeleted(end)) return [];
  return isNamespace(end) ? [...end.finalizers, ...specFinalizersOf(end)] : end.finalizers;
}

/** Which controller of Kubernetes removes a finalizer. The garbage collector may never do so: of objects that wait for each other. */
function ownRemover(finalizer: string): Pick<FinalizerWait, 'removedBy'> {
  if (isOfDependents(finalizer)) return {};
  return { removedBy: knownFinalizer(finalizer)?.setBy.title ?? 'namespace controller' };
}

/** Silent Nodes, by the keys of pods whose end their kubelets have to confirm. */
export type Confirmed = ReadonlyMap<string, ObjectRecord>;

/** What is done in the play that goes on to the end, and nothing simulated does. */
interface Done {
  readonly removed: Released;
  readonly confirmed: Confirmed;
  readonly removerOf: ReturnType<typeof removersIn>;
}

/** Which of that leads to what becomes of an object in the end. */
interface Waits {
  /** Those that are known to; none where nothing that is known leads to the object. */
  readonly of: (object: TouchedObject) => Wait[];
  /** All of them, of whatever object. */
  readonly all: () => Wait[];
}

/**
 * An object waits for the removal of its finalizers and for the kubelet of its Node. If it waits for its dependents, its
 * content or the Pods that use it, it waits for their finalizers and kubelets, too. If it is reached only after finalizers are
 * removed, it waits for the blockers of the object with which it is deleted.
 */
export function waitsAmong(
  touched: readonly TouchedObject[],
  { removed, confirmed, removerOf }: Done,
): Waits {
  const { below, above, home, tools, users, followed } = relationsAmong(touched);
  const waitsOn = (objects: Iterable<TouchedObject>): Wait[] =>
    [...objects]
      .flatMap(({ key, record, identity: object }): Wait[] => {
        const node = confirmed.get(key);
        const finalizers = (removed.get(key) ?? []).map((finalizer) => ({
          finalizer,
          object,
          ...(isForeign(finalizer) ? removerOf(finalizer, record.type) : ownRemover(finalizer)),
        }));
        return node ? [...finalizers, kubeletWait(node, object)] : finalizers;
      })
      .sort((a, b) => compareObjects(a.object, b.object) || compareText(whatOf(a), whatOf(b)));
  return {
    of: (object) => {
      const seen = new Set<TouchedObject>([object]);
      for (const at of seen) {
        const next = isHolding(at)
          ? [...below(at).filter(isHolding), ...users(at).filter(({ end }) => end !== undefined)]
          : [...above(at), ...home(at), ...followed(at), ...tools(at)];
        for (const other of next) seen.add(other);
      }
      return waitsOn(seen);
    },
    all: () => waitsOn(touched),
  };
}

function kubeletWait(node: ObjectRecord, object: ObjectReference): KubeletWait {
  return { kubelet: node.name, object, alive: 'no', aliveBecause: whySilent(node) };
}

function whatOf(wait: Wait): string {
  return 'finalizer' in wait ? wait.finalizer : wait.kubelet;
}

/** Is it on its way, so that what it belongs to waits for it? */
function isHolding({ end }: TouchedObject): boolean {
  return end !== undefined && isBeingDeleted(end);
}

/** Finalizers that are removed in the course of a deletion, by the object's key. */
export type Released = ReadonlyMap<string, readonly string[]>;

/** The records without these finalizers, except for those that only a request removes. */
export function withoutFinalizers(
  records: readonly ObjectRecord[],
  released: Released,
): readonly ObjectRecord[] {
  if (released.size === 0) return records;
  return records.map((record) => {
    const free = released.get(objectKey(record));
    if (!free) return record;
    if (isNamespace(record)) {
      // Where they were not read, the one that every Namespace has.
      return { ...record, facts: { ...record.facts, specFinalizers: specFinalizersOf(record) } };
    }
    if (isReleasedLate(record)) return record;
    const finalizers = record.finalizers.filter((name) => !free.includes(name));
    return { ...record, finalizers };
  });
}

/**
 * Does a request remove its finalizers in the end? What is being deleted already disappears with the last one, and a
 * Namespace after its content.
 */
export function isReleasedLate(record: ObjectRecord): boolean {
  return isBeingDeleted(record) || isNamespace(record);
}
