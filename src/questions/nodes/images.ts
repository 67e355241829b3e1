import { picked } from '../../kube/json-value.ts';
import type { DiskLayout, Reclaim } from '../../kubelet/eviction/eviction-thresholds.ts';
import { type Disk, diskOf, triggerBytes, usagePercent } from '../../kubelet/images/disk-usage.ts';
import type {
  ImageFate,
  ImageForecast,
  ImageRange,
  ImageReason,
} from '../../kubelet/images/image-forecast.ts';
import {
  imageGcPeriod,
  imageGcRuns,
  type SeenImage,
  shortfallMessage,
} from '../../kubelet/images/image-policy.ts';
import { type KnownImageUser, specUsers } from '../../kubelet/images/image-users.ts';
import { imagesOf, nodeImageForecast, reclaimedImages } from '../../kubelet/images/node-images.ts';
import type { ImageGcPolicy, NodeFacts, NodeReport } from '../../kubelet/node-facts.ts';
import type { DocumentHead } from '../../snapshot/snapshot.ts';
import { formatGoDuration } from '../../syntax/go-syntax.ts';
import {
  type EvictionThresholdReport,
  evictionReport,
  imageReasonInWords,
  nodeHead,
} from './node-document.ts';

/** `images`: what the kubelets of nodes would remove. */
export interface ImagesReport extends DocumentHead<'Images'> {
  readonly nodes: readonly NodeImages[];
}

export function imagesReport(facts: readonly NodeFacts[]): ImagesReport {
  return { ...nodeHead('Images', facts), nodes: facts.map(nodeImages) };
}

/** What the kubelet of one node would remove of its images. */
export interface NodeImages {
  readonly node: string;
  /** RFC 3339. */
  readonly observedAt: string;
  /** Where images, their users and settings were read. */
  readonly sources: {
    readonly images: 'runtime' | 'kubelet' | 'api' | 'none';
    readonly containers: 'runtime' | 'kubelet' | 'api' | 'none';
    readonly settings: NodeFacts['settingsSource'];
  };
  readonly settings: ImageSettings;
  readonly disk?: ImageDisk;
  /** What was reported of the disk besides what was measured. */
  readonly reports?: readonly NodeReport[];
  readonly pass: ImagePassReport;
  readonly images: readonly NodeImageItem[];
  readonly eviction: {
    /** Left out where the disks were not measured. */
    readonly layout?: DiskLayout;
    readonly thresholds: readonly EvictionThresholdReport[];
    /** All that reaching the thresholds does to free disk, in its order. */
    readonly reclaims: readonly Reclaim[];
    /** Images that are deleted then, also those that only containers use which are deleted before them. */
    readonly unusedImages: number;
    readonly unusedBytes: number;
  };
  readonly remarks: readonly string[];
}

export interface ImageSettings {
  readonly highThresholdPercent: number;
  readonly lowThresholdPercent: number;
  /** @minimum 0 */
  readonly minimumAgeSeconds: number;
  /**
   * 0: no limit.
   * @minimum 0
   */
  readonly maximumAgeSeconds: number;
}

interface ImageDisk {
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
  readonly fate: ImageFate;
  readonly reason: ImageReason;
  readonly because: string;
  readonly rule: string;
}

/** What the next image pass of a kubelet does. Ranges where the order of removal is not known. */
export interface ImagePassReport {
  /** Is the disk above the high threshold? */
  readonly triggered: 'yes' | 'no' | 'unknown';
  readonly because: string;
  readonly rule: string;
  /** How often the kubelet makes a pass. */
  readonly everySeconds: number;
  readonly bytesToFree?: number;
  readonly removedImages: ImageRange;
  readonly freedBytes: ImageRange;
  /** Bytes that will be missing to the low threshold. */
  readonly shortfallBytes: ImageRange;
  /** The disk afterwards, if images free as much as the runtime says that they hold. */
  readonly after?: { readonly availableBytes: ImageRange; readonly usedPercent: ImageRange };
  /** The warning that the kubelet writes on the Node when too little is freed. */
  readonly event?: string;
}

/** @internal */
export function nodeImages(facts: NodeFacts): NodeImages {
  const now = Date.parse(facts.observedAt);
  const { images: policy } = facts.settings;
  const forecast = nodeImageForecast(facts, imagesOf(facts), policy, now);
  const disk = facts.imageFs && diskOf(facts.imageFs.capacityBytes, facts.imageFs.availableBytes);
  const noCapacity = facts.imageFs !== undefined && disk === undefined;
  const pass = imagePassReport(forecast, policy, disk, noCapacity);
  const thresholds = evictionReport(facts);
  const reclaims = new Set(thresholds.flatMap((one) => one.reclaims));
  const reclaimed = reclaimedImages(facts, [...reclaims], now);
  return {
    ...picked(facts, 'node', 'observedAt'),
    sources: {
      images: facts.imagesSource ?? 'none',
      containers: facts.containersSource ?? 'none',
      settings: facts.settingsSource,
    },
    settings: imageSettings(policy),
    ...(disk && {
      disk: {
        capacityBytes: disk.capacity,
        availableBytes: disk.available,
        usedPercent: usagePercent(disk),
        triggersBelowBytes: triggerBytes(disk.capacity, policy.highThresholdPercent),
      },
    }),
    ...(facts.reports.length > 0 && { reports: facts.reports }),
    pass,
    images: forecast.images.map(({ image, fate, reason }) => ({
      ...picked(image.image, 'id', 'names'),
      sizeBytes: image.size,
      ...picked(image.image, 'pinned'),
      usedBy: image.users,
      fate,
      reason,
      ...imageReasonInWords(reason, policy, image.users),
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

function imageSettings(policy: ImageGcPolicy): ImageSettings {
  return {
    ...picked(policy, 'highThresholdPercent', 'lowThresholdPercent'),
    minimumAgeSeconds: policy.minAge / 1000,
    maximumAgeSeconds: policy.maxAge / 1000,
  };
}

function imageRemarks(facts: NodeFacts, policy: ImageGcPolicy): string[] {
  const { images, imagesSource, imagesCappedAt, containers, containersSource } = facts;
  if (images === undefined) return ['its images could not be read'];
  const lacks = (key: 'pinned' | 'lastUsed' | 'firstDetected') =>
    images.some((image) => image[key] === undefined);
  const isOfApi = imagesSource === 'api';
  const seesAll = containersSource === 'runtime';
  const unlisted = specUsers(facts).find(({ image }) => image === undefined);
  return [
    imagesCappedAt !== undefined &&
      `the Node's status lists ${imagesCappedAt} images at most: smaller ones are not seen here`,
    isOfApi && "the Node's status does not show the images that the runtime pins",
    !isOfApi &&
      lacks('pinned') &&
      'this crictl does not show the images that the runtime pins: a newer one does',
    !containers && 'what its containers use could not be read',
    containers &&
      !seesAll &&
      'dead containers of deleted pods keep their images too, and were not seen',
    containers &&
      seesAll &&
      !facts.pods &&
      'images that pods mount as volumes are in use too, and were not seen',
    unlisted &&
      `none of these images is called ${unlisted.reference}, as the spec of ${unlisted.pod} says of container ${unlisted.container}: which one it uses is not known`,
    lacks('lastUsed') &&
      'only the kubelet remembers when an image was last used: where nothing else decides, any order of removal is possible',
    lacks('firstDetected') &&
      `an image that the kubelet found less than ${formatGoDuration(policy.minAge)} ago is not removed to free space`,
    facts.settingsSource === 'defaults' &&
      "the kubelet's settings could not be read: the defaults of Kubernetes are assumed",
  ].filter((remark) => typeof remark === 'string');
}

function imagePassReport(
  forecast: ImageForecast<SeenImage>,
  policy: ImageGcPolicy,
  disk: Disk | undefined,
  noCapacity = false,
): ImagePassReport {
  const { triggered, wanted, removedImages, freedBytes, shortfall } = forecast;
  const usage = disk && usagePercent(disk);
  const after = disk && {
    availableBytes: both(freedBytes, (bytes) => Math.min(disk.capacity, disk.available + bytes)),
    usedPercent: swapped(freedBytes, (bytes) =>
      usagePercent({ ...disk, available: Math.min(disk.capacity, disk.available + bytes) }),
    ),
  };
  const runs = imageGcRuns(policy);
  const isShort = runs && disk && usage !== undefined && triggered && shortfall.least > 0;
  return {
    ...(runs && noCapacity ? invalidCapacity : imagePassReason(policy, runs, triggered, usage)),
    everySeconds: imageGcPeriod / 1000,
    ...(runs && wanted !== undefined && { bytesToFree: wanted }),
    removedImages,
    freedBytes,
    shortfallBytes: shortfall,
    ...(after && { after }),
    ...(isShort && { event: shortfallMessage(usage, disk.capacity, freedBytes.most) }),
  };
}

/** The kubelet says this in an event InvalidDiskCapacity, too. */
const invalidCapacity = {
  triggered: 'no',
  because: 'the pass fails: invalid capacity 0 on image filesystem',
  rule: 'IMG-10',
} as const;

function imagePassReason(
  policy: ImageGcPolicy,
  runs: boolean,
  triggered: boolean | undefined,
  usage: number | undefined,
): Pick<ImagePassReport, 'triggered' | 'because' | 'rule'> {
  const { highThresholdPercent: high, maxAge } = policy;
  if (!runs) {
    const because = 'a high threshold of 100% without a maximum age turns image passes off';
    return { triggered: 'no', because, rule: 'IMG-2' };
  }
  if (usage === undefined) {
    const because = 'how full the disk is could not be read';
    return { triggered: 'unknown', because, rule: 'IMG-10' };
  }
  const compared = `${usage}% of the disk is used, the high threshold is ${high}%`;
  if (triggered === undefined) {
    const because = `${compared}, but images unused for more than ${formatGoDuration(maxAge)} are removed first`;
    return { triggered: 'unknown', because, rule: 'IMG-16' };
  }
  return { triggered: triggered ? 'yes' : 'no', because: compared, rule: 'IMG-10' };
}

function both({ least, most }: ImageRange, change: (bytes: number) => number): ImageRange {
  return { least: change(least), most: change(most) };
}

function swapped({ least, most }: ImageRange, change: (bytes: number) => number): ImageRange {
  return { least: change(most), most: change(least) };
}
