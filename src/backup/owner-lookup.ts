import type { OwnerReference } from '../kube/object-record.ts';
import { leadsElsewhere, notAName } from '../kube/path-segment.ts';
import { apiVersionOf, type ResourceType } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import type { Coordinates, SavedObject } from './saved-object.ts';

/** Where the collector would look for an owner; or why it never finds out. */
export type OwnerPlace =
  | { readonly at: Coordinates; readonly apiVersion: string }
  | { readonly unresolvable: string };

/** Finds owners among the kinds that are served, and those that a saved definition will serve again. */
export class OwnerLookup {
  readonly #types: ResourceTypes;
  readonly #defined = new Map<string, ResourceType>();

  constructor(types: ResourceTypes, saved: readonly SavedObject[]) {
    this.#types = types;
    const definitions = new Set(saved.filter(isDefinition).map(({ name }) => name));
    for (const { type } of saved) {
      if (definitions.has(`${type.resource}.${type.group}`)) {
        this.#defined.set(`${apiVersionOf(type)} ${type.kind}`, type);
      }
    }
  }

  /** The kind as it is or will be served; undefined when it will not. */
  typeOf(apiVersion: string, kind: string): ResourceType | undefined {
    return this.#types.find(apiVersion, kind) ?? this.#defined.get(`${apiVersion} ${kind}`);
  }

  /** Is the kind served now? */
  isServed(type: ResourceType): boolean {
    return this.#types.find(apiVersionOf(type), type.kind) !== undefined;
  }

  placeOf(
    { type: { namespaced }, namespace }: Coordinates,
    { apiVersion, kind, name }: OwnerReference,
  ): OwnerPlace {
    const mapping = this.#types.mapKind(apiVersion, kind);
    const defined = this.#defined.get(`${apiVersion} ${kind}`);
    const type = mapping.kind === 'served' ? mapping.type : (defined ?? otherVersion(mapping));
    if (!type) {
      return {
        unresolvable: `no API serves ${apiVersion} ${kind}, so the collector never decides`,
      };
    }
    if (leadsElsewhere(name)) return { unresolvable: notAName(kind, name) };
    if (type.namespaced && !namespaced) {
      const because = `a cluster-scoped object has no namespace in which ${kind} ${name} could be looked up, so the collector never decides`;
      return { unresolvable: because };
    }
    const at = { type, namespace: type.namespaced ? namespace : '', name };
    // The collector tries no other version (GC-29), so a reference to one that is gone is mended.
    const isRenamed = mapping.kind !== 'served' && defined === undefined;
    return { at, apiVersion: isRenamed ? apiVersionOf(type) : apiVersion };
  }
}

function otherVersion(mapping: ReturnType<ResourceTypes['mapKind']>): ResourceType | undefined {
  return mapping.kind === 'unserved' ? mapping.otherVersions[0] : undefined;
}

export function isDefinition({ type }: { readonly type: ResourceType }): boolean {
  return type.group === 'apiextensions.k8s.io' && type.kind === 'CustomResourceDefinition';
}
