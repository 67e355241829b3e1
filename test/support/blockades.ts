import type { Blockade } from './blockade.ts';
import { finalizerBlockades } from './blockades-of-finalizers.ts';
import { namespaceBlockades } from './blockades-of-namespaces.ts';
import { ownerBlockades } from './blockades-of-owners.ts';
import { podBlockades } from './blockades-of-pods.ts';

/** Ways to be stuck, one for each kind of blocker, and chains of them. */
export const blockades: readonly Blockade[] = [
  ...finalizerBlockades,
  ...ownerBlockades,
  ...podBlockades,
  ...namespaceBlockades,
];
