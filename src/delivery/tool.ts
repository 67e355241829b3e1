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

/** What a delivery tool has written down of an object of its own, and what it does by that. */
export interface Inventory {
  readonly entries: readonly Entry[];
  /** By what objects say that they are its own, where that is not its place alone: see `marksOf`. */
  readonly marks?: readonly string[];
  /** Whether it acts on what is an entry and marked as its own, or on what is either. */
  readonly holds: 'both' | 'either';
  /** Why the tool leaves an object that it applied, when its own is deleted; undefined where it deletes it. */
  readonly spares: (record: ObjectRecord) => string | undefined;
  /**
   * The finalizer by which it deletes what it applied when its own object is deleted; undefined where it does
   * nothing then, for `leaves`, or only once that is gone.
   */
  readonly finalizer: string | undefined;
  /** `prune is false`, as what it applied stays; empty where it does not. */
  readonly leaves: string;
  readonly policy: 'Background' | 'Foreground';
  /** The cluster that it applies to, in words; undefined: the one that its own object is in. */
  readonly cluster: string | undefined;
  /** Does it make an object again that somebody else deletes, and when: `within its interval (10m)`. */
  readonly again: (record: ObjectRecord) => Again | undefined;
}

/** What a tool tells of an object of its own, where it is not as with most. */
export type ToldInventory = Partial<Inventory>;

/** `when` where it does, `doubt` where it may not. */
export type Again = { readonly when: string } | { readonly doubt: string };

/** A tool whose objects are of a kind of its own. */
export interface KindTool extends Tool {
  readonly group: string;
  readonly kind: string;
  readonly versions: readonly string[];
}

/** Tells the place of an object, whatever its version. */
export function placeKey({ group, kind, namespace, name }: Entry): string {
  return `${group} ${kind} ${namespace}/${name}`;
}

export function placeOf({ type: { group, kind }, namespace, name }: ObjectLocation): string {
  return placeKey({ group, kind, namespace, name });
}

/** A kind of object by which a tool delivers others. */
export interface Tool {
  /** `Flux Kustomization`. */
  readonly title: string;
  /** What it did with the objects of its inventory, in a sentence; undefined: it applied them. */
  readonly verb?: 'has';
  /** The versions of which it is known what they say: others read as unknown, and so do objects whose facts were not read. Undefined: their metadata tells all. */
  readonly versions?: readonly string[];
  /** Its metadata tells enough: facts need not be read. */
  readonly isToldByMetadata?: true;
  /** What it makes again goes with its own object: nothing else can be taken out of what it applies. */
  readonly isDeletedInstead?: true;
  /** What the object says; its facts were read. */
  readonly inventoryOf: (record: ObjectRecord) => ToldInventory;
}

/** Which object of a tool an object says that it was applied by. */
export interface AppliedBy {
  /** `Flux Kustomization flux-system/apps`. */
  readonly who: string;
  /** Its object; undefined for a tool that has none in the cluster, as Helm. */
  readonly by: Entry | undefined;
}
