import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { nothingThere, ownerPlaceOf, uidElsewhere } from '../../snapshot/graph/owner-place.ts';
import type { ClusterState } from '../engine/cluster-state.ts';
import type { ReadCoverage } from '../simulation-input.ts';

/** What a live GET of an object by a reference's coordinates leads to (GC-27, GC-29). */
export type Lookup =
  | { readonly kind: 'found'; readonly record: ObjectRecord }
  | { readonly kind: 'absent'; readonly namespaced: boolean; readonly because: string }
  | { readonly kind: 'unresolvable'; readonly because: string }
  | { readonly kind: 'namespaced-owner-of-cluster-object'; readonly because: string }
  /**
   * The input does not say. The garbage collector knows, this program does not: nothing may follow
   * from it.
   */
  | { readonly kind: 'unknown'; readonly because: string }
  /** The API server did not answer, or answered with an error: another attempt may succeed. */
  | { readonly kind: 'no-answer'; readonly because: string };

/** Looks objects up as the garbage collector's clients do: exact version, no fallback (GC-29). */
export class OwnerLookup {
  /** What the garbage collector's REST mapper knows; follows discovery with a delay (GC-80). */
  types: ResourceTypes;
  readonly #state: ClusterState;
  readonly #known: ReadCoverage;
  readonly #existsElsewhere: (uid: string) => boolean;

  constructor(state: ClusterState, known: ReadCoverage, existsElsewhere: (uid: string) => boolean) {
    this.types = state.types;
    this.#state = state;
    this.#known = known;
    this.#existsElsewhere = existsElsewhere;
  }

  /** `namespace` is that of the object whose reference is followed. */
  find(wanted: Omit<ObjectReference, 'namespace'>, namespace: string): Lookup {
    const { apiVersion, kind, name, uid } = wanted;
    const place = placeOrEnd(this.types, wanted, namespace);
    if (place.kind !== 'at') {
      const isUnserved = place.kind === 'unknown' && place.isUnknownKind;
      if (!isUnserved || !this.#known.hasKind(apiVersion)) return place;
      return { kind: 'unresolvable', because: `no API of the input serves ${apiVersion} ${kind}` };
    }
    const { namespaced } = place.type;
    const where = namespaced ? ` in namespace ${namespace}` : '';
    const record = this.#state.get(place.type, place.namespace, name);
    if (record) {
      if (record.uid !== '') return { kind: 'found', record };
      const because = `${kind} ${name}${where} has no uid in the input`;
      return { kind: 'unknown', because };
    }
    const isRead = this.#known.covers(place.type, place.namespace, name);
    // A uid belongs to one object only: known elsewhere, it cannot be here as well, read or not.
    if (!isRead && !this.#existsElsewhere(uid))
      return { kind: 'unknown', because: `${kind} objects${where} were not read` };
    const gone = isRead ? nothingThere : uidElsewhere;
    const because = gone({ kind, name }, place.namespace);
    return { kind: 'absent', namespaced, because };
  }
}

/** Where to ask for an object, or the answer that needs no question. */
export function placeOrEnd(
  types: ResourceTypes,
  wanted: Omit<ObjectReference, 'namespace'>,
  namespace: string,
) {
  const dependent = { type: { namespaced: namespace !== '' }, namespace };
  const place = ownerPlaceOf(types, dependent, wanted);
  if (place.end === 'at') {
    return { kind: 'at', type: place.type, namespace: place.namespace } as const;
  }
  const { because, outcome } = place;
  if (place.end === 'gone') {
    return { kind: 'absent', namespaced: place.namespaced, because } as const;
  }
  if (place.end === 'unknown') {
    return { kind: 'unknown', because, isUnknownKind: outcome === 'unknown-kind' } as const;
  }
  const isInNone = outcome === 'namespaced-owner-of-cluster-object';
  return { kind: isInNone ? outcome : 'unresolvable', because } as const;
}
