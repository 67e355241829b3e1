import type { ObjectRecord } from '../../kube/object-record.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

/** What a GET met. */
export type Found =
  | { readonly found: 'object'; readonly manifest: KubeObject }
  | { readonly found: 'nothing' }
  | { readonly found: 'unknown'; readonly message: string };

const notAsked: Found = { found: 'unknown', message: 'it was not read' };

/** What is in the cluster now, where it matters for a restoration. */
export class LiveObjects {
  readonly #found = new Map<string, Found>();

  set(at: ObjectLocation, found: Found): void {
    this.#found.set(locationKey(at), found);
  }

  /** What was not requested is unknown, never absent. */
  at(place: ObjectLocation): Found {
    return this.#found.get(locationKey(place)) ?? notAsked;
  }

  /** Why some places could not be read; each reason once. */
  problems(): string[] {
    const found = [...this.#found.values()];
    return [...new Set(found.flatMap((one) => (one.found === 'unknown' ? one.message : [])))];
  }
}

export function uidOf({ metadata }: KubeObject): string {
  return String(metadata.uid ?? '');
}

export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** What was found at the places that were read, with objects that are to come; and nothing else. */
export function snapshotAt(
  places: readonly ObjectLocation[],
  live: LiveObjects,
  types: ResourceTypes,
  toCome: readonly ObjectRecord[] = [],
): Snapshot {
  const known = places.filter((place) => live.at(place).found !== 'unknown');
  const asked = known.map(({ type, namespace, name }) => ({
    resource: groupResourceOf(type),
    namespace,
    name,
  }));
  const found = known.flatMap((place) => {
    const there = live.at(place);
    return there.found === 'object' ? recordOf(there.manifest, place.type) : [];
  });
  return {
    records: [...found, ...toCome],
    types,
    coverage: { read: [], asked, problems: [] },
    observedAt: '',
    serverVersion: undefined,
    origin: { kind: 'files', paths: [] },
  };
}
