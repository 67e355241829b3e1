import {
  containerStates,
  type NodeContainer,
  type NodeImage,
  type NodeSandbox,
} from '../../kubelet/node-facts.ts';
import {
  type Fields,
  fieldsOf,
  listOf,
  millisecondsOf,
  numberOf,
  textOf,
  textsOf,
  timeIn,
} from './json-fields.ts';

/** `crictl images -o json`. */
export function readCrictlImages(document: Fields): NodeImage[] {
  return listOf(document.images).map(({ id, repoTags, repoDigests, size, pinned }) => ({
    id: textOf(id) || undefined,
    names: [...textsOf(repoTags).filter((tag) => tag !== '<none>:<none>'), ...textsOf(repoDigests)],
    size: numberOf(size) ?? 0,
    // A crictl from before pins leaves it out.
    pinned: typeof pinned === 'boolean' ? pinned : undefined,
  }));
}

/** `crictl ps -a -o json`. */
export function readCrictlContainers(document: Fields): NodeContainer[] {
  return listOf(document.containers).map((container) => {
    const labels = fieldsOf(container.labels);
    const { id, podSandboxId, metadata, state, createdAt, imageId, imageRef } = container;
    // The runtime leaves the id empty where it does not tell it from the reference (IMG-5). A crictl
    // from before ids leaves it out, and then any name has to do.
    const image = textOf(imageId) || textOf(imageRef);
    const { image: given } = fieldsOf(container.image);
    const names = imageId === undefined ? [image, textOf(given)] : [image];
    return {
      id: textOf(id),
      name: textOf(fieldsOf(metadata).name),
      podUid: textOf(labels['io.kubernetes.pod.uid']),
      pod: podName(labels['io.kubernetes.pod.namespace'], labels['io.kubernetes.pod.name']),
      sandboxId: textOf(podSandboxId),
      state: containerStates[textOf(state)] ?? 'unknown',
      createdAt: millisecondsOf(createdAt) ?? timeIn(createdAt) ?? 0,
      ...(imageId === undefined && { withoutId: true as const }),
      imageRefs: [...new Set(names)].filter((name) => name !== ''),
    };
  });
}

/** `crictl pods -o json`. */
export function readCrictlPods(document: Fields): NodeSandbox[] {
  return listOf(document.items).map(({ id, metadata, state, createdAt }) => {
    const { uid, namespace, name } = fieldsOf(metadata);
    return {
      id: textOf(id),
      podUid: textOf(uid),
      pod: podName(namespace, name),
      ready: state === 'SANDBOX_READY',
      createdAt: millisecondsOf(createdAt) ?? timeIn(createdAt) ?? 0,
    };
  });
}

/** When `crictl imagefsinfo -o json` measured; it knows what is used, but not what is available. */
export function readImageFsTime(document: Fields): number | undefined {
  const status = document.status === undefined ? document : fieldsOf(document.status);
  const [first] = listOf(status.imageFilesystems);
  return millisecondsOf(first?.timestamp);
}

function podName(namespace: unknown, name: unknown): string {
  return textOf(name) === '' ? '' : `${textOf(namespace)}/${textOf(name)}`;
}
