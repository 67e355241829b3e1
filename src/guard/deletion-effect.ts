/** What follows from a deletion, as far as rules and warnings consider it. */
export interface DeletionEffect {
  /** How many objects may be deleted, the one that is asked for included: an upper bound of what was read. */
  readonly objects: number;
  /** `3 Pods, 1 ReplicaSet` */
  readonly kinds: string;
  /** Was something not read that may hold more, or did it take too long to play the deletion? */
  readonly isExact: boolean;
  /** What to say, what weighs most first; empty: nothing but the object is deleted. */
  readonly lines: readonly string[];
  readonly losesVolumes: boolean;
  /** One of the objects that would be deleted and are protected, in words. */
  readonly protectedObject: string | undefined;
  /** Does it leave objects that wait for a program that would be deleted? */
  readonly leavesWithoutProgram: boolean;
}
