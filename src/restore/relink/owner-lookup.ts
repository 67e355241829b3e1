import type { OwnerReference } from '../../kube/object-record.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import { leadsElsewhere, notAName } from '../../kube/path-segment.ts';
import { apiVersionOf, parseApiVersion, type ResourceType } from '../../kube/resource-type.ts';
import type { KindMapping, ResourceTypes } from '../../kube/resource-types.ts';
import type { SavedObject } from '../backup/saved-object.ts';

/**
 * Where the garbage collector would look for an owner; or why it would not find it. frozen: it
 * never decides; gone: every answer is 404; unknown: the kind could not be discovered.
 */
export type OwnerPlace =
  | { readonly at: ObjectLocation; readonly apiVersion: string }
  | { readonly nowhere: string; readonly end: 'frozen' | 'gone' | 'unknown' };

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

  placeOf(
    { type: { namespaced }, namespace }: ObjectLocation,
    reference: OwnerReference,
  ): OwnerPlace {
    const { apiVersion, kind, name } = reference;
    const mapping = this.#types.mapKind(apiVersion, kind);
    const defined = this.#defined.get(`${apiVersion} ${kind}`);
    const type =
      mapping.kind === 'served'
        ? mapping.type
        : (defined ?? this.#otherVersion(mapping, reference));
    if (!type) return nowhere(mapping, reference);
    if (leadsElsewhere(name)) return { nowhere: notAName(kind, name), end: 'unknown' };
    if (type.namespaced && !namespaced) {
      const because = `a cluster-scoped object has no namespace in which ${kind} ${name} could be looked up, so the collector never decides`;
      return { nowhere: because, end: 'frozen' };
    }
    const at = { type, namespace: type.namespaced ? namespace : '', name };
    // The garbage collector tries no other version (GC-29), so a reference to one that is gone is
    // fixed.
    const isRenamed = mapping.kind !== 'served' && defined === undefined;
    return { at, apiVersion: isRenamed ? apiVersionOf(type) : apiVersion };
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

function nowhere(
  mapping: KindMapping,
  { apiVersion, kind, name }: OwnerReference,
): Extract<OwnerPlace, { nowhere: string }> {
  switch (mapping.kind) {
    case 'unknown':
      return {
        nowhere: `${kind} ${name} could not be looked up: ${mapping.because}`,
        end: 'unknown',
      };
    case 'list-kind':
      return {
        nowhere: `${apiVersion} ${kind} is a list, and no object has that kind`,
        end: 'gone',
      };
    default: {
      const why = `no API serves ${apiVersion} ${kind}, so the collector never decides`;
      return { nowhere: why, end: 'frozen' };
    }
  }
}

export function isDefinition({ type }: { readonly type: ResourceType }): boolean {
  return type.group === 'apiextensions.k8s.io' && type.kind === 'CustomResourceDefinition';
}
