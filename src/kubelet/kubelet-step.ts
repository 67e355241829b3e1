import type { ContainerReason, JudgedSandbox } from './container-outlook.ts';
import type { ImageReason } from './image-outlook.ts';
import type { NodeContainer, NodeSandbox } from './node-facts.ts';
import type { UsedImage } from './node-images.ts';

/** Something that a kubelet removes, when and why. Times are epoch milliseconds. */
export type KubeletStep = {
  /** The removal cannot come earlier. */
  readonly notBefore: number;
  /** It comes no later; for `certain: false`: if it comes at all. */
  readonly notAfter: number;
  /** False: it depends on what nobody can see from outside. */
  readonly certain: boolean;
  /** The threshold whose eviction deletes it, as in `imagefs.available<15%`; undefined: a pass does. */
  readonly eviction: string | undefined;
  readonly rule: string;
} & Removed;

type Removed =
  | { readonly kind: 'image'; readonly image: UsedImage; readonly reason: ImageReason }
  | {
      readonly kind: 'container';
      readonly container: NodeContainer;
      readonly reason: ContainerReason;
    }
  | {
      readonly kind: 'sandbox';
      readonly sandbox: NodeSandbox;
      readonly reason: JudgedSandbox<NodeSandbox>['reason'];
    };

/** What a step removes: the same thing has the same key. */
export function keyOf(step: KubeletStep): string {
  if (step.kind === 'container') return `container ${step.container.id}`;
  if (step.kind === 'sandbox') return `sandbox ${step.sandbox.id}`;
  const { id, names } = step.image.image;
  return `image ${id ?? names[0] ?? ''} ${step.image.size}`;
}
