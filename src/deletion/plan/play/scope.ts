import { accounts } from '../../../controllers/bookkeeping.ts';
import type { EndedPods } from '../../../controllers/pod-gc/pass.ts';
import { type Deliveries, deliveriesAmong } from '../../../delivery/deliveries.ts';
import { isTool } from '../../../delivery/tools.ts';
import type { ObjectRecord } from '../../../kube/object-record.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from '../../../kube/resource-type.ts';
import { isPod } from '../../../kube/well-known-kinds.ts';
import { programKinds } from '../../../programs/program-life.ts';
import { defaultSimulationSettings } from '../../../settings/controller-settings.ts';
import {
  type EnabledControllers,
  enabledControllers,
} from '../../../settings/enabled-controllers.ts';
import { asBackdrop } from '../../../simulator/engine/acting-records.ts';
import type { Reach } from '../../../simulator/reach.ts';
import { inContentOrder, type Snapshot } from '../../../snapshot/snapshot.ts';
import type { DeletionIntent, PlanContext } from '../plan.ts';
import { type Refusals, refusalsNow } from '../proven-refusals.ts';
import { isForeign } from './blocking-finalizers.ts';
import { plainContentOf } from './plain-content.ts';
import { deletionReach, endedPodsBeside, podsThatMayStay } from './pods-that-stay.ts';

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
  /** Objects whose deletion the API server refuses to every client, until their webhooks have servers. */
  readonly proven: Refusals;
  readonly deliveries: Deliveries;
  readonly isEnabled: EnabledControllers;
  /** The Pods that have ended, in the whole cluster, where others may end and stay. */
  readonly ended: EndedPods;
}

export function scopeOf(
  whole: Snapshot,
  { targets }: Pick<DeletionIntent, 'targets'>,
  context: PlanContext,
): Scope {
  const settings = { ...defaultSimulationSettings, ...context.settings };
  const isEnabled = enabledControllers(settings.controllers);
  const reach = context.reach ?? deletionReach(whole, targets, context.settings, context.now);
  const proven = provenRefusals(whole, targets, context, reach?.members);
  const staying = podsThatMayStay(reach?.members ?? whole.records, context.settings);
  const ended = endedPodsBeside(whole.records, staying, context.settings);
  if (!reach) {
    const records = inContentOrder(whole.records);
    const deliveries = deliveriesAmong(whole.records);
    const content = new Set<ObjectRecord>();
    return { snapshot: whole, records, content, others: [], proven, deliveries, isEnabled, ended };
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
    ended,
  };
}

/** What webhooks without a server refuse. Those that are to be deleted refuse nothing any more. */
function provenRefusals(
  whole: Snapshot,
  targets: readonly ObjectRecord[],
  { refusals = new Map() }: PlanContext,
  reached = whole.records,
): Refusals {
  const known = new Map([...refusalsNow(whole, 'delete'), ...refusals]);
  if (known.size === 0) return known;
  const named = new Set(targets.map(({ uid }) => uid));
  return new Map(
    reached.flatMap(({ uid }) => {
      const refusal = known.get(uid);
      return refusal && !named.has(refusal.configuration.uid) ? [[uid, refusal] as const] : [];
    }),
  );
}

export function playedRecords({ records, content }: Scope): readonly ObjectRecord[] {
  return content.size === 0 ? records : records.filter((record) => !content.has(record));
}

/**
 * What of a snapshot a plan has to look at. Where nothing leads out of some namespaces, that is what is in these or in
 * none, and of the others only what is looked for in all of them: most of a large cluster is in none of both.
 * @internal
 */
export function partOf(snapshot: Snapshot, reach: Reach | undefined): Snapshot {
  const { within, members } = reach ?? { members: [] };
  // The program that removes a finalizer may be any.
  const areHeld = members.some(({ finalizers }) => finalizers.some(isForeign));
  if (!within || areHeld) return snapshot;
  const isSought = soughtFor(members);
  const records = snapshot.records.filter(
    (record) => record.namespace === '' || within.has(record.namespace) || isSought(record),
  );
  return { ...snapshot, records };
}

/**
 * Selects objects that are needed from all namespaces: programs, and objects that wait for one; Leases; objects of delivery
 * tools; objects for which the API server keeps others. And the first object of each kind: a kind of which files contain an
 * object counts as read.
 */
function soughtFor(members: readonly ObjectRecord[]): (record: ObjectRecord) => boolean {
  const kinds = new Set(members.map(({ type }) => groupResourceOf(type)));
  const keeping = accounts.filter(({ kept }) => kinds.has(kept)).map(({ of }) => of);
  const wanted = new Set([...programKinds, ...keeping, 'leases.coordination.k8s.io']);
  const known = new Map<ResourceType, boolean>();
  return (record) => {
    const { type, finalizers, ownerReferences } = record;
    const isFirst = !known.has(type);
    if (isFirst) {
      const tool = { apiVersion: apiVersionOf(type), kind: type.kind };
      known.set(type, wanted.has(groupResourceOf(type)) || isTool(tool));
    }
    if (isFirst || finalizers.length > 0) return true;
    // A pod with an owner runs the program of that.
    return known.get(type) === true && (ownerReferences.length === 0 || !isPod(record));
  };
}
