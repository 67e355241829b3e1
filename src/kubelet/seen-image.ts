/** What is known of an image from outside; the kubelet's own memory cannot be read (VIS-1). */
export interface SeenImage {
  readonly size: number;
  readonly pinned: boolean;
  readonly inUse: boolean;
  /** Something that nobody could see may keep it: a pin, a volume, a dead container of a deleted pod. */
  readonly doubtful: boolean;
  /** Epoch milliseconds; `never`: the kubelet saw no container of it; undefined: not known. */
  readonly lastUsed: number | 'never' | undefined;
  /** Epoch milliseconds; undefined: not known, and taken to be older than the minimum age. */
  readonly firstDetected: number | undefined;
}
