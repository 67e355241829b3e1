/** An image as the container runtime lists it. */
export interface RuntimeImage {
  readonly id: string;
  /** Bytes; layers that images share count in each of them. */
  readonly size: number;
  readonly pinned?: boolean | undefined;
  /** Empty or undefined for the default handler. */
  readonly runtimeHandler?: string | undefined;
}

/** What a container keeps from being removed: its image and the images it mounts, whether it runs or not. */
export interface ImageUser {
  /** `image_id` of the runtime, or `image_ref` where that is empty. */
  readonly imageId: string;
  readonly runtimeHandler?: string | undefined;
  /** Ids of the images it mounts as volumes. */
  readonly mountedImages?: readonly string[] | undefined;
}

/** What the kubelet remembers of an image; lost when it restarts. Times are epoch milliseconds. */
export interface ImageRecord {
  readonly id: string;
  readonly runtimeHandler: string;
  readonly firstDetected: number;
  /** The last detection that saw a container of it; undefined: never (upstream's zero time). */
  readonly lastUsed: number | undefined;
  readonly size: number;
  readonly pinned: boolean;
}

/** By image id, or `id,handler` where the kubelet tells handlers apart. */
export type ImageRecords = ReadonlyMap<string, ImageRecord>;

/** Ages in milliseconds. */
export interface ImageGcPolicy {
  readonly highThresholdPercent: number;
  readonly lowThresholdPercent: number;
  readonly minAge: number;
  /** 0: images are not removed for their age. */
  readonly maxAge: number;
}

/** What is known of an image from outside; the kubelet's own memory cannot be read (VIS-1). */
export interface SeenImage {
  readonly size: number;
  readonly pinned: boolean;
  readonly inUse: boolean;
  /**
   * Something that was not read may keep it: a pin, a volume, a dead container of a deleted pod.
   */
  readonly doubtful: boolean;
  /** Epoch milliseconds; `never`: the kubelet saw no container of it; undefined: not known. */
  readonly lastUsed: number | 'never' | undefined;
  /** Epoch milliseconds; undefined: not known, and taken to be older than the minimum age. */
  readonly firstDetected: number | undefined;
}

/** What the image manager refuses to start with, in upstream's words (CFG-3); undefined: nothing. */
export function imagePolicyFault(policy: ImageGcPolicy): string | undefined {
  const { highThresholdPercent: high, lowThresholdPercent: low } = policy;
  if (high < 0 || high > 100) {
    return `invalid HighThresholdPercent ${high}, must be in range [0-100]`;
  }
  if (low < 0 || low > 100) return `invalid LowThresholdPercent ${low}, must be in range [0-100]`;
  if (low > high) {
    return `LowThresholdPercent ${low} can not be higher than HighThresholdPercent ${high}`;
  }
  return undefined;
}

/** Does the kubelet run image passes at all (IMG-2)? Eviction removes images either way. */
export function imageGcRuns({ highThresholdPercent, maxAge }: ImageGcPolicy): boolean {
  return highThresholdPercent !== 100 || maxAge !== 0;
}
