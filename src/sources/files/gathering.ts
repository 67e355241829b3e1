import type { ObjectRecord, Place } from '../../kube/object-record.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { SnapshotHeader } from '../../snapshot/decode.ts';
import type { Json } from '../../snapshot/json-value.ts';
import { KindTable } from './kind-table.ts';
import { LostKinds } from './lost-kinds.ts';
import { RecordCompactor } from './record-compactor.ts';

/** A list that says which kind it holds, such as a PodList. */
export interface TypedList {
  readonly apiVersion: string;
  /** Of its items. */
  readonly kind: string;
  readonly place: Place;
  /** It was fetched in pages and this one is not the last. */
  readonly continues: boolean;
}

/** What all inputs together have brought so far. */
export interface Gathering {
  readonly records: ObjectRecord[];
  readonly kinds: KindTable;
  /** Types with an object outside of saved snapshots. */
  readonly readTypes: Set<ResourceType>;
  readonly typedLists: TypedList[];
  readonly snapshots: SnapshotHeader[];
  readonly problems: CoverageProblem[];
  readonly lost: LostKinds;
  readonly compactor: RecordCompactor;
  /** Hears of every object in full, with the record that was made of it. */
  readonly onObject: ((object: Json, record: ObjectRecord) => void) | undefined;
}

export function newGathering(
  builtIn: readonly ResourceType[],
  onObject?: Gathering['onObject'],
): Gathering {
  return {
    records: [],
    kinds: new KindTable(builtIn),
    readTypes: new Set(),
    typedLists: [],
    snapshots: [],
    problems: [],
    lost: new LostKinds(),
    compactor: new RecordCompactor(),
    onObject,
  };
}
