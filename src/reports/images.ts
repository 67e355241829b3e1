import type { ImageGcPolicy } from '../kubelet/image-record.ts';
import type { NodeFacts } from '../kubelet/node-facts.ts';
import type { DocumentHead } from './document.ts';
import { type ImageSavings, imageSavings } from './image-savings.ts';
import { nodeHead } from './node-head.ts';
import { type NodeImages, nodeImages } from './node-images.ts';

/** `images`: what the kubelets of nodes would remove. */
export interface ImagesReport extends DocumentHead<'Images'> {
  readonly nodes: readonly NodeImages[];
  /** The same images on many nodes together, the biggest savings first; with `--by-image`. */
  readonly byImage?: readonly ImageSavings[];
}

export interface ImagesOptions {
  /** Settings to try instead of the node's own. */
  readonly whatIf?: ((present: ImageGcPolicy) => ImageGcPolicy) | undefined;
  readonly byImage?: boolean | undefined;
}

export function imagesReport(
  facts: readonly NodeFacts[],
  { whatIf, byImage = false }: ImagesOptions = {},
): ImagesReport {
  const nodes = facts.map((one) => nodeImages(one, whatIf));
  return {
    ...nodeHead('Images', facts),
    nodes,
    ...(byImage && { byImage: imageSavings(nodes) }),
  };
}
