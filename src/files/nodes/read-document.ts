import { counted } from '../../kube/counts-by-kind.ts';
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
import { validateKubeletConfiguration } from '../../kubelet/configuration/validate-configuration.ts';
import {
  containerStates,
  type NodeContainer,
  type NodeImage,
  type NodeSandbox,
} from '../../kubelet/node-facts.ts';
import { objectEventOf } from '../../programs/object-event.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { NodeParts } from './node-facts.ts';
import { readNode, readPod } from './read-pods.ts';
import { readSummary } from './read-summary.ts';

/** What a document is, as far as a node is concerned. */
export type DocumentKind =
  | 'images'
  | 'containers'
  | 'sandboxes'
  | 'imagefs'
  | 'summary'
  | 'configz'
  | 'kubelet-configuration'
  | 'node'
  | 'pod'
  | 'event'
  | 'list';

/** Recognises documents by their content, not by the name of a file; undefined: it is none of them. */
export function kindOfDocument(document: Json): DocumentKind | undefined {
  const { kind, items } = document;
  if (kind === 'Node') return 'node';
  if (kind === 'Pod') return 'pod';
  if (kind === 'Event') return 'event';
  if (kind === 'KubeletConfiguration') return 'kubelet-configuration';
  if (textOrEmpty(kind).endsWith('List')) return 'list';
  if (kind !== undefined) return undefined;
  if (document.kubeletconfig !== undefined) return 'configz';
  if (fieldsOf(document.node).nodeName !== undefined) return 'summary';
  if (Array.isArray(document.images)) return 'images';
  if (Array.isArray(document.containers)) return 'containers';
  const status = fieldsOf(document.status);
  if (Array.isArray(document.imageFilesystems) || Array.isArray(status.imageFilesystems)) {
    return 'imagefs';
  }
  if (Array.isArray(items)) return isSandboxes(items) ? 'sandboxes' : 'list';
  return undefined;
}

function isSandboxes(items: readonly unknown[]): boolean {
  return items.every((item) => textOrEmpty(fieldsOf(item).state).startsWith('SANDBOX_'));
}

type NodeOutput = Partial<NodeParts>;
type KindOfNode = Exclude<DocumentKind, 'node' | 'pod' | 'event' | 'list'>;

/** What documents say about one node. Objects of a cluster are handled elsewhere. */
const readers: Readonly<Record<KindOfNode, (document: Json) => NodeOutput>> = {
  images: (document) => ({ images: readCrictlImages(document), problems: withoutSize(document) }),
  containers: (document) => ({ containers: readCrictlContainers(document) }),
  sandboxes: (document) => ({ sandboxes: readCrictlPods(document) }),
  imagefs: readImageFsTime,
  summary: (document) => ({ summary: readSummary(document) }),
  configz: ({ kubeletconfig }) => readConfiguration(kubeletconfig, 'configz'),
  'kubelet-configuration': (document) => readConfiguration(document, 'file'),
};

function readConfiguration(configuration: unknown, settingsSource: 'configz' | 'file'): NodeOutput {
  return { settings: validateKubeletConfiguration(configuration).settings, settingsSource };
}

/** Keeps what a document says about one node. */
export function readDocument(document: Json, kind: KindOfNode, parts: NodeParts): void {
  const { problems = [], ...output } = readers[kind](document);
  Object.assign(parts, output);
  parts.problems.push(...problems);
}

function withoutSize(document: Json): CoverageProblem[] {
  const { length } = fieldsListOf(document.images).filter(
    ({ size }) => numberOf(size) === undefined,
  );
  if (length === 0) return [];
  const message = `crictl images gives no size for ${counted(length, 'image')}, which ${length === 1 ? 'counts' : 'count'} as 0 bytes`;
  return [{ reason: 'unreadable', message }];
}

/** Reasons of the Events that a kubelet writes about the disk of its images (IMG-10, IMG-13). */
const diskReasons = new Set(['FreeDiskSpaceFailed', 'ImageGCFailed', 'InvalidDiskCapacity']);

/** Adds what a Node, a Pod or an Event says to the parts of the node that it names. */
export function readNodeObject(object: Json, piecesOf: (node: string) => NodeParts): void {
  if (object.kind === 'Node') {
    const node = readNode(object);
    const parts = piecesOf(node.name);
    parts.node = node;
    if (object.listsPods === true) {
      parts.pods ??= [];
      parts.podContainers ??= [];
    }
    return;
  }
  if (object.kind === 'Event') {
    // Of either API group.
    const { about, reason: name, time, message, reportedBy } = objectEventOf(object);
    if (about.kind !== 'Node' || !diskReasons.has(name)) return;
    const parts = piecesOf(about.name);
    parts.events = [...(parts.events ?? []), { kind: 'Event', name, time, message, reportedBy }];
    return;
  }
  const { nodeName, pod, containers } = readPod(object);
  if (nodeName === '') return;
  const parts = piecesOf(nodeName);
  parts.pods ??= [];
  parts.pods.push(pod);
  parts.podContainers ??= [];
  parts.podContainers.push(...containers);
}

/** `crictl images -o json`. */
function readCrictlImages(document: Json): NodeImage[] {
  return fieldsListOf(document.images).map(({ id, repoTags, repoDigests, size, pinned }) => ({
    id: textOrEmpty(id) || undefined,
    names: [...textsOf(repoTags).filter((tag) => tag !== '<none>:<none>'), ...textsOf(repoDigests)],
    size: numberOf(size) ?? 0,
    // A crictl from before pins leaves it out.
    pinned: typeof pinned === 'boolean' ? pinned : undefined,
  }));
}

/** `crictl ps -a -o json`. */
function readCrictlContainers(document: Json): NodeContainer[] {
  return fieldsListOf(document.containers).map((container) => {
    const labels = fieldsOf(container.labels);
    const { id, podSandboxId, metadata, state, createdAt, imageId, imageRef } = container;
    // The runtime leaves the id empty where it cannot distinguish it from the reference (IMG-5). A
    // crictl from before ids leaves it out, and then any name has to do.
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
function readCrictlPods(document: Json): NodeSandbox[] {
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
function readImageFsTime(document: Json): NodeOutput {
  const status = document.status === undefined ? document : fieldsOf(document.status);
  const [first] = fieldsListOf(status.imageFilesystems);
  const imageFsTime = millisecondsOfNanoseconds(first?.timestamp);
  return imageFsTime === undefined ? {} : { imageFsTime };
}

function podName(namespace: unknown, name: unknown): string {
  return textOrEmpty(name) === '' ? '' : `${textOrEmpty(namespace)}/${textOrEmpty(name)}`;
}
