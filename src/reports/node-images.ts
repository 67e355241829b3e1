import { timeOf } from '../kube/timestamp.ts';
import { diskOf, triggerBytes, usagePercent } from '../kubelet/disk-usage.ts';
import type { ImageFate, ImageReason } from '../kubelet/image-outlook.ts';
import type { ImageGcPolicy } from '../kubelet/image-record.ts';
import type { KnownImageUser } from '../kubelet/image-users.ts';
import type { NodeFacts, SettingsSource } from '../kubelet/node-facts.ts';
import { imagesOf, nodeOutlook, type UsedImage } from '../kubelet/node-images.ts';
import type { DiskLayout, Reclaim } from '../kubelet/node-reclaim.ts';
import { reclaimedImages } from '../kubelet/reclaimed-images.ts';
import { type EvictionThresholdReport, evictionReport } from './eviction.ts';
import { imageBecause } from './image-because.ts';
import { type ImagePassReport, imagePassReport } from './image-pass.ts';
import { imageRemarks } from './image-remarks.ts';

/** What the kubelet of one node would remove of its images. */
export interface NodeImages {
  readonly node: string;
  /** RFC 3339. */
  readonly observedAt: string;
  /** Where images, their users and settings were read. */
  readonly sources: {
    readonly images: 'runtime' | 'kubelet' | 'api' | 'none';
    readonly containers: 'runtime' | 'kubelet' | 'api' | 'none';
    readonly settings: SettingsSource | 'flags';
  };
  readonly settings: ImageSettings;
  readonly disk?: ImageDisk;
  readonly pass: ImagePassReport;
  /** With other settings: what the present ones do. */
  readonly present?: { readonly settings: ImageSettings; readonly pass: ImagePassReport };
  readonly images: readonly NodeImageItem[];
  readonly eviction: {
    /** Left out where the disks were not measured. */
    readonly layout?: DiskLayout;
    readonly thresholds: readonly EvictionThresholdReport[];
    /** All that reaching the thresholds does to free disk, in its order. */
    readonly reclaims: readonly Reclaim[];
    /** Images that go then; those too that only containers keep which are deleted before. */
    readonly unusedImages: number;
    readonly unusedBytes: number;
  };
  readonly remarks: readonly string[];
}

export interface ImageSettings {
  readonly highThresholdPercent: number;
  readonly lowThresholdPercent: number;
  readonly minimumAgeSeconds: number;
  readonly maximumAgeSeconds: number;
}

export interface ImageDisk {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  /** Rounded up, as the kubelet does. */
  readonly usedPercent: number;
  /** A pass frees space when fewer bytes are available. */
  readonly triggersBelowBytes: number;
}

export interface NodeImageItem {
  readonly id?: string;
  readonly names: readonly string[];
  readonly sizeBytes: number;
  readonly pinned?: boolean;
  readonly usedBy: readonly KnownImageUser[];
  /** RFC 3339, `now` while it is in use, `never`; left out where it is not known. */
  readonly lastUsed?: string;
  /** RFC 3339. */
  readonly firstDetected?: string;
  readonly fate: ImageFate;
  readonly reason: ImageReason;
  readonly because: string;
  readonly rule: string;
}

/** Judges the images of a node, under other settings with `whatIf`. */
export function nodeImages(
  facts: NodeFacts,
  whatIf?: (present: ImageGcPolicy) => ImageGcPolicy,
): NodeImages {
  const now = Date.parse(facts.observedAt);
  const present = facts.settings.images;
  const policy = whatIf?.(present) ?? present;
  const seen = imagesOf(facts);
  const outlook = nodeOutlook(facts, seen, policy, now);
  const disk = facts.imageFs && diskOf(facts.imageFs.capacityBytes, facts.imageFs.availableBytes);
  const noCapacity = facts.imageFs !== undefined && disk === undefined;
  const pass = imagePassReport(outlook, policy, disk, noCapacity);
  const thresholds = evictionReport(facts.settings, facts.observations, facts.layout);
  const reclaims = new Set(thresholds.flatMap((one) => one.reclaims));
  const tried = { ...facts, settings: { ...facts.settings, images: policy } };
  const reclaimed = reclaimedImages(tried, [...reclaims], now);
  return {
    node: facts.node,
    observedAt: facts.observedAt,
    sources: {
      images: facts.imagesSource ?? 'none',
      containers: facts.containersSource ?? 'none',
      settings: whatIf ? 'flags' : facts.settingsSource,
    },
    settings: settingsOf(policy),
    ...(disk && {
      disk: {
        capacityBytes: disk.capacity,
        availableBytes: disk.available,
        usedPercent: usagePercent(disk),
        triggersBelowBytes: triggerBytes(disk.capacity, policy.highThresholdPercent),
      },
    }),
    pass,
    ...(whatIf && {
      present: {
        settings: settingsOf(present),
        pass: imagePassReport(nodeOutlook(facts, seen, present, now), present, disk, noCapacity),
      },
    }),
    images: outlook.images.map(({ image, fate, reason }) => ({
      ...itemOf(image),
      fate,
      reason,
      ...imageBecause(reason, policy, image.users),
    })),
    eviction: {
      ...(facts.layout && { layout: facts.layout }),
      thresholds,
      reclaims: [...reclaims],
      unusedImages: reclaimed.length,
      unusedBytes: reclaimed.reduce((sum, { image }) => sum + image.size, 0),
    },
    remarks: imageRemarks(facts, policy),
  };
}

function itemOf({ image, users, inUse }: UsedImage) {
  const { id, names, size, pinned, lastUsed, firstDetected } = image;
  const used = inUse ? 'now' : typeof lastUsed === 'number' ? timeOf(lastUsed) : lastUsed;
  return {
    ...(id !== undefined && { id }),
    names,
    sizeBytes: size,
    ...(pinned !== undefined && { pinned }),
    usedBy: users,
    ...(used !== undefined && { lastUsed: used }),
    ...(firstDetected !== undefined && { firstDetected: timeOf(firstDetected) }),
  };
}

function settingsOf(policy: ImageGcPolicy): ImageSettings {
  return {
    highThresholdPercent: policy.highThresholdPercent,
    lowThresholdPercent: policy.lowThresholdPercent,
    minimumAgeSeconds: policy.minAge / 1000,
    maximumAgeSeconds: policy.maxAge / 1000,
  };
}
