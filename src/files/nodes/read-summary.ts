import {
  fieldsOf,
  type Json,
  millisecondsIn,
  numberOf,
  textOrEmpty,
  withoutUnset,
} from '../../kube/json-value.ts';
import type {
  DiskLayout,
  SignalObservation,
  SignalObservations,
} from '../../kubelet/eviction/eviction-thresholds.ts';
import type { NodeFilesystem } from '../../kubelet/node-facts.ts';

/** What the kubelet's /stats/summary says about the node's disks and memory. */
export interface Summary {
  readonly node: string;
  /** Epoch milliseconds. */
  readonly time: number | undefined;
  readonly imageFs: NodeFilesystem | undefined;
  readonly observations: SignalObservations;
  readonly layout: DiskLayout | undefined;
}

export function readSummary(document: Json): Summary {
  const node = fieldsOf(document.node);
  const runtime = fieldsOf(node.runtime);
  const [nodeFs, imageFs, containerFs] = [node.fs, runtime.imageFs, runtime.containerFs].map(
    (disk) => (disk === undefined ? undefined : fieldsOf(disk)),
  );
  const memory = fieldsOf(node.memory);
  const rlimit = fieldsOf(node.rlimit);
  // If a value is missing, the sums are not numbers.
  const [free = 0, used = 0, processes = 0, most = 0] = [
    memory.availableBytes,
    memory.workingSetBytes,
    rlimit.curproc,
    rlimit.maxpid,
  ].map((value) => numberOf(value) ?? Number.NaN);
  return {
    node: textOrEmpty(node.nodeName),
    time: millisecondsIn(imageFs?.time) ?? millisecondsIn(nodeFs?.time),
    imageFs: imageFs && {
      capacityBytes: numberOf(imageFs.capacityBytes),
      availableBytes: numberOf(imageFs.availableBytes),
    },
    observations: withoutUnset({
      'memory.available': signalObservation(free, free + used),
      'pid.available': signalObservation(most - processes, most),
      'nodefs.available': signalObservation(nodeFs?.availableBytes, nodeFs?.capacityBytes),
      'nodefs.inodesFree': signalObservation(nodeFs?.inodesFree, nodeFs?.inodes),
      'imagefs.available': signalObservation(imageFs?.availableBytes, imageFs?.capacityBytes),
      'imagefs.inodesFree': signalObservation(imageFs?.inodesFree, imageFs?.inodes),
      'containerfs.available': signalObservation(
        containerFs?.availableBytes,
        containerFs?.capacityBytes,
      ),
      'containerfs.inodesFree': signalObservation(containerFs?.inodesFree, containerFs?.inodes),
    }),
    layout: nodeFs && imageFs && layoutOf(nodeFs, imageFs, containerFs),
  };
}

/** The summary does not name devices, so equal figures have to show that two disks are one. */
function layoutOf(nodeFs: Json, imageFs: Json, containerFs: Json | undefined): DiskLayout {
  if (isSameFilesystem(nodeFs, imageFs)) return 'one-filesystem';
  return containerFs && isSameFilesystem(nodeFs, containerFs)
    ? 'split-imagefs'
    : 'separate-imagefs';
}

function isSameFilesystem(a: Json, b: Json): boolean {
  return a.capacityBytes === b.capacityBytes && a.inodes === b.inodes;
}

function signalObservation(free: unknown, whole: unknown): SignalObservation | undefined {
  const [available, capacity] = [numberOf(free), numberOf(whole)];
  return available === undefined || capacity === undefined ? undefined : { available, capacity };
}
