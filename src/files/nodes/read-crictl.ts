import {
  fieldsListOf,
  fieldsOf,
  type Json,
  millisecondsIn,
  millisecondsOfNanoseconds,
  numberOf,
  textOrEmpty,
  textsOf,
} from '../../kube/json-value.ts';
import {
  containerStates,
  type NodeContainer,
  type NodeImage,
  type NodeSandbox,
} from '../../kubelet/node-facts.ts';

/** `crictl images -o json`. */
export function readCrictlImages(document: Json): NodeImage[] {
  return fieldsListOf(document.images).map(({ id, repoTags, repoDigests, size, pinned }) => ({
    id: textOrEmpty(id) || undefined,
    names: [...textsOf(repoTags).filter((tag) => tag !== '<none>:<none>'), ...textsOf(repoDigests)],
    size: numberOf(size) ?? 0,
    // A crictl from before pins leaves it out.
    pinned: typeof pinned === 'boolean' ? pinned : undefined,
  }));
}

/** `crictl ps -a -o json`. */
export function readCrictlContainers(document: Json): NodeContainer[] {
  return fieldsListOf(document.containers).map((container) => {
    const labels = fieldsOf(container.labels);
    const { id, podSandboxId, metadata, state, createdAt, imageId, imageRef } = container;
    // The runtime leaves the id empty where it does not tell it from the reference (IMG-5). A crictl
    // from before ids leaves it out, and then any name has to do.
    const image = textOrEmpty(imageId) || textOrEmpty(imageRef);
    const { image: given } = fieldsOf(container.image);
    const names = imageId === undefined ? [image, textOrEmpty(given)] : [image];
    return {
      id: textOrEmpty(id),
      name: textOrEmpty(fieldsOf(metadata).name),
      podUid: textOrEmpty(labels['io.kubernetes.pod.uid']),
      pod: podName(labels['io.kubernetes.pod.namespace'], labels['io.kubernetes.pod.name']),
      sandboxId: textOrEmpty(podSandboxId),
      state: containerStates[textOrEmpty(state)] ?? 'unknown',
      createdAt: millisecondsOfNanoseconds(createdAt) ?? millisecondsIn(createdAt) ?? 0,
      ...(imageId === undefined && { withoutId: true as const }),
      imageRefs: [...new Set(names)].filter((name) => name !== ''),
    };
  });
}

/** `crictl pods -o json`. */
export function readCrictlPods(document: Json): NodeSandbox[] {
  return fieldsListOf(document.items).map(({ id, metadata, state, createdAt }) => {
    const { uid, namespace, name } = fieldsOf(metadata);
    return {
      id: textOrEmpty(id),
      podUid: textOrEmpty(uid),
      pod: podName(namespace, name),
      ready: state === 'SANDBOX_READY',
      createdAt: millisecondsOfNanoseconds(createdAt) ?? millisecondsIn(createdAt) ?? 0,
    };
  });
}

/** When `crictl imagefsinfo -o json` measured; it knows what is used, but not what is available. */
export function readImageFsTime(document: Json): number | undefined {
  const status = document.status === undefined ? document : fieldsOf(document.status);
  const [first] = fieldsListOf(status.imageFilesystems);
  return millisecondsOfNanoseconds(first?.timestamp);
}

function podName(namespace: unknown, name: unknown): string {
  return textOrEmpty(name) === '' ? '' : `${textOrEmpty(namespace)}/${textOrEmpty(name)}`;
}
