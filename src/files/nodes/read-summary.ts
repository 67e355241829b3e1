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
  const memoryFree = numberOf(memory.availableBytes);
  const workingSet = numberOf(memory.workingSetBytes);
  const processes = numberOf(rlimit.curproc);
  const most = numberOf(rlimit.maxpid);
  return {
    node: textOrEmpty(node.nodeName),
    time: millisecondsIn(imageFs?.time) ?? millisecondsIn(nodeFs?.time),
    imageFs: imageFs && {
      capacityBytes: numberOf(imageFs.capacityBytes),
      availableBytes: numberOf(imageFs.availableBytes),
    },
    observations: withoutUnset({
      'memory.available':
        memoryFree === undefined || workingSet === undefined
          ? undefined
          : { available: memoryFree, capacity: memoryFree + workingSet },
      'pid.available':
        processes === undefined || most === undefined
          ? undefined
          : { available: most - processes, capacity: most },
      'nodefs.available': bytes(nodeFs),
      'nodefs.inodesFree': inodes(nodeFs),
      'imagefs.available': bytes(imageFs),
      'imagefs.inodesFree': inodes(imageFs),
      'containerfs.available': bytes(containerFs),
      'containerfs.inodesFree': inodes(containerFs),
    }),
    layout: nodeFs && imageFs && layoutOf(nodeFs, imageFs, containerFs),
  };
}

/** The summary does not name devices, so equal figures have to show that two disks are one. */
function layoutOf(nodeFs: Json, imageFs: Json, containerFs: Json | undefined): DiskLayout {
  if (isSame(nodeFs, imageFs)) return 'one-filesystem';
  return containerFs && isSame(nodeFs, containerFs) ? 'split-imagefs' : 'separate-imagefs';
}

function isSame(a: Json, b: Json): boolean {
  return a.capacityBytes === b.capacityBytes && a.inodes === b.inodes;
}

function bytes(disk: Json | undefined): SignalObservation | undefined {
  return observed(disk?.availableBytes, disk?.capacityBytes);
}

function inodes(disk: Json | undefined): SignalObservation | undefined {
  return observed(disk?.inodesFree, disk?.inodes);
}

function observed(free: unknown, whole: unknown): SignalObservation | undefined {
  const [available, capacity] = [numberOf(free), numberOf(whole)];
  return available === undefined || capacity === undefined ? undefined : { available, capacity };
}
