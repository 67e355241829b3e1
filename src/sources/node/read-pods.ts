import type { NodeContainer, NodePod } from '../../kubelet/node-facts.ts';
import { type Fields, fieldsOf, listOf, textOf, timeIn } from './json-fields.ts';

/** A pod, and the containers that its status still shows. */
export interface ReadPod {
  readonly nodeName: string;
  readonly pod: NodePod;
  readonly containers: readonly NodeContainer[];
}

export function readPod(object: Fields): ReadPod {
  const metadata = fieldsOf(object.metadata);
  const spec = fieldsOf(object.spec);
  const status = fieldsOf(object.status);
  const pod: NodePod = {
    uid: kubeletUid(metadata),
    namespace: textOf(metadata.namespace),
    name: textOf(metadata.name),
    phase: textOf(status.phase),
    reason: textOf(status.reason),
    deleting: metadata.deletionTimestamp !== undefined,
    mountedImages: listOf(spec.volumes)
      .map((volume) => textOf(fieldsOf(volume.image).reference))
      .filter((reference) => reference !== ''),
  };
  const statuses = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'];
  const containers = statuses
    .flatMap((field) => listOf(status[field]))
    .flatMap((container) => containersOf(container, pod));
  return { nodeName: textOf(spec.nodeName), pod, containers };
}

/** The kubelet knows a static pod by the hash of its manifest, not by the uid of its mirror. */
function kubeletUid(metadata: Fields): string {
  const mirror = fieldsOf(metadata.annotations)['kubernetes.io/config.mirror'];
  return textOf(mirror) || textOf(metadata.uid);
}

/** The container of a status now, and the one before it. */
function containersOf(status: Fields, pod: NodePod): NodeContainer[] {
  const now = fieldsOf(status.state);
  const before = fieldsOf(fieldsOf(status.lastState).terminated);
  const shared = {
    name: textOf(status.name),
    podUid: pod.uid,
    pod: `${pod.namespace}/${pod.name}`,
    sandboxId: '',
    imageRefs: [textOf(status.imageID), textOf(status.image)].filter((ref) => ref !== ''),
  };
  const containers: NodeContainer[] = [];
  const running = now.running === undefined ? undefined : fieldsOf(now.running);
  const ended = now.terminated === undefined ? undefined : fieldsOf(now.terminated);
  const id = idOf(status.containerID);
  if (running || ended) {
    containers.push({
      ...shared,
      id,
      state: running ? 'running' : 'exited',
      // The status has no time of creation; a container starts right after it.
      createdAt: timeIn((running ?? ended)?.startedAt) ?? 0,
    });
  }
  const earlier = idOf(before.containerID);
  if (earlier !== '' && earlier !== containers[0]?.id) {
    const createdAt = timeIn(before.startedAt) ?? 0;
    containers.push({ ...shared, id: earlier, state: 'exited', createdAt });
  }
  return containers;
}

/** `containerd://0a1b` → `0a1b`. */
function idOf(containerId: unknown): string {
  return textOf(containerId).replace(/^[a-z0-9.+-]+:\/\//, '');
}
