import type { NodeContainer, NodeFacts } from './node-facts.ts';

/**
 * Containers whose image the runtime does not list: both lists are of different nodes or moments, or
 * the container's image is told in another form. Then nobody can say which images are unused.
 */
export function strayContainers({
  images = [],
  imagesSource,
  containers = [],
  containersSource,
}: Pick<
  NodeFacts,
  'images' | 'imagesSource' | 'containers' | 'containersSource'
>): NodeContainer[] {
  if (imagesSource !== 'runtime' || containersSource !== 'runtime') return [];
  const ids = new Set(images.map(({ id }) => id));
  return containers.filter(({ imageRefs: [reference] }) => !reference || !ids.has(reference));
}
