import type { CoverageProblem } from '../snapshot/coverage.ts';
import type { KubeletGcSettings } from './configuration/kubelet-settings.ts';
import type {
  ContainerState,
  RuntimeContainer,
  RuntimeSandbox,
} from './containers/container-gc.ts';
import type { DiskLayout, SignalObservations } from './eviction/eviction-thresholds.ts';

/** Where facts were read, best first. */
export type FactSource = 'runtime' | 'kubelet' | 'api';

/** An image of a node. */
export interface NodeImage {
  /** The runtime's id; undefined where only the Node's status lists it. */
  readonly id: string | undefined;
  /** Tags, then digests. */
  readonly names: readonly string[];
  readonly size: number;
  /** Undefined: the Node's status does not say. */
  readonly pinned: boolean | undefined;
  /** Epoch milliseconds; `never` and undefined as in SeenImage. */
  readonly lastUsed?: number | 'never' | undefined;
  readonly firstDetected?: number | undefined;
}

/** A container of a node, from the runtime or from the status of its pod. */
export interface NodeContainer extends RuntimeContainer {
  /** `namespace/name`, empty when not known. */
  readonly pod: string;
  /** How it names its image: ids, digests, tags. */
  readonly imageRefs: readonly string[];
  /** The program that asked the runtime does not print the image's id: any of its names counts. */
  readonly withoutId?: true;
}

export interface NodeSandbox extends RuntimeSandbox {
  readonly pod: string;
}

/** A pod of a node, as the API server or the kubelet knows it. */
export interface NodePod {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly reason: string;
  readonly deleting: boolean;
  /** Images that it mounts as volumes. */
  readonly mountedImages: readonly string[];
  /** Containers of its spec that its status does not show. */
  readonly unreported: readonly SpecContainer[];
}

/** A container of a pod's spec, and how it names its image. */
export interface SpecContainer {
  readonly name: string;
  readonly image: string;
}

/** What a program has reported of a node's disk, in a condition of the Node or in an Event. */
export interface NodeReport {
  readonly kind: 'Condition' | 'Event';
  /** The type of the condition or the reason of the Event. */
  readonly name: string;
  /** RFC 3339: since when the condition is true, or when the Event was last seen; empty when not known. */
  readonly time: string;
  readonly message: string;
  /** Empty when not known. */
  readonly reportedBy: string;
}

/** A filesystem in bytes, as it was measured. */
export interface NodeFilesystem {
  readonly capacityBytes: number | undefined;
  readonly availableBytes: number | undefined;
}

export type KubeletSettingsSource = 'configz' | 'file' | 'defaults';

/** All that was read of one node. Lists are undefined where nothing could be read. */
export interface NodeFacts {
  readonly node: string;
  /** RFC 3339. */
  readonly observedAt: string;
  readonly settings: KubeletGcSettings;
  readonly settingsSource: KubeletSettingsSource;
  /** Where the flags for containers were read; they are not in the kubelet's configuration. */
  readonly containerSettingsSource: 'flagz' | 'defaults';
  readonly images: readonly NodeImage[] | undefined;
  readonly imagesSource: FactSource | undefined;
  /** The Node's status lists no more images than this, and it is full; undefined: nothing is hidden. */
  readonly imagesCappedAt: number | undefined;
  readonly containers: readonly NodeContainer[] | undefined;
  readonly containersSource: FactSource | undefined;
  readonly sandboxes: readonly NodeSandbox[] | undefined;
  /** Undefined: which pods are gone is unknown. */
  readonly pods: readonly NodePod[] | undefined;
  readonly imageFs: NodeFilesystem | undefined;
  readonly reports: readonly NodeReport[];
  readonly observations: SignalObservations;
  /** Undefined: the node's filesystems were not measured. */
  readonly layout: DiskLayout | undefined;
  /** Epoch milliseconds; undefined: not known. */
  readonly kubeletStarted: number | undefined;
  /** Names in /var/log/pods and dead links in /var/log/containers; undefined: not listed. */
  readonly podLogs: readonly string[] | undefined;
  readonly deadLogLinks: readonly string[] | undefined;
  readonly problems: readonly CoverageProblem[];
}

export const containerStates: Readonly<Record<string, ContainerState>> = {
  CONTAINER_CREATED: 'created',
  CONTAINER_RUNNING: 'running',
  CONTAINER_EXITED: 'exited',
  CONTAINER_UNKNOWN: 'unknown',
};
