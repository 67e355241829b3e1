import {
  fieldsListOf,
  fieldsOf,
  type Json,
  millisecondsIn,
  numberOf,
  textOrEmpty,
} from '../../kube/json-value.ts';
import { validateKubeletConfiguration } from '../../kubelet/configuration/validate-configuration.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { ImageUse, NodeParts } from './node-facts.ts';
import {
  readCrictlContainers,
  readCrictlImages,
  readCrictlPods,
  readImageFsTime,
} from './read-crictl.ts';
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
  | 'image-use'
  | 'node'
  | 'pod'
  | 'list';

/** Tells documents apart by what stands in them, not by the name of a file; undefined: it is none of them. */
export function kindOfDocument(document: Json): DocumentKind | undefined {
  const { kind, items } = document;
  if (kind === 'Node') return 'node';
  if (kind === 'Pod') return 'pod';
  if (kind === 'KubeletConfiguration') return 'kubelet-configuration';
  if (kind === 'ImageUse') return 'image-use';
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

/** Keeps what a document of one node tells. Objects of a cluster are not for here. */
export function readDocument(
  document: Json,
  kind: Exclude<DocumentKind, 'node' | 'pod' | 'list'>,
  pieces: NodeParts,
): void {
  switch (kind) {
    case 'images':
      pieces.images = readCrictlImages(document);
      pieces.problems.push(...withoutSize(document));
      break;
    case 'containers':
      pieces.containers = readCrictlContainers(document);
      break;
    case 'sandboxes':
      pieces.sandboxes = readCrictlPods(document);
      break;
    case 'imagefs': {
      const time = readImageFsTime(document);
      if (time !== undefined) pieces.imageFsTime = time;
      break;
    }
    case 'summary':
      pieces.summary = readSummary(document);
      break;
    case 'configz':
      pieces.settings = validateKubeletConfiguration(document.kubeletconfig).settings;
      pieces.settingsSource = 'configz';
      break;
    case 'kubelet-configuration':
      pieces.settings = validateKubeletConfiguration(document).settings;
      pieces.settingsSource = 'file';
      break;
    case 'image-use':
      pieces.imageUse = readImageUse(document);
  }
}

function withoutSize(document: Json): CoverageProblem[] {
  const { length } = fieldsListOf(document.images).filter(
    ({ size }) => numberOf(size) === undefined,
  );
  if (length === 0) return [];
  const message = `crictl images tells no size of ${length} images: they count as 0 bytes`;
  return [{ reason: 'unreadable', message }];
}

function readImageUse(document: Json): Map<string, ImageUse> {
  return new Map(
    fieldsListOf(document.images).map(({ id, lastUsed, firstDetected }) => [
      textOrEmpty(id),
      {
        lastUsed: lastUsed === 'never' ? 'never' : millisecondsIn(lastUsed),
        firstDetected: millisecondsIn(firstDetected),
      },
    ]),
  );
}

/** Gives the pieces of the node that a Node or a Pod names what it tells. */
export function readObject(object: Json, piecesOf: (node: string) => NodeParts): void {
  if (object.kind === 'Node') {
    const node = readNode(object);
    const pieces = piecesOf(node.name);
    pieces.node = node;
    if (object.listsPods === true) {
      pieces.pods ??= [];
      pieces.podContainers ??= [];
    }
    return;
  }
  const { nodeName, pod, containers } = readPod(object);
  if (nodeName === '') return;
  const pieces = piecesOf(nodeName);
  pieces.pods = [...(pieces.pods ?? []), pod];
  pieces.podContainers = [...(pieces.podContainers ?? []), ...containers];
}
