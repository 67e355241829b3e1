import { type ContainerGcPolicy, defaultContainerGcPolicy } from '../containers/container-gc.ts';
import { defaultEvictionHard } from '../eviction/eviction-thresholds.ts';
import type { ImageGcPolicy } from '../images/image-policy.ts';

/**
 * The settings of a kubelet that control the removal of images and containers. Ages in
 * milliseconds.
 */
export interface KubeletGcSettings {
  readonly images: ImageGcPolicy;
  readonly containers: ContainerGcPolicy;
  readonly evictionHard: Readonly<Record<string, string>>;
  readonly evictionSoft: Readonly<Record<string, string>>;
  /** How long a soft threshold has to be met before the kubelet acts, as a Go duration. */
  readonly evictionSoftGracePeriod: Readonly<Record<string, string>>;
  /** How many images the Node's status lists at most; -1: all. */
  readonly nodeStatusMaxImages: number;
}

/** Upstream's defaults, v1.36 (CFG-1, CFG-4, EV-1). */
export const defaultKubeletSettings: KubeletGcSettings = {
  images: {
    highThresholdPercent: 85,
    lowThresholdPercent: 80,
    minAge: 120_000,
    maxAge: 0,
  },
  containers: defaultContainerGcPolicy,
  evictionHard: defaultEvictionHard,
  evictionSoft: {},
  evictionSoftGracePeriod: {},
  nodeStatusMaxImages: 50,
};
