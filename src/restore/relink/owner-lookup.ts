import type { OwnerReference } from '../../kube/object-record.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { apiVersionOf, parseApiVersion, type ResourceType } from '../../kube/resource-type.ts';
import type { KindMapping, ResourceTypes } from '../../kube/resource-types.ts';
import {
  type Dependent,
  type NoPlace,
  ownerPlaceIn,
  ownerPlaceOf,
} from '../../snapshot/graph/owner-place.ts';
import type { SavedObject } from '../backup/saved-object.ts';

/** Where the garbage collector would look for an owner; or why it would not find it. */
export type OwnerPlace =
  | { readonly at: ObjectLocation; readonly apiVersion: string }
  | { readonly nowhere: string; readonly end: NoPlace['end'] };

/** Finds owners among the kinds that are served, and those that a saved definition will serve again. */
export class OwnerLookup {
  readonly #types: ResourceTypes;
  readonly #defined = new Map<string, ResourceType>();
  /** By group and kind: a version that will be served. */
  readonly #definedKinds = new Map<string, ResourceType>();

  constructor(types: ResourceTypes, saved: readonly SavedObject[]) {
    this.#types = types;
    const definitions = new Set(saved.filter(isDefinition).map(({ name }) => name));
    for (const { type, defines = [] } of saved) {
      const used = definitions.has(`${type.resource}.${type.group}`) ? [type] : [];
      for (const defined of [...used, ...defines]) {
        this.#defined.set(`${apiVersionOf(defined)} ${defined.kind}`, defined);
        const kind = `${defined.group} ${defined.kind}`;
        if (!this.#definedKinds.has(kind)) this.#definedKinds.set(kind, defined);
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

  placeOf(dependent: Dependent, reference: OwnerReference): OwnerPlace {
    const { apiVersion, kind, name } = reference;
    const mapping = this.#types.mapKind(apiVersion, kind);
    const defined = this.#defined.get(`${apiVersion} ${kind}`);
    // The garbage collector tries no other version (GC-29), so a reference to one that is gone is fixed.
    const other = defined ?? this.#otherVersion(mapping, reference);
    const isAsNow = mapping.kind === 'served' || !other;
    const place = isAsNow
      ? ownerPlaceOf(this.#types, dependent, reference)
      : ownerPlaceIn(other, dependent, reference);
    if (place.end === 'at') {
      const { type, namespace } = place;
      const isRenamed = !isAsNow && defined === undefined;
      return {
        at: { type, namespace, name },
        apiVersion: isRenamed ? apiVersionOf(type) : apiVersion,
      };
    }
    const { end, outcome, because } = place;
    if (outcome === 'unknown-kind') {
      return { nowhere: `${kind} ${name} could not be looked up: ${because}`, end };
    }
    const never = end === 'frozen' ? ', so the garbage collector never decides' : '';
    return { nowhere: because + never, end };
  }

  #otherVersion(
    mapping: KindMapping,
    { apiVersion, kind }: OwnerReference,
  ): ResourceType | undefined {
    if (mapping.kind !== 'unserved') return undefined;
    const group = parseApiVersion(apiVersion)?.group;
    return mapping.otherVersions[0] ?? this.#definedKinds.get(`${group} ${kind}`);
  }
}

export function isDefinition({ type }: { readonly type: ResourceType }): boolean {
  return type.group === 'apiextensions.k8s.io' && type.kind === 'CustomResourceDefinition';
}
