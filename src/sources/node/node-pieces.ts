import type { KubeletGcSettings } from '../../kubelet/kubelet-settings.ts';
import type {
  NodeContainer,
  NodeFilesystem,
  NodeImage,
  NodePod,
  NodeSandbox,
} from '../../kubelet/node-facts.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { Summary } from './read-summary.ts';

/** What a Node object tells. */
export interface NodeStatus {
  readonly name: string;
  readonly images: readonly NodeImage[];
}

/** When an image was used, as somebody noted it down; epoch milliseconds. */
export interface ImageUse {
  readonly lastUsed: number | 'never' | undefined;
  readonly firstDetected: number | undefined;
}

/** What was read of one node, piece by piece, before it is put together. */
export interface NodePieces {
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
  containerFlags?: KubeletGcSettings['containers'];
  pods?: readonly NodePod[];
  /** Containers as the status of pods shows them. */
  podContainers?: readonly NodeContainer[];
  node?: NodeStatus;
  imageUse?: ReadonlyMap<string, ImageUse>;
  kubeletStarted?: number;
  podLogs?: string[];
  deadLogLinks?: string[];
  readonly problems: CoverageProblem[];
}

export interface DiskRow extends NodeFilesystem {
  readonly target: string;
  readonly inodes: number | undefined;
  readonly inodesFree: number | undefined;
}
