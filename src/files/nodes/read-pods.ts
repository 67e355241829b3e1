import {
  conditionOf,
  fieldsListOf,
  fieldsOf,
  type Json,
  millisecondsIn,
  numberOf,
  textOrEmpty,
  textsOf,
} from '../../kube/json-value.ts';
import type {
  NodeContainer,
  NodePod,
  NodeReport,
  SpecContainer,
} from '../../kubelet/node-facts.ts';
import type { NodeStatus } from './node-facts.ts';

/** A pod, and the containers that its status still shows. */
interface ReadPod {
  readonly nodeName: string;
  readonly pod: NodePod;
  readonly containers: readonly NodeContainer[];
}

export function readPod(object: Json): ReadPod {
  const metadata = fieldsOf(object.metadata);
  const spec = fieldsOf(object.spec);
  const status = fieldsOf(object.status);
  const statuses = [
    'initContainerStatuses',
    'containerStatuses',
    'ephemeralContainerStatuses',
  ].flatMap((field) => fieldsListOf(status[field]));
  const pod: NodePod = {
    uid: kubeletUid(metadata),
    namespace: textOrEmpty(metadata.namespace),
    name: textOrEmpty(metadata.name),
    phase: textOrEmpty(status.phase),
    reason: textOrEmpty(status.reason),
    deleting: metadata.deletionTimestamp !== undefined,
    mountedImages: fieldsListOf(spec.volumes)
      .map((volume) => textOrEmpty(fieldsOf(volume.image).reference))
      .filter((reference) => reference !== ''),
    // A failed pod without statuses is one that the kubelet has refused: it made no container of it.
    unreported: status.phase === 'Failed' ? [] : unreportedIn(spec, statuses),
  };
  const containers = statuses.flatMap((container) => containersOf(container, pod));
  return { nodeName: textOrEmpty(spec.nodeName), pod, containers };
}

function unreportedIn(spec: Json, statuses: readonly Json[]): SpecContainer[] {
  const reported = new Set(statuses.map(({ name }) => name));
  return ['initContainers', 'containers', 'ephemeralContainers']
    .flatMap((field) => fieldsListOf(spec[field]))
    .filter(({ name }) => !reported.has(name))
    .map(({ name, image }) => ({ name: textOrEmpty(name), image: textOrEmpty(image) }))
    .filter(({ image }) => image !== '');
}

/** The kubelet knows a static pod by the hash of its manifest, not by the uid of its mirror. */
function kubeletUid(metadata: Json): string {
  const mirror = fieldsOf(metadata.annotations)['kubernetes.io/config.mirror'];
  return textOrEmpty(mirror) || textOrEmpty(metadata.uid);
}

/** The container of a status now, and the one before it. */
function containersOf(status: Json, pod: NodePod): NodeContainer[] {
  const now = fieldsOf(status.state);
  const before = fieldsOf(fieldsOf(status.lastState).terminated);
  const shared = {
    name: textOrEmpty(status.name),
    podUid: pod.uid,
    pod: `${pod.namespace}/${pod.name}`,
    sandboxId: '',
    imageRefs: [textOrEmpty(status.imageID), textOrEmpty(status.image)].filter((ref) => ref !== ''),
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
      createdAt: millisecondsIn((running ?? ended)?.startedAt) ?? 0,
    });
  }
  const earlier = idOf(before.containerID);
  if (earlier !== '' && earlier !== containers[0]?.id) {
    const createdAt = millisecondsIn(before.startedAt) ?? 0;
    containers.push({ ...shared, id: earlier, state: 'exited', createdAt });
  }
  return containers;
}

/** `containerd://0a1b` → `0a1b`. */
function idOf(containerId: unknown): string {
  return textOrEmpty(containerId).replace(/^[a-z0-9.+-]+:\/\//, '');
}

/** What a Node object says about its disk, and about its images: no ids, no pins, and not all of them. */
export function readNode(object: Json): NodeStatus {
  return {
    name: textOrEmpty(fieldsOf(object.metadata).name),
    reports: reportsOfNode(object),
    images: fieldsListOf(fieldsOf(object.status).images).map(({ names, sizeBytes }) => ({
      id: undefined,
      names: tagsFirst(textsOf(names)),
      size: numberOf(sizeBytes) ?? 0,
      pinned: undefined,
    })),
  };
}

/** That a Node is short of disk, as its kubelet has said. */
function reportsOfNode(node: Json): NodeReport[] {
  const condition = conditionOf(node, 'DiskPressure');
  // While the kubelet is silent, the node lifecycle controller writes Unknown.
  if (condition?.status !== 'True') return [];
  const time = textOrEmpty(condition.lastTransitionTime);
  const message = textOrEmpty(condition.message);
  return [{ kind: 'Condition', name: 'DiskPressure', time, message, reportedBy: 'kubelet' }];
}

function tagsFirst(names: readonly string[]): string[] {
  const isDigest = (name: string) => name.includes('@');
  return [...names.filter((name) => !isDigest(name)), ...names.filter(isDigest)];
}
