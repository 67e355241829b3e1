import { defaultContainerGcPolicy } from '../containers/container-gc.ts';
import { defaultEvictionHard } from '../eviction/eviction-thresholds.ts';
import type { KubeletGcSettings } from '../node-facts.ts';

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
