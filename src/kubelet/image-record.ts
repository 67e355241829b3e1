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
