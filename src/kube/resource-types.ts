import { pushTo } from './json-value.ts';
import {
  apiVersionOf,
  groupResourceOf,
  isMonitored,
  parseApiVersion,
  type ResourceType,
} from './resource-type.ts';

/** The group of a failure that could be about any group. */
export const unnamedGroup = '?';

/** A group version whose discovery failed, so that it is not known what it serves. */
export interface FailedGroupVersion {
  readonly group: string;
  /** Undefined when the whole group failed. */
  readonly version: string | undefined;
  readonly message: string;
}

/**
 * How a reference's (apiVersion, kind) maps to a resource (GC-29): `served`: to this type;
 * `list-kind`: to a guessed list resource, where every GET answers 404 (29c); `unserved`: to
 * nothing (`otherVersions` serve the kind); `unknown`: discovery did not answer.
 */
export type KindMapping =
  | { readonly kind: 'served'; readonly type: ResourceType }
  | { readonly kind: 'list-kind'; readonly namespaced: boolean }
  | { readonly kind: 'unserved'; readonly otherVersions: readonly ResourceType[] }
  | { readonly kind: 'unknown'; readonly because: string };

/** How much of what a cluster serves is known. */
interface Discovered {
  readonly failed?: readonly FailedGroupVersion[];
  readonly exhaustive: boolean;
  readonly wholeGroups?: ReadonlySet<string>;
}

/**
 * The kinds a cluster serves, every version of them, in the server's order of preference.
 * `exhaustive` is false when the list was put together from files, where a kind that is
 * not in it may be served all the same; not so in `wholeGroups`, of which every kind is in it.
 */
export class ResourceTypes {
  readonly all: readonly ResourceType[];
  readonly failed: readonly FailedGroupVersion[];
  readonly exhaustive: boolean;
  readonly wholeGroups: ReadonlySet<string>;
  /** By API version, then by kind. */
  readonly #byKind = new Map<string, Map<string, ResourceType>>();
  readonly #versionsOfKind = new Map<string, ResourceType[]>();
  readonly #byGroupResource = new Map<string, ResourceType[]>();
  readonly #groupVersions = new Set<string>();

  constructor(
    all: readonly ResourceType[],
    { failed = [], exhaustive, wholeGroups = new Set() }: Discovered,
  ) {
    this.all = all;
    this.failed = failed;
    this.exhaustive = exhaustive;
    this.wholeGroups = wholeGroups;
    for (const type of all) {
      const apiVersion = apiVersionOf(type);
      this.#groupVersions.add(apiVersion);
      // Every kind is registered under its own name and all in lower case (GC-29b).
      const kinds = this.#byKind.get(apiVersion) ?? new Map<string, ResourceType>();
      this.#byKind.set(apiVersion, kinds);
      for (const kind of new Set([type.kind, type.kind.toLowerCase()])) {
        if (!kinds.has(kind)) kinds.set(kind, type);
        pushTo(this.#versionsOfKind, `${type.group} ${kind}`, type);
      }
      pushTo(this.#byGroupResource, groupResourceOf(type), type);
    }
  }

  /** All versions of `deployments.apps`, the preferred one first. */
  versions(groupResource: string): readonly ResourceType[] {
    return this.#byGroupResource.get(groupResource) ?? [];
  }

  /** The exact type, or undefined. */
  find(apiVersion: string, kind: string): ResourceType | undefined {
    const type = this.#byKind.get(apiVersion)?.get(kind);
    return type?.kind === kind ? type : undefined;
  }

  /** The kind in the version that is preferred, or undefined. */
  ofKind(group: string, kind: string): ResourceType | undefined {
    return this.#versionsOfKind.get(`${group} ${kind}`)?.find((type) => type.kind === kind);
  }

  /**
   * The first listed version of each resource: what the garbage collector and `kubectl get` would
   * list.
   */
  preferred(): ResourceType[] {
    return [...this.#byGroupResource.values()].map((versions) => versions[0] as ResourceType);
  }

  /** Preferred types the garbage collector watches (GC-8). */
  monitored(): ResourceType[] {
    return this.preferred().filter(isMonitored);
  }

  /**
   * How the garbage collector's REST mapper resolves a reference; mirrors
   * restmapper.NewDiscoveryRESTMapper (GC-29).
   */
  mapKind(apiVersion: string, kind: string): KindMapping {
    const served = this.#byKind.get(apiVersion)?.get(kind);
    if (served) return { kind: 'served', type: served };
    const list = this.#mapListKind(apiVersion, kind);
    if (list) return list;
    const parsed = parseApiVersion(apiVersion);
    if (!parsed) return { kind: 'unserved', otherVersions: [] };
    const otherVersions = this.#versionsOfKind.get(`${parsed.group} ${kind}`) ?? [];
    const respelt = respeltVersion(parsed.version, otherVersions, apiVersion);
    if (respelt) return { kind: 'served', type: respelt };
    const failure = this.failed.find(
      (f) =>
        mayConcern(f, parsed.group) && (f.version === undefined || f.version === parsed.version),
    );
    if (failure) return { kind: 'unknown', because: failure.message };
    const isWhole =
      this.exhaustive || this.wholeGroups.has(parsed.group) || isBuiltInGroup(parsed.group);
    if (isWhole || otherVersions.length > 0) {
      return { kind: 'unserved', otherVersions };
    }
    return {
      kind: 'unknown',
      because: `the input does not say whether ${apiVersion} ${kind} is served`,
    };
  }

  /** Only `PodList` and `List` are guessed, not `podlist`: list kinds are registered in one spelling. */
  #mapListKind(apiVersion: string, kind: string): KindMapping | undefined {
    if (!kind.endsWith('List')) return undefined;
    if (kind === 'List') {
      return this.#groupVersions.has(apiVersion)
        ? { kind: 'list-kind', namespaced: false }
        : undefined;
    }
    const type = this.find(apiVersion, kind.slice(0, -'List'.length));
    return type && { kind: 'list-kind', namespaced: type.namespaced };
  }
}

/** May this failure be the reason why a kind of this group is unknown? */
export function mayConcern({ group: failed }: FailedGroupVersion, group: string): boolean {
  return failed === group || failed === unnamedGroup;
}

/** `/v1` is `v1`, and `__internal` stands for the preferred version. */
function respeltVersion(
  version: string,
  versions: readonly ResourceType[],
  apiVersion: string,
): ResourceType | undefined {
  if (version === '__internal') return versions[0];
  return apiVersion.startsWith('/') ? versions.find((type) => type.version === version) : undefined;
}

/** Groups whose names only Kubernetes itself may use: no CRD can serve a kind in them unnoticed. */
export function isBuiltInGroup(group: string): boolean {
  return !group.includes('.') || builtInDottedGroups.has(group);
}

/** May a list of these objects be called so? A custom kind may name its list as it likes. */
export function mayListAs(
  { group, kind }: Pick<ResourceType, 'group' | 'kind'>,
  list: string,
): boolean {
  if (!list.endsWith('List') || !isBuiltInGroup(group)) return true;
  return ['List', `${kind}List`, 'PartialObjectMetadataList'].includes(list);
}

const builtInDottedGroups = new Set([
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);
