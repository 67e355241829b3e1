import {
  FOREGROUND,
  isDeletingDependents,
  type ObjectRecord,
  ORPHAN,
  type OwnerReference,
} from '../../kube/object-record.ts';
import { kindAndName, type ObjectReference } from '../../kube/object-reference.ts';
import { sameReference, sameReferences } from '../api-server/api-server.ts';
import type { ListedFamilies } from './listed-families.ts';
import {
  alternateIdentity,
  identityOfReference,
  OwnershipNode,
  partitionDependents,
  sameCoordinates,
  sameIdentity,
} from './ownership-node.ts';

/** Where the graph sends what has to be looked at. */
interface GraphListener {
  attemptToDelete(node: OwnershipNode): void;
  /** For a virtual node that took on another identity (GC-25). */
  attemptToDeleteLater(node: OwnershipNode): void;
  attemptToOrphan(node: OwnershipNode): void;
  /** An observed owner is in another namespace than its dependent (GC-46). */
  invalidNamespace(dependent: OwnershipNode, ownerUid: string): void;
}

/**
 * The garbage collector's own graph of who depends on whom, kept up to date by watch events.
 * Mirrors GraphBuilder.processGraphChanges, pkg/controller/garbagecollector/graph_builder.go (GC-13
 * to GC-26).
 */
export class OwnershipGraph {
  /** What was listed: a family gets its nodes when one of them is first asked for. */
  listed: ListedFamilies | undefined;
  readonly #nodes = new Map<string, OwnershipNode>();
  readonly #absentOwners: AbsentOwnerCache;
  readonly #listener: GraphListener;
  readonly #identityOf: (record: ObjectRecord) => ObjectReference;

  constructor(
    absentOwners: AbsentOwnerCache,
    listener: GraphListener,
    identityOf: (record: ObjectRecord) => ObjectReference,
  ) {
    this.#absentOwners = absentOwners;
    this.#listener = listener;
    this.#identityOf = identityOf;
  }

  node(uid: string): OwnershipNode | undefined {
    const known = this.#nodes.get(uid);
    if (known || !this.listed) return known;
    const family = this.listed.take(uid).map((record) => this.insert(record));
    for (const node of family) this.linkAll(node);
    return this.#nodes.get(uid);
  }

  /** An informer's add or update event. */
  observe(before: ObjectRecord | undefined, after: ObjectRecord): void {
    if (!this.#nodes.has(after.uid) && this.listed?.update(after)) return;
    const found = this.node(after.uid);
    if (!found) {
      this.#link(this.insert(after), after.ownerReferences);
      this.startTransitions(before, after);
      return;
    }
    const node = this.#markObserved(found, after);
    node.seen = after;
    // Where two references have one uid, each update changes them.
    if (node.owners.length > 1 || !sameReferences(node.owners, after.ownerReferences)) {
      const { added, removed, changed } = referencesDiffs(node.owners, after.ownerReferences);
      this.#queueUnblockedOwners(removed, changed);
      node.owners = after.ownerReferences;
      this.#link(node, added);
      this.#unlink(node, removed);
    }
    if (after.deletionTimestamp !== undefined) node.beingDeleted = true;
    this.startTransitions(before, after);
  }

  /** Adds an observed node without linking it; `linkAll` must follow. */
  insert(record: ObjectRecord): OwnershipNode {
    const node = new OwnershipNode(this.#identityOf(record));
    node.seen = record;
    node.owners = record.ownerReferences;
    node.beingDeleted = record.deletionTimestamp !== undefined;
    node.deletingDependents = isDeletingDependents(record);
    this.#nodes.set(record.uid, node);
    return node;
  }

  linkAll(node: OwnershipNode): void {
    this.#link(node, node.owners);
  }

  /** Mirrors processTransitions: a deletion that now waits for dependents (GC-17). */
  startTransitions(before: ObjectRecord | undefined, after: ObjectRecord): void {
    if (after.deletionTimestamp === undefined) return;
    const node = this.node(after.uid);
    if (!node) return;
    if (starts(before, after, ORPHAN)) this.#listener.attemptToOrphan(node);
    else if (starts(before, after, FOREGROUND)) {
      node.deletingDependents = true;
      for (const dependent of node.dependents ?? []) this.#listener.attemptToDelete(dependent);
      this.#listener.attemptToDelete(node);
    }
  }

  /** An informer's delete event (GC-18). */
  forget(record: ObjectRecord): void {
    if (!this.#nodes.has(record.uid) && this.listed?.remove(record)) return;
    const found = this.node(record.uid);
    if (found) this.#remove(this.#markObserved(found, record), this.#identityOf(record));
  }

  /**
   * What a lookup proved absent, although no informer said so (GC-25). Upstream looks for an owner
   * that its dependents describe in several ways under each description in turn, without end: once
   * all are known to be absent, that is no news.
   */
  forgetVirtual(identity: ObjectReference, because: string): boolean {
    const node = this.node(identity.uid);
    if (!node) return false;
    if (node.isObserved && sameIdentity(node.identity, identity)) {
      this.#remove(node, identity, because);
      return true;
    }
    const { matching, other } = partitionDependents(node.dependents ?? [], identity);
    if (!node.isObserved && other.length === 0) {
      this.#remove(node, identity, because);
      return true;
    }
    const isNews = node.isObserved || node.proveAbsent(identity);
    if (matching.length > 0) {
      this.#absentOwners.add(identity, because);
      for (const dependent of matching) this.#listener.attemptToDelete(dependent);
    }
    if (node.isObserved || !sameIdentity(node.identity, identity)) return isNews;
    const alternate = alternateIdentity(other, identity);
    if (alternate) this.#listener.attemptToDeleteLater(this.#replace(node, alternate));
    return isNews;
  }

  #remove(node: OwnershipNode, identity: ObjectReference, because?: string): void {
    this.#nodes.delete(node.identity.uid);
    this.#unlink(node, node.owners);
    if (node.hasDependents) this.#absentOwners.add(identity, because);
    for (const dependent of node.dependents ?? []) this.#listener.attemptToDelete(dependent);
    for (const { uid } of node.owners) {
      const owner = this.node(uid);
      if (owner?.deletingDependents) this.#listener.attemptToDelete(owner);
    }
  }

  /** The first informer event for an owner that was only known from references (GC-19). */
  #markObserved(node: OwnershipNode, record: ObjectRecord): OwnershipNode {
    if (node.isObserved) return node;
    const identity = this.#identityOf(record);
    if (sameIdentity(node.identity, identity)) {
      node.seen = record;
      return node;
    }
    for (const dependent of partitionDependents(node.dependents ?? [], identity).other) {
      const { namespace } = dependent.identity;
      if (identity.namespace !== '' && namespace !== identity.namespace) {
        this.#listener.invalidNamespace(dependent, identity.uid);
      }
      this.#listener.attemptToDelete(dependent);
    }
    const observed = this.#replace(node, identity);
    observed.seen = record;
    return observed;
  }

  /**
   * A copy under another identity replaces the node; a worker that still has the old node
   * finds it stale.
   */
  #replace(node: OwnershipNode, identity: ObjectReference): OwnershipNode {
    const copy = new OwnershipNode(identity);
    copy.dependents = node.dependents && new Set(node.dependents);
    copy.owners = node.owners;
    copy.beingDeleted = node.beingDeleted;
    copy.deletingDependents = node.deletingDependents;
    copy.absentAs = node.absentAs;
    this.#nodes.set(identity.uid, copy);
    return copy;
  }

  /** Mirrors addDependentToOwners (GC-14). */
  #link(node: OwnershipNode, references: readonly OwnerReference[]): void {
    let suspicious = false;
    for (const reference of references) {
      const known = this.node(reference.uid);
      if (!known) {
        const { namespace } = node.identity;
        const virtual = new OwnershipNode(identityOfReference(reference, namespace));
        this.#nodes.set(reference.uid, virtual);
        virtual.addDependent(node);
        this.#listener.attemptToDelete(virtual);
        continue;
      }
      known.addDependent(node);
      suspicious ||= this.#mismatches(node, reference, known);
    }
    if (suspicious) this.#listener.attemptToDelete(node);
  }

  #mismatches(node: OwnershipNode, reference: OwnerReference, owner: OwnershipNode): boolean {
    const { namespace } = owner.identity;
    const elsewhere = namespace !== node.identity.namespace;
    if (namespace !== '' && elsewhere) {
      if (owner.isObserved) this.#listener.invalidNamespace(node, reference.uid);
      return true;
    }
    if (!sameCoordinates(reference, owner.identity)) return true;
    return elsewhere && !owner.isObserved;
  }

  #unlink(node: OwnershipNode, references: readonly OwnerReference[]): void {
    for (const { uid } of references) this.node(uid)?.dependents?.delete(node);
  }

  /** Mirrors addUnblockedOwnersToDeleteQueue (GC-16). */
  #queueUnblockedOwners(
    removed: readonly OwnerReference[],
    changed: readonly { readonly before: OwnerReference; readonly after: OwnerReference }[],
  ): void {
    const queue = (uid: string) => {
      const owner = this.node(uid);
      if (owner) this.#listener.attemptToDelete(owner);
    };
    for (const reference of removed) if (reference.blockOwnerDeletion) queue(reference.uid);
    for (const { before, after } of changed) {
      if (before.blockOwnerDeletion && !after.blockOwnerDeletion) queue(after.uid);
    }
  }
}

function starts(before: ObjectRecord | undefined, after: ObjectRecord, finalizer: string): boolean {
  if (after.deletionTimestamp === undefined || !after.finalizers.includes(finalizer)) return false;
  return before?.deletionTimestamp === undefined || !before.finalizers.includes(finalizer);
}

/**
 * By uid alone: of two references with one uid the second counts as added and the first as changed at each update, whatever the
 * update is about. Mirrors referencesDiffs, pkg/controller/garbagecollector/graph_builder.go (GC-15).
 */
function referencesDiffs(before: readonly OwnerReference[], after: readonly OwnerReference[]) {
  if (before.length === 0) return { added: after, removed: before, changed: [] };
  const old = new Map(before.map((reference) => [reference.uid, reference]));
  const left = new Set(old.keys());
  const added: OwnerReference[] = [];
  const changed: { before: OwnerReference; after: OwnerReference }[] = [];
  for (const reference of after) {
    const earlier = old.get(reference.uid);
    if (earlier && left.delete(reference.uid)) {
      if (!sameReference(earlier, reference)) changed.push({ before: earlier, after: reference });
    } else added.push(reference);
  }
  const removed = [...left].map((uid) => old.get(uid) as OwnerReference);
  return { added, removed, changed };
}

const capacity = 500;

/** The last 500 owners that were looked up and not found, under all their coordinates (GC-12). */
export class AbsentOwnerCache {
  readonly #known = new Map<string, string>();
  /** Of all that were added: most owners are none of them, and a key takes time to spell. */
  readonly #uids = new Set<string>();

  /** `because`: what the lookup found in place of the owner. */
  add(identity: ObjectReference, because = `${kindAndName(identity)} was deleted`): void {
    const key = identityKey(identity);
    this.#uids.add(identity.uid);
    this.#known.delete(key);
    this.#known.set(key, because);
    if (this.#known.size > capacity) {
      for (const oldest of this.#known.keys()) {
        this.#known.delete(oldest);
        break;
      }
    }
  }

  /** Why the owner counts as absent; undefined when it is not remembered. */
  whyAbsent(identity: ObjectReference): string | undefined {
    if (!this.#uids.has(identity.uid)) return undefined;
    const key = identityKey(identity);
    const because = this.#known.get(key);
    if (because === undefined) return undefined;
    this.#known.delete(key);
    this.#known.set(key, because);
    return because;
  }
}

function identityKey({ apiVersion, kind, namespace, name, uid }: ObjectReference): string {
  return `${uid} ${apiVersion} ${kind} ${namespace} ${name}`;
}
