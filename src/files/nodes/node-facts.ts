import { counted } from '../../kube/counts-by-kind.ts';
import { defaultKubeletSettings } from '../../kubelet/configuration/kubelet-settings.ts';
import type { DiskLayout } from '../../kubelet/eviction/eviction-thresholds.ts';
import { strayContainers } from '../../kubelet/images/image-users.ts';
import type {
  ContainerGcPolicy,
  KubeletGcSettings,
  NodeContainer,
  NodeFacts,
  NodeFilesystem,
  NodeImage,
  NodePod,
  NodeReport,
  NodeSandbox,
} from '../../kubelet/node-facts.ts';
import { newestOfEach } from '../../programs/object-event.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { Summary } from './read-summary.ts';

/** Puts together what was read of a node, the runtime's own word first. `now`: epoch milliseconds. */
export function nodeFactsOf(node: string, parts: NodeParts, now: number | undefined): NodeFacts {
  const { summary = summaryOfDisks(parts.disks), settings = defaultKubeletSettings } = parts;
  const observed = now ?? summary?.time ?? parts.imageFsTime;
  const { images } = parts;
  const listed = images ?? parts.node?.images;
  const most = settings.nodeStatusMaxImages;
  const capped = !images && most >= 0 && (listed?.length ?? 0) >= most;
  const containers = runtimeContainers(parts) ?? parts.podContainers;
  const facts: NodeFacts = {
    node,
    observedAt: new Date(observed ?? Date.now()).toISOString(),
    settings: { ...settings, containers: parts.containerFlags ?? settings.containers },
    settingsSource: parts.settingsSource ?? 'defaults',
    containerSettingsSource: parts.containerFlags ? 'flagz' : 'defaults',
    images: listed,
    imagesSource: images ? 'runtime' : listed && 'api',
    imagesCappedAt: capped ? most : undefined,
    containers,
    containersSource: parts.containers ? 'runtime' : containers && 'api',
    sandboxes: parts.sandboxes,
    pods: parts.pods,
    imageFs: summary?.imageFs,
    // A kubelet whose passes fail says so every five minutes (IMG-1).
    reports: newestOfEach(
      [...(parts.node?.reports ?? []), ...(parts.events ?? [])],
      ({ name }) => name,
    ),
    observations: summary?.observations ?? {},
    layout: summary?.layout,
    kubeletStarted: parts.kubeletStarted,
    problems: parts.problems,
  };
  const strays = strayContainers(facts);
  const [stray] = strays;
  if (stray === undefined) return facts;
  const which = `${strays.length} of ${counted(containers?.length ?? 0, 'container')} (for example ${stray.name} of ${stray.pod || 'an unknown pod'})`;
  const message = `node ${node}: the image of ${which} is not among the node's images: which images are unused is not certain; save both lists on the same node, with a current crictl`;
  return { ...facts, problems: [...facts.problems, { reason: 'unreadable', message }] };
}

/** A Node's status names images, and has no ids: what pods call them is then needed, too. */
function runtimeContainers({
  images,
  containers,
  podContainers = [],
}: NodeParts): NodeParts['containers'] {
  if (images) return containers;
  const inPods = new Map(podContainers.map(({ id, imageRefs }) => [id, imageRefs]));
  return containers?.map((container) => {
    const imageRefs = [...container.imageRefs, ...(inPods.get(container.id) ?? [])];
    return { ...container, imageRefs, withoutId: true };
  });
}

/** df knows what the summary knows, without its time. */
function summaryOfDisks(disks: readonly DiskRow[] | undefined): Summary | undefined {
  const nodeFs = disks?.[0];
  const imageFs = disks?.at(-1);
  if (!nodeFs || !imageFs) return undefined;
  const layout: DiskLayout =
    nodeFs.target === imageFs.target ? 'one-filesystem' : 'separate-imagefs';
  return {
    node: '',
    time: undefined,
    imageFs,
    layout,
    observations: { ...signalsOf('nodefs', nodeFs), ...signalsOf('imagefs', imageFs) },
  };
}

function signalsOf(disk: 'nodefs' | 'imagefs', row: DiskRow): Summary['observations'] {
  const { capacityBytes = 0, availableBytes = 0, inodes, inodesFree } = row;
  return {
    [`${disk}.available`]: { available: availableBytes, capacity: capacityBytes },
    ...(inodes !== undefined && inodesFree !== undefined
      ? { [`${disk}.inodesFree`]: { available: inodesFree, capacity: inodes } }
      : {}),
  };
}

/** What a Node object says. */
export interface NodeStatus {
  readonly name: string;
  readonly images: readonly NodeImage[];
  readonly reports: readonly NodeReport[];
}

/** What was read of one node, part by part, before it is put together. */
export interface NodeParts {
  images?: readonly NodeImage[];
  containers?: readonly NodeContainer[];
  sandboxes?: readonly NodeSandbox[];
  /** Where the images lie, from crictl imagefsinfo, and when that was, epoch milliseconds. */
  imageFsTime?: number;
  summary?: Summary;
  /** Rows of df: the kubelet's filesystem first, the images' last. */
  disks?: readonly DiskRow[];
  settings?: KubeletGcSettings;
  settingsSource?: 'configz' | 'file';
  containerFlags?: ContainerGcPolicy;
  pods?: NodePod[];
  /** Containers as the status of pods shows them. */
  podContainers?: NodeContainer[];
  node?: NodeStatus;
  events?: NodeReport[];
  kubeletStarted?: number;
  readonly problems: CoverageProblem[];
}

export interface DiskRow extends NodeFilesystem {
  readonly target: string;
  readonly inodes: number | undefined;
  readonly inodesFree: number | undefined;
}
