/** One entry of a Node's spec.taints. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  /** RFC 3339. */
  readonly timeAdded?: string;
}

/** Shared by every Node that has none. */
export const noTaints: readonly Taint[] = Object.freeze([]);

export const taintEffects: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
