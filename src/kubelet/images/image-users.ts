import type { NodeContainer, NodeFacts, NodeImage } from '../node-facts.ts';

/** What keeps an image: a container of it, or a pod that mounts it or names it in its spec. */
export interface KnownImageUser {
  /** `namespace/name`; empty when not known. */
  readonly pod: string;
  /** Empty for a volume. */
  readonly container: string;
  /** Empty for a volume, and for a container that only the spec of its pod names. */
  readonly containerId: string;
  readonly state: NodeContainer['state'] | 'mounted' | 'in-spec';
}

type ImageFacts = Pick<NodeFacts, 'images' | 'containers' | 'containersSource' | 'pods'>;

/** Who uses each image. */
export function imageUsers(facts: ImageFacts): ReadonlyMap<NodeImage, readonly KnownImageUser[]> {
  const { images = [], containers = [], pods = [] } = facts;
  const { byReference, byContainer } = imageFinder(facts);
  const users = new Map<NodeImage, KnownImageUser[]>(images.map((image) => [image, []]));
  for (const container of containers) {
    const image = byContainer(container);
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
  for (const { pod, container, image } of specUsers(facts)) {
    if (image) users.get(image)?.push({ pod, container, containerId: '', state: 'in-spec' });
  }
  return users;
}

/** A container that only the spec of its pod shows, as its status is missing. */
interface SpecUser {
  /** `namespace/name` */
  readonly pod: string;
  readonly container: string;
  readonly reference: string;
  /** Undefined: none of the node's images is called so; which one it uses is not known. */
  readonly image: NodeImage | undefined;
}

/** Containers that only specs show: unless the runtime says otherwise, they exist. */
export function specUsers(facts: ImageFacts): SpecUser[] {
  const { containers = [], containersSource, pods = [] } = facts;
  const { byReference, byContainer } = imageFinder(facts);
  return pods.flatMap(({ uid, namespace, name, unreported }) =>
    unreported.flatMap(({ name: container, image: reference }) => {
      const listed = containers.filter((one) => one.podUid === uid && one.name === container);
      // A container that the runtime does not list does not exist, and keeps no image (IMG-5).
      if (containersSource === 'runtime' && listed.every((one) => byContainer(one))) return [];
      const image = byReference(reference);
      return [{ pod: `${namespace}/${name}`, container, reference, image }];
    }),
  );
}

/**
 * Finds images. What the runtime says is compared by id, as the kubelet does (IMG-5); what the API says
 * names images by digest or tag.
 */
function imageFinder({ images = [], containersSource }: Omit<ImageFacts, 'pods'>) {
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
  const byContainer = ({ imageRefs, withoutId }: NodeContainer): NodeImage | undefined => {
    if (containersSource === 'runtime' && !withoutId) return byId.get(imageRefs[0] ?? '');
    for (const reference of imageRefs) {
      const image = byReference(reference);
      if (image) return image;
    }
    return undefined;
  };
  return { byReference, byContainer };
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
  const { byContainer } = imageFinder(facts);
  return containers.filter((container) => !byContainer(container));
}
