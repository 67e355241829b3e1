import { coverageProblem } from '../snapshot/coverage-part.ts';
import {
  boolean,
  count,
  type Declared,
  fields,
  list,
  map,
  matching,
  number,
  oneOf,
  optional,
  orUnset,
  type Schema,
  text,
} from '../syntax/document-part.ts';
import type { DiskLayout, SignalObservations } from './eviction/eviction-thresholds.ts';

/** Where facts were read, best first. */
const factSource = oneOf('runtime', 'kubelet', 'api');

const nodeImage = fields({
  /** The runtime's id; undefined where only the Node's status lists it. */
  id: orUnset(text),
  /** Tags, then digests. */
  names: list(text),
  size: number,
  /** Undefined: the Node's status does not say. */
  pinned: orUnset(boolean),
  /** Epoch milliseconds; `never` and undefined as in SeenImage. Kubelets do not report it: known only after a start within a timeline. */
  lastUsed: optional<number | 'never' | undefined>((value) =>
    value === 'never' ? value : number(value),
  ),
  firstDetected: optional<number | undefined>(number),
});
export interface NodeImage extends Declared<typeof nodeImage> {}

const nodeContainer = fields({
  id: text,
  /** The name in the pod's spec. */
  name: text,
  /** Label io.kubernetes.pod.uid; empty without one. */
  podUid: text,
  sandboxId: text,
  /** In the runtime (CRI). */
  state: oneOf('created', 'running', 'exited', 'unknown'),
  /** Epoch milliseconds, with a fraction. */
  createdAt: number,
  /** `namespace/name`, empty when not known. */
  pod: text,
  /** How it names its image: ids, digests, tags. */
  imageRefs: list(text),
  /** The program that asked the runtime does not print the image's id: any of its names counts. */
  withoutId: optional(matching('true', (value) => value === true)),
});
/** A container of a node, from the runtime or from the status of its pod. */
export interface NodeContainer extends Declared<typeof nodeContainer> {}

const nodeSandbox = fields({
  id: text,
  podUid: text,
  ready: boolean,
  createdAt: number,
  pod: text,
});
export interface NodeSandbox extends Declared<typeof nodeSandbox> {}

const specContainer = fields({ name: text, image: text });
/** A container of a pod's spec, and how it names its image. */
export interface SpecContainer extends Declared<typeof specContainer> {}

const nodePod = fields({
  uid: text,
  namespace: text,
  name: text,
  phase: text,
  reason: text,
  deleting: boolean,
  /** Images that it mounts as volumes. */
  mountedImages: list(text),
  /** Containers of its spec that its status does not show. */
  unreported: list(specContainer),
});
/** A pod of a node, as the API server or the kubelet knows it. */
export interface NodePod extends Declared<typeof nodePod> {}

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
const nodeReport: Schema<NodeReport> = fields({
  kind: oneOf('Condition', 'Event'),
  name: text,
  time: text,
  message: text,
  reportedBy: text,
});

const filesystem = fields({ capacityBytes: orUnset(number), availableBytes: orUnset(number) });
/** A filesystem in bytes, as it was measured. */
export interface NodeFilesystem extends Declared<typeof filesystem> {}

const imageGcPolicy = fields({
  highThresholdPercent: number,
  lowThresholdPercent: number,
  minAge: number,
  /** 0: images are not removed for their age. */
  maxAge: number,
});
/** Ages in milliseconds. */
export interface ImageGcPolicy extends Declared<typeof imageGcPolicy> {}

const containerGcPolicy = fields({
  /** Milliseconds since a container was created, not since it ended (CTR-2). */
  minAge: number,
  maxPerPodContainer: number,
  maxContainers: number,
});
/** The kubelet's three flags (CFG-4); a negative number: no limit. */
export interface ContainerGcPolicy extends Declared<typeof containerGcPolicy> {}

const settings = fields({
  images: imageGcPolicy,
  containers: containerGcPolicy,
  /** How many images the Node's status lists at most; -1: all. */
  nodeStatusMaxImages: number,
  evictionHard: map(text),
  evictionSoft: map(text),
  /** How long a soft threshold has to be met before the kubelet acts, as a Go duration. */
  evictionSoftGracePeriod: map(text),
});
/**
 * The settings of a kubelet that control the removal of images and containers. Ages in
 * milliseconds.
 */
export interface KubeletGcSettings extends Declared<typeof settings> {}

const layout: Schema<DiskLayout> = oneOf('one-filesystem', 'separate-imagefs', 'split-imagefs');
const observations: Schema<SignalObservations> = map(
  fields({ available: number, capacity: number }),
);

export const nodeFacts = fields({
  node: text,
  /** RFC 3339. */
  observedAt: text,
  settings,
  settingsSource: oneOf('configz', 'file', 'defaults'),
  /** Where the flags for containers were read; they are not in the kubelet's configuration. */
  containerSettingsSource: oneOf('flagz', 'defaults'),
  images: orUnset(list(nodeImage)),
  imagesSource: orUnset(factSource),
  /** The Node's status lists no more images than this, and it is full; undefined: nothing is hidden. */
  imagesCappedAt: orUnset(count),
  containers: orUnset(list(nodeContainer)),
  containersSource: orUnset(factSource),
  sandboxes: orUnset(list(nodeSandbox)),
  /** Undefined: which Pods were deleted is unknown. */
  pods: orUnset(list(nodePod)),
  imageFs: orUnset(filesystem),
  reports: list(nodeReport),
  observations,
  /** Undefined: the node's filesystems were not measured. */
  layout: orUnset(layout),
  /** Epoch milliseconds; undefined: not known. */
  kubeletStarted: orUnset(number),
  problems: list(coverageProblem),
});
/** All that was read of one node. Lists are undefined where nothing could be read. */
export interface NodeFacts extends Declared<typeof nodeFacts> {}

/** As the runtime's interface has them. */
export const containerStates: Readonly<Record<string, NodeContainer['state']>> = {
  CONTAINER_CREATED: 'created',
  CONTAINER_RUNNING: 'running',
  CONTAINER_EXITED: 'exited',
  CONTAINER_UNKNOWN: 'unknown',
};
