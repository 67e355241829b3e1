import type { ContainerState } from '../containers/container-gc.ts';
import type { NodeContainer, NodeFacts, NodeImage } from '../node-facts.ts';

/** What keeps an image: a container of it, or a pod that mounts it. */
export interface KnownImageUser {
  /** `namespace/name`; empty when not known. */
  readonly pod: string;
  /** Empty for a volume. */
  readonly container: string;
  /** Empty for a volume. */
  readonly containerId: string;
  readonly state: ContainerState | 'mounted';
}

/**
 * Who uses each image. What the runtime says is compared by id, as the kubelet does (IMG-5); what the
 * API says names images by digest or tag.
 */
export function imageUsers({
  images = [],
  containers = [],
  containersSource,
  pods = [],
}: Pick<NodeFacts, 'images' | 'containers' | 'containersSource' | 'pods'>): ReadonlyMap<
  NodeImage,
  readonly KnownImageUser[]
> {
  const byId = new Map<string, NodeImage>();
  const byName = new Map<string, NodeImage>();
  for (const image of images) {
    if (image.id !== undefined) byId.set(image.id, image);
    for (const name of image.names) {
      byName.set(fullName(name), image);
      const digest = digestOf(name);
      if (digest !== undefined) byName.set(digest, image);
    }
  }
  const byReference = (reference: string): NodeImage | undefined =>
    byId.get(reference) ??
    byName.get(digestOf(reference) ?? fullName(reference)) ??
    byName.get(fullName(reference));
  const find = ({ imageRefs, withoutId }: NodeContainer): NodeImage | undefined => {
    if (containersSource === 'runtime' && !withoutId) return byId.get(imageRefs[0] ?? '');
    for (const reference of imageRefs) {
      const image = byReference(reference);
      if (image) return image;
    }
    return undefined;
  };
  const users = new Map<NodeImage, KnownImageUser[]>(images.map((image) => [image, []]));
  for (const container of containers) {
    const image = find(container);
    const { pod, name, id, state } = container;
    if (image) users.get(image)?.push({ pod, container: name, containerId: id, state });
  }
  for (const { namespace, name, mountedImages } of pods) {
    for (const reference of mountedImages) {
      const image = byReference(reference);
      const user = { container: '', containerId: '', state: 'mounted' } as const;
      if (image) users.get(image)?.push({ pod: `${namespace}/${name}`, ...user });
    }
  }
  return users;
}

/**
 * `nginx` → `docker.io/library/nginx:latest`, as runtimes complete names.
 * @internal
 */
export function fullName(name: string): string {
  const plain = name.replace(/^[a-z-]+:\/\//, '');
  const [first = ''] = plain.split('/');
  const hasRegistry = plain.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  const path = hasRegistry ? plain : `docker.io/${plain.includes('/') ? '' : 'library/'}${plain}`;
  const last = path.slice(path.lastIndexOf('/') + 1);
  return /[:@]/.test(last) ? path : `${path}:latest`;
}

function digestOf(name: string): string | undefined {
  const at = name.lastIndexOf('@');
  return at < 0 ? undefined : name.slice(at + 1);
}

/**
 * Containers whose image the runtime does not list: both lists are of different nodes or moments,
 * or the container's image is written in another form. Then it is not known which images are unused.
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
