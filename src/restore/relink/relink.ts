import type { OwnerReference } from '../../kube/object-record.ts';
import { inWords, locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { apiVersionOf, parseApiVersion, type ResourceType } from '../../kube/resource-type.ts';
import type { KindMapping, ResourceTypes } from '../../kube/resource-types.ts';
import { isCustomResourceDefinition } from '../../kube/well-known-kinds.ts';
import {
  type Dependent,
  type NoPlace,
  ownerPlaceIn,
  ownerPlaceOf,
} from '../../snapshot/graph/owner-place.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import { isTerminating, type LiveObjects, uidOf } from '../plan/live-objects.ts';
import type { RelinkedReference, RestoredReference } from '../plan/restoration.ts';

export interface RelinkContext {
  readonly lookup: OwnerLookup;
  readonly live: LiveObjects;
  /** The objects that are or will be created, by key. */
  readonly toCome: ReadonlyMap<string, SavedObject>;
  /** uids are those of this cluster: a reference to another uid was broken before. */
  readonly sameCluster: boolean;
}

type LiveLookup = { readonly live: Pick<LiveObjects, 'at'> };

/**
 * Where a saved reference leads when its object is there again: to the owner that has the
 * reference's kind, namespace and name now, or will have when it is restored too.
 */
export function relinkReference(
  dependent: ObjectLocation,
  reference: OwnerReference,
  { lookup, live, toCome, sameCluster }: Omit<RelinkContext, 'live'> & LiveLookup,
): RelinkedReference {
  const { kind, name, uid } = reference;
  const place = lookup.placeOf(dependent, reference);
  const result = (
    change: RestoredReference['change'],
    end: RelinkedReference['end'],
    because: string,
    to = '',
    owner?: string,
    apiVersion = reference.apiVersion,
  ): RelinkedReference => ({
    reference: { ...reference, apiVersion, ...(to !== '' && { uid: to }) },
    told: { apiVersion, kind, name, from: uid, to, change, because },
    owner,
    end,
  });
  // In another cluster the uid names nothing, even if no one can say so yet.
  const leftAs = sameCluster ? 'kept' : 'dropped';
  const left = sameCluster ? uid : '';
  if ('nowhere' in place) {
    const { end, outcome, nowhere, because } = place;
    if (end === 'gone') return result('dropped', end, nowhere);
    // Whatever is served later, the collector never looks such an owner up (GC-45).
    if (outcome === 'namespaced-owner-of-cluster-object') return result('kept', end, nowhere, uid);
    if (end === 'unknown' || sameCluster) return result(leftAs, end, nowhere, left);
    return result('dropped', end, `${because}, and once it is served, no owner has its uid`);
  }

  const { at, apiVersion } = place;
  const owner = locationKey(at);
  const words = inWords(at);
  const coming = toCome.get(owner);
  if (coming) {
    // In a backup of this cluster both uids are known: a broken reference is not to be fixed by chance.
    if (sameCluster && coming.uid !== '' && uid !== coming.uid) {
      return result('dropped', 'gone', `it named another ${words}, which was already gone`);
    }
    return result('to-come', 'solid', `${words} is restored first`, '', owner, apiVersion);
  }
  const found = live.at(at);
  if (found.found === 'unknown') {
    return result(leftAs, 'unknown', `${words} could not be looked up: ${found.message}`, left);
  }
  if (found.found === 'nothing') return result('dropped', 'gone', `there is no ${words}`);
  if (isTerminating(found.manifest)) return result('dropped', 'gone', `${words} is being deleted`);
  const to = uidOf(found.manifest);
  if (to === uid) return result('kept', 'solid', `${words} is still there`, uid, owner, apiVersion);
  return result('relinked', 'solid', `${words} has another uid now`, to, owner, apiVersion);
}

/** Where the garbage collector would look for an owner; or why it would not find it. */
type OwnerPlace =
  | { readonly at: ObjectLocation; readonly apiVersion: string }
  | (Pick<NoPlace, 'end' | 'outcome' | 'because'> & { readonly nowhere: string });

/** Finds owners among the kinds that are served, and those that a saved definition will serve again. */
export class OwnerLookup {
  readonly #types: ResourceTypes;
  readonly #defined = new Map<string, ResourceType>();
  /** By group and kind: a version that will be served. */
  readonly #definedKinds = new Map<string, ResourceType>();

  constructor(types: ResourceTypes, saved: readonly SavedObject[]) {
    this.#types = types;
    const definitions = new Set(saved.filter(isCustomResourceDefinition).map(({ name }) => name));
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
    // The garbage collector tries no other version (GC-29), so a reference with a version that is not served is fixed.
    const other = defined ?? this.#otherVersion(mapping, reference);
    const isAsNow = mapping.kind === 'served' || !other;
    const place = isAsNow
      ? ownerPlaceOf(this.#types, dependent, reference)
      : ownerPlaceIn(other, dependent, reference);
    if (place.end === 'at') {
      const { type, namespace } = place;
      return {
        at: { type, namespace, name },
        apiVersion: isAsNow ? apiVersion : apiVersionOf(type),
      };
    }
    const { end, outcome, because } = place;
    if (outcome === 'unknown-kind') {
      return {
        nowhere: `${kind} ${name} could not be looked up: ${because}`,
        because,
        end,
        outcome,
      };
    }
    const never = end === 'frozen' ? ', so the garbage collector never decides' : '';
    return { nowhere: because + never, because, end, outcome };
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
