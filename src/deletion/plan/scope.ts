import { defaultSimulationSettings } from '../../controllers/settings/controller-settings.ts';
import {
  type EnabledControllers,
  enabledControllers,
} from '../../controllers/settings/enabled-controllers.ts';
import { type Deliveries, deliveriesAmong } from '../../delivery/deliveries.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { asBackdrop } from '../../simulator/engine/backdrop.ts';
import { reachOf } from '../../simulator/reach.ts';
import { inContentOrder } from '../../snapshot/in-order.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { partOf } from './part-of-snapshot.ts';
import { plainContentOf } from './plain-content.ts';
import type { DeletionIntent, PlanContext } from './plan.ts';
import { type ProvenRefusal, provenRefusals } from './proven-refusals.ts';

/** The part of a snapshot that a deletion can affect. All policies have the same. */
export interface Scope {
  /** The snapshot without the objects that do not matter to the plan. */
  readonly snapshot: Snapshot;
  /** The objects that the deletion can touch, and those that decide about them, by content. */
  readonly records: readonly ObjectRecord[];
  /** The objects among these that are deleted with their namespace, and need not be played. */
  readonly content: ReadonlySet<ObjectRecord>;
  /** The rest of `snapshot`, which stays as it is. */
  readonly others: readonly ObjectRecord[];
  /** Objects whose deletion the API server refuses to every client. */
  readonly proven: ReadonlyMap<string, ProvenRefusal>;
  readonly deliveries: Deliveries;
  readonly isEnabled: EnabledControllers;
}

export function scopeOf(
  whole: Snapshot,
  { targets }: Pick<DeletionIntent, 'targets'>,
  context: PlanContext,
): Scope {
  const settings = { ...defaultSimulationSettings, ...context.settings };
  const isEnabled = enabledControllers(settings.controllers);
  const proven = provenRefusals(whole);
  const reach = context.reach ?? reachOf(whole, targets, settings);
  if (!reach) {
    const records = inContentOrder(whole.records);
    const deliveries = deliveriesAmong(whole.records);
    const content = new Set<ObjectRecord>();
    return { snapshot: whole, records, content, others: [], proven, deliveries, isEnabled };
  }
  const snapshot = partOf(whole, reach);
  const { members, backdrop } = reach;
  const played = new Set([...members, ...backdrop]);
  return {
    snapshot,
    records: [...inContentOrder(members), ...inContentOrder(backdrop).map(asBackdrop)],
    content: plainContentOf(reach, targets, whole.types, ({ uid }) => proven.has(uid)),
    others: snapshot.records.filter((record) => !played.has(record)),
    proven,
    deliveries: deliveriesAmong(snapshot.records),
    isEnabled,
  };
}

/** The objects that have to be played. */
export function playedRecords({ records, content }: Scope): readonly ObjectRecord[] {
  return content.size === 0 ? records : records.filter((record) => !content.has(record));
}
