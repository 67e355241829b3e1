import type { ObjectRecord } from '../kube/object-record.ts';
import type { ObjectLocation } from '../kube/object-reference.ts';

/** An object as an inventory names it: in whatever version. */
export interface Entry {
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects, and where the tool leaves it out. */
  readonly namespace: string;
  readonly name: string;
}

/** What a delivery tool has recorded in its own object, and what it does with it. */
export interface Inventory {
  readonly entries: readonly Entry[];
  /** By what objects say that they are its own, where that is not its place alone: see `marksOf`. */
  readonly marks?: readonly string[];
  /** Whether it acts on what is an entry and marked as its own, or on what is either. */
  readonly matchBy: 'both' | 'either';
  /** Why the tool leaves an object that it applied, when its own is deleted; undefined where it deletes it. */
  readonly keepReason: (record: ObjectRecord) => string | undefined;
  /** What the tool waits for, because of this object, before it deletes anything that it applied. */
  readonly waitsFor?: (record: ObjectRecord) => string | undefined;
  /**
   * The finalizer with which it deletes what it applied when its own object is deleted; undefined if it deletes
   * nothing then, because of `keepsAllBecause`, or only after its own object was removed.
   */
  readonly finalizer: string | undefined;
  /** `prune is false`, as what it applied stays; empty where it does not. */
  readonly keepsAllBecause: string;
  readonly policy: 'Background' | 'Foreground';
  /** The cluster that it applies to, in words; undefined: the one that its own object is in. */
  readonly cluster: string | undefined;
  /** Does it recreate an object that another client deletes, and when: `within its interval (10m)`. */
  readonly recreates: (record: ObjectRecord) => Recreation | undefined;
}

/** The inventory of a tool's own object, where it differs from the default. */
export type KnownInventory = Partial<Inventory>;

/** `when` where it does, `doubt` where it may not. */
export type Recreation = { readonly when: string } | { readonly doubt: string };

/** A tool that has its own kinds. */
export interface KindTool extends Tool {
  readonly group: string;
  readonly kind: string;
  readonly versions: readonly string[];
}

/** The key of an object's coordinates, whatever its version. */
export function entryKey({ group, kind, namespace, name }: Entry): string {
  return `${group} ${kind} ${namespace}/${name}`;
}

export function locationEntryKey({
  type: { group, kind },
  namespace,
  name,
}: ObjectLocation): string {
  return entryKey({ group, kind, namespace, name });
}

/** A kind of object by which a tool delivers others. */
export interface Tool {
  /** `Flux Kustomization`. */
  readonly title: string;
  /** What it did with the objects of its inventory, in a sentence; undefined: it applied them. */
  readonly verb?: 'has';
  /** The versions that can be read: other versions are unknown, and objects whose facts were not read are, too. Undefined: their metadata is enough. */
  readonly versions?: readonly string[];
  /** Its metadata is enough: facts need not be read. */
  readonly isKnownByMetadata?: true;
  /** To delete what it recreates, delete its own object: a single object cannot be removed from what it applies. */
  readonly isDeletedInstead?: true;
  /** What the object says; its facts were read. */
  readonly inventoryOf: (record: ObjectRecord) => KnownInventory;
}

/** Which object of a tool an object says that it was applied by. */
export interface AppliedBy {
  /** `Flux Kustomization flux-system/apps`. */
  readonly who: string;
  /** Its object; undefined for a tool that has none in the cluster, as Helm. */
  readonly by: Entry | undefined;
}
