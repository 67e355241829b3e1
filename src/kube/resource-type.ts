/** One served kind in one version, as API discovery describes it. */
export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural in the path: `deployments`. */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** What was spelled: it is asked of every object, and a text that was seen before is found and compared sooner than a new one. */
const apiVersions = new WeakMap<Pick<ResourceType, 'group' | 'version'>, string>();
const groupResources = new WeakMap<Pick<ResourceType, 'group' | 'resource'>, string>();

/** `v1`, `apps/v1`. */
export function apiVersionOf(type: Pick<ResourceType, 'group' | 'version'>): string {
  if (type.group === '') return type.version;
  return spelledOnce(apiVersions, type, ({ group, version }) => `${group}/${version}`);
}

/** `pods`, `deployments.apps`: names a kind whatever its version. */
export function groupResourceOf(type: Pick<ResourceType, 'group' | 'resource'>): string {
  if (type.group === '') return type.resource;
  return spelledOnce(groupResources, type, ({ group, resource }) => `${resource}.${group}`);
}

function spelledOnce<T extends object>(
  known: WeakMap<T, string>,
  type: T,
  spell: (type: T) => string,
): string {
  const found = known.get(type);
  if (found !== undefined) return found;
  const spelled = spell(type);
  known.set(type, spelled);
  return spelled;
}

/** Its data stays unread. */
export function isSecretType({ group, kind }: Pick<ResourceType, 'group' | 'kind'>): boolean {
  return group === '' && kind === 'Secret';
}

/** `pod`, `deployment.apps`: how kubectl prints a kind in front of a name. */
export function printedKindOf(type: Pick<ResourceType, 'group' | 'kind'>): string {
  const kind = type.kind.toLowerCase();
  return type.group === '' ? kind : `${kind}.${type.group}`;
}

type GroupVersion = Pick<ResourceType, 'group' | 'version'>;

/**
 * Splits `apps/v1` into group and version; undefined when it is malformed
 * (more than one slash), which the API server refuses (GC-67).
 */
export function parseApiVersion(apiVersion: string): GroupVersion | undefined {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  if (apiVersion.indexOf('/', slash + 1) >= 0) return undefined;
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

const collectable = ['delete', 'list', 'watch'];

/** Event objects are ignored by the garbage collector under both of their groups (GC-8). */
export function isEventType(type: Pick<ResourceType, 'group' | 'resource'>): boolean {
  return type.resource === 'events' && (type.group === '' || type.group === 'events.k8s.io');
}

/** The kind of objects that are stored, as in `jobs.batch`: Events are one kind behind two groups. */
export function storedAs(type: ResourceType): string {
  return isEventType(type) ? 'events' : groupResourceOf(type);
}

/** Does the garbage collector watch objects of this type (GC-8, GC-9)? */
export function isMonitored(type: ResourceType): boolean {
  return collectable.every((verb) => type.verbs.includes(verb)) && !isEventType(type);
}

/** Kinds whose objects are deleted with their namespace or definition: they can be listed and deleted, and are no Events. */
export function isDeletable(type: ResourceType): boolean {
  return ['list', 'delete'].every((verb) => type.verbs.includes(verb)) && !isEventType(type);
}

/** Mirrors UnsafeGuessKindToResource, apimachinery pkg/api/meta/restmapper.go. */
export function guessPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith('endpoints')) return singular;
  if (singular.endsWith('s')) return `${singular}es`;
  if (singular.endsWith('y')) return `${singular.slice(0, -1)}ies`;
  return `${singular}s`;
}
