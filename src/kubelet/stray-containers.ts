import { imageUsers } from './image-users.ts';
import type { NodeContainer, NodeFacts } from './node-facts.ts';

/**
 * Containers whose image the runtime does not list: both lists are of different nodes or moments, or
 * the container's image is told in another form. Then nobody can say which images are unused.
 */
export function strayContainers(
  facts: Pick<NodeFacts, 'images' | 'imagesSource' | 'containers' | 'containersSource'>,
): NodeContainer[] {
  const { containers = [], imagesSource, containersSource } = facts;
  if (imagesSource !== 'runtime' || containersSource !== 'runtime') return [];
  const users = [...imageUsers({ ...facts, pods: undefined }).values()].flat();
  const found = new Set(users.map(({ containerId }) => containerId));
  return containers.filter(({ id }) => !found.has(id));
}
