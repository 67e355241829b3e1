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

/** One setting under its names. */
export interface KubeletSetting {
  /** The field of KubeletConfiguration; undefined: it can only be set by its flag. */
  readonly field: string | undefined;
  readonly flag: string | undefined;
  readonly default: string;
  /** What to use instead of a deprecated flag. */
  readonly successor: string | undefined;
  readonly means: string;
}

/** Field, flag (-: none), default; what it means. */
const table = `
  imageGCHighThresholdPercent --image-gc-high-threshold 85
    usage that starts an image pass
  imageGCLowThresholdPercent --image-gc-low-threshold 80
    usage that an image pass goes down to
  imageMinimumGCAge --minimum-image-ttl-duration 2m
    younger unused images are kept when the disk is full
  imageMaximumGCAge - 0s
    images unused for longer go, however full the disk is; 0s turns this off
  nodeStatusMaxImages --node-status-max-images 50
    images that the Node's status lists
  evictionHard --eviction-hard memory.available<100Mi, nodefs.available<10%, nodefs.inodesFree<5%, imagefs.available<15%, imagefs.inodesFree<5%
    below these the eviction manager acts at once
  evictionSoft --eviction-soft
    below these it acts after evictionSoftGracePeriod
  - --minimum-container-ttl-duration 0s
    dead containers that were created later are kept
  - --maximum-dead-containers-per-container 1
    dead containers kept for each container of a pod; negative: all
  - --maximum-dead-containers -1
    dead containers kept on the node; negative: all
`;

/** Every setting that decides what a kubelet collects, with deprecated flags and what replaces them. */
export const kubeletSettings: readonly KubeletSetting[] = table
  .trim()
  .split(/\n {2}(?=\S)/)
  .map((row) => {
    const [words = '', means = ''] = row.split('\n').map((line) => line.trim());
    const [field, flag, ...value] = words
      .split(' ')
      .map((word) => (word === '-' ? undefined : word));
    const instead = field ?? 'evictionHard or evictionSoft';
    const successor = flag && `${instead} in the KubeletConfiguration file`;
    return { field, flag, default: value.join(' '), successor, means };
  });
