import { formatGoDuration } from '../../../kube/go-syntax.ts';
import { type Disk, usagePercent } from '../../../kubelet/images/disk-usage.ts';
import type { ImageForecast, ImageRange } from '../../../kubelet/images/image-forecast.ts';
import {
  type ImageGcPolicy,
  imageGcPeriod,
  imageGcRuns,
  type SeenImage,
  shortfallMessage,
} from '../../../kubelet/images/image-policy.ts';

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

export function imagePassReport(
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
    ...(runs && noCapacity ? invalidCapacity : reasonOf(policy, runs, triggered, usage)),
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

function reasonOf(
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
    const because = `${compared}, but images unused for more than ${formatGoDuration(maxAge)} go first`;
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
