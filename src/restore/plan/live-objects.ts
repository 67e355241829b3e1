import { textOrEmpty } from '../../kube/json-value.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { kindAndName, locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { type KubeObject, objectOf, recordOf } from '../../kube/record-codec.ts';
import { apiVersionOf, groupResourceOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { askedOf, coverageIndexOf } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

export interface FoundObject {
  readonly found: 'object';
  readonly manifest: KubeObject;
  /** It is of a snapshot, which keeps no data, and little of spec and status. */
  readonly partly?: true;
}

/** What a GET met. */
export type Found =
  | FoundObject
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
  return textOrEmpty(metadata.uid);
}

export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** What a snapshot says of these places, as GETs would: what it does not cover is unknown. */
export function liveInSnapshot(snapshot: Snapshot, places: readonly ObjectLocation[]): LiveObjects {
  const { records, types, coverage } = snapshot;
  const index = coverageIndexOf(coverage);
  const there = new Map(records.map((record) => [locationKey(record), record]));
  const live = new LiveObjects();
  for (const place of places) {
    const { type, namespace, name } = place;
    const record = there.get(locationKey(place));
    const isServed = types.find(apiVersionOf(type), type.kind) !== undefined;
    if (record) live.set(place, foundRecord(record));
    else if (!isServed || index.covers(type, namespace, name))
      live.set(place, { found: 'nothing' });
    else {
      const message = `${type.kind} ${name} is not in the snapshot, which does not hold all of its kind`;
      live.set(place, { found: 'unknown', message });
    }
  }
  return live;
}

/** Which volume and claim belong together is in their spec and status. */
const decidedBySpec = new Set(['persistentvolumes', 'persistentvolumeclaims']);

function foundRecord(record: ObjectRecord): Found {
  if (record.facts === undefined && decidedBySpec.has(groupResourceOf(record.type))) {
    const message = `the snapshot contains only the metadata of ${kindAndName(record)}`;
    return { found: 'unknown', message };
  }
  return { found: 'object', manifest: objectOf(record), partly: true };
}

/** What was found at the places that were read, with objects that are to come; and nothing else. */
export function snapshotAt(
  places: readonly ObjectLocation[],
  live: LiveObjects,
  types: ResourceTypes,
  toCome: readonly ObjectRecord[] = [],
): Snapshot {
  const known = places.filter((place) => live.at(place).found !== 'unknown');
  const found = known.flatMap((place) => {
    const there = live.at(place);
    return there.found === 'object' ? recordOf(there.manifest, place.type) : [];
  });
  return {
    records: [...found, ...toCome],
    types,
    coverage: { read: [], asked: known.map(askedOf), problems: [] },
    observedAt: '',
    serverVersion: undefined,
    origin: { kind: 'files', paths: [] },
  };
}
