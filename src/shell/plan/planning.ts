import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { get, metadataOrJson } from '../../cluster/get.ts';
import type {
  DeletionIntent,
  Plan,
  PlanContext,
  PlannedCluster,
} from '../../deletion/plan/plan.ts';
import { planDeletion } from '../../deletion/plan/plan-deletion.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { jsonOf } from '../../perform/failure.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { DeleteFlags, DeleteOptions } from '../flags/delete-options.ts';
import type { OpenedCluster, Session } from '../input/session.ts';
import { computing, type Interruption } from '../terminal/interruption.ts';
import { planOfRead, readPrograms, sameObjects } from './read-for-plan.ts';

/** What the steps of one deletion share before a cluster is asked. */
export interface Deletion {
  readonly session: Session;
  readonly flags: DeleteFlags;
  readonly options: DeleteOptions;
  readonly interruption: Interruption;
  /** Of a preview: the same command without it, to be pasted into a shell. */
  readonly withoutPreview?: string;
}

/** The same on a cluster. */
export interface LiveDeletion extends Omit<Deletion, 'session'> {
  readonly cluster: OpenedCluster;
}

export function intentOf(
  targets: readonly ObjectRecord[],
  {
    propagationPolicy,
    gracePeriodSeconds,
    selectedBy,
  }: Pick<DeleteOptions, 'propagationPolicy' | 'gracePeriodSeconds'> &
    Pick<DeletionIntent, 'selectedBy'>,
): DeletionIntent {
  return {
    targets,
    policy: propagationPolicy,
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    selectedBy,
  };
}

/** Do the requests change how a deletion ends that was asked for before? */
export function changesEnd({
  gracePeriodSeconds,
  propagationPolicy,
}: Pick<DeleteOptions, 'gracePeriodSeconds' | 'propagationPolicy'>): boolean {
  return gracePeriodSeconds !== undefined || propagationPolicy !== 'Background';
}

export function contextOf(snapshot: Snapshot, cluster: PlannedCluster): PlanContext {
  return { now: Date.parse(snapshot.observedAt), settings: {}, cluster };
}

/** A plan, and the snapshot that it was made from. */
export interface Planned {
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  /** The targets as the snapshot has them. */
  readonly targets: readonly ObjectRecord[];
}

/** How a plan is performed. */
export interface Manner {
  /** Plans again from the cluster as it is now; throws where the plan may not be performed any more. */
  readonly look: (before: Planned) => Promise<Planned>;
  /** Binds the requests to what the plan depends on, and to the resourceVersions that were seen with that. */
  readonly useResourceVersion: boolean;
  /**
   * As a controller works: several requests at a time, and what a finalizer holds is left to its
   * owner. Another look only takes away, so less is no change, and permissions were reviewed before.
   */
  readonly asController?: boolean;
}

/** Reads what these objects' deletion can touch, and plans it. */
export async function planOnCluster(
  cluster: OpenedCluster,
  named: readonly ObjectRecord[],
  options: DeleteOptions,
  where: PlannedCluster,
): Promise<Planned> {
  return planOfRead(cluster, named, async (snapshot) => {
    const targets = sameObjects(snapshot, named);
    const programs = await readPrograms(cluster, snapshot);
    const context = { ...contextOf(snapshot, where), programs };
    const plan = computing(() => planDeletion(snapshot, intentOf(targets, options), context));
    return { plan, snapshot, targets };
  });
}

/** Which cluster this is: kube-system's uid identifies it, whatever its address. */
export async function plannedCluster(client: ClusterClient): Promise<PlannedCluster> {
  const path = '/api/v1/namespaces/kube-system';
  const response = await get(client, path, metadataOrJson, {});
  const answer = Object(await jsonOf(response)) as { metadata?: { uid?: unknown } };
  const uid = response.status === 200 ? answer.metadata?.uid : '';
  return { server: client.server, uid: typeof uid === 'string' ? uid : '' };
}
