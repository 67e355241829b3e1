import { CRD_CLEANUP, FOREGROUND, type ObjectRecord } from '../../kube/object-record.ts';
import { kindAndName, type ObjectReference } from '../../kube/object-reference.ts';
import { type NotRead, nodeNameOf } from '../../kube/pod-use.ts';
import {
  isNamespace,
  isPod,
  namespaceFinalizer,
  specFinalizersOf,
} from '../../kube/well-known-kinds.ts';

/** What keeps an object from going. */
export interface Blocker {
  readonly kind: 'finalizer' | 'dependent' | 'kubelet' | 'content';
  /** The finalizer, or the object in words: `Pod web-1`. */
  readonly name: string;
  /** Where the blocker is an object. */
  readonly object?: ObjectReference;
}

/** What is known about an object that is being deleted beside its record. */
export interface BlockerContext {
  /** What is there and refers to it with blockOwnerDeletion. */
  readonly dependents: readonly ObjectReference[];
  /** What a Namespace or a definition still contains, in words: `3 pods`. */
  readonly content: readonly string[];
}

/** All that blocks an object that is being deleted. */
export function deletionBlockers(
  record: ObjectRecord,
  { dependents, content }: BlockerContext,
): Blocker[] {
  const blockers = record.finalizers.flatMap((name): Blocker[] => {
    if (name === FOREGROUND && dependents.length > 0) return dependents.map(blockingDependent);
    if (name === CRD_CLEANUP && content.length > 0) return contentBlockers(content);
    return [{ kind: 'finalizer', name }];
  });
  if (isNamespace(record)) {
    const entries = specFinalizersOf(record);
    const isOwn = (name: string) => name === namespaceFinalizer;
    if (entries.some(isOwn)) blockers.push(...contentBlockers(content));
    // An entry of another program blocks the Namespace whatever it still contains.
    const open = content.length > 0 ? entries.filter((name) => !isOwn(name)) : entries;
    for (const name of open) blockers.push({ kind: 'finalizer', name });
  }
  const node = awaitedKubelet(record);
  if (typeof node === 'string') blockers.push({ kind: 'kubelet', name: node });
  return blockers;
}

function blockingDependent(object: ObjectReference): Blocker {
  return { kind: 'dependent', name: kindAndName(object), object };
}

function contentBlockers(content: readonly string[]): Blocker[] {
  return content.map((name) => ({ kind: 'content', name }));
}

/**
 * The Node whose kubelet has to confirm that a pod which is being deleted has stopped; undefined where none has to: with a grace
 * period of 0, which a kubelet's own request has, the API server waits for no kubelet (GC-61, GC-63).
 */
export function awaitedKubelet(record: ObjectRecord): string | NotRead | undefined {
  if (!isPod(record) || record.deletionGracePeriodSeconds === 0) return undefined;
  return nodeNameOf(record) || undefined;
}

/** Objects by the uids of the owners whose foreground deletion they block. Only an explicit true blocks (GC-7). */
export function dependentsThatBlock<Dependent extends Pick<ObjectRecord, 'ownerReferences'>>(
  all: Iterable<Dependent>,
): ReadonlyMap<string, readonly Dependent[]> {
  const byOwner = new Map<string, Dependent[]>();
  for (const dependent of all) {
    for (const { uid, blockOwnerDeletion } of dependent.ownerReferences) {
      if (blockOwnerDeletion !== true) continue;
      const others = byOwner.get(uid);
      if (!others) byOwner.set(uid, [dependent]);
      else if (others.at(-1) !== dependent) others.push(dependent);
    }
  }
  return byOwner;
}
