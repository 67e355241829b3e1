import { knownFinalizer } from '../../controllers/finalizers/known-finalizers.ts';
import { defaultSimulationSettings } from '../../controllers/settings/controller-settings.ts';
import {
  type EnabledControllers,
  enabledControllers,
} from '../../controllers/settings/enabled-controllers.ts';
import { usageError } from '../../errors.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { objectKey } from '../../kube/object-reference.ts';
import { nodeNameOf, notRead, volumesOf } from '../../kube/pod-use.ts';
import { gracePeriodOf, isPod } from '../../kube/well-known-kinds.ts';
import { type Simulation, simulate } from '../../simulator/simulate.ts';
import { readCoverageOf } from '../../simulator/simulation-input.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { DeletionIntent, PlanContext, PlannedRequest } from './plan.ts';
import { type ClusterAfter, clusterAfter } from './recreation.ts';
import { asSimulated, leafFirstRequests, targetRequests } from './requests.ts';
import { type TouchedObject, touchedObjects } from './touched-objects.ts';

/** A deletion, played; and the same time without it. */
export interface PlayedDeletion {
  readonly requests: readonly PlannedRequest[];
  /** Keys of the objects that were named, in that order. */
  readonly targets: ReadonlySet<string>;
  readonly with: Simulation;
  readonly without: Simulation;
  readonly touched: readonly TouchedObject[];
  /** Finalizers that kube-controller-manager removes meanwhile. */
  readonly released: Released;
  readonly isEnabled: EnabledControllers;
  /** The first wave that does not come to its end, so that none after it is sent. */
  readonly stopsAt: number | undefined;
}

/** Plays requests for the targets or, from the leaves up, for all that goes with them. */
export function playDeletion(
  snapshot: Snapshot,
  intent: DeletionIntent,
  { now, settings }: PlanContext,
  without?: Simulation,
): PlayedDeletion {
  if (intent.order === 'leaf-first' && intent.policy === 'Orphan') {
    throw usageError(
      'leaf-first-orphan',
      'deleting from the leaves up deletes the dependents, and Orphan leaves them',
      'Choose one: orphan the dependents, or delete from the leaves up.',
    );
  }
  const longest = longestGrace(snapshot, intent);
  const pause = longest + minute;
  const isEnabled = enabledControllers(
    settings.controllers ?? defaultSimulationSettings.controllers,
  );
  const released = new Map<string, readonly string[]>();
  let looser = snapshot;
  const playOnce = (requests: readonly PlannedRequest[]) => {
    const duration = hour + longest + pause * (requests.at(-1)?.wave ?? 0);
    // What goes by its age would go with and without the deletion, only later than by it.
    const clock = { now, duration, controllers: false };
    return simulate(looser, asSimulated(requests, pause), settings, clock);
  };
  // What is let go may let others go: a pod its claim, and the claim its volume.
  const play = (requests: readonly PlannedRequest[]) => {
    for (;;) {
      const played = playOnce(requests);
      const more = releasedFinalizers(played.objects, snapshot, isEnabled);
      if (more.size === 0) return played;
      for (const [key, free] of more) released.set(key, [...(released.get(key) ?? []), ...free]);
      looser = withoutFinalizers(snapshot, released);
    }
  };
  const named = targetRequests(intent);
  const targets = new Set(named.map(objectKey));
  const baseline = without ?? playOnce([]);
  const shared = { targets, without: baseline, released, isEnabled };
  const touchedBy = (played: Simulation, asked: ReadonlySet<string>) =>
    touchedObjects(snapshot.records, { with: played, without: baseline }, asked);
  if (intent.order === 'server') {
    const played = play(named);
    const touched = touchedBy(played, targets);
    return { ...shared, requests: named, with: played, touched, stopsAt: undefined };
  }

  // Foreground reaches what an owner that cannot go would otherwise keep.
  const scout = play(named.map((request) => ({ ...request, propagationPolicy: 'Foreground' })));
  const open = new Set(
    [...scout.undetermined, ...scout.unknown].map(({ object }) => objectKey(object)),
  );
  const going = touchedBy(scout, targets).filter(
    ({ key, end, isTarget }) =>
      isTarget || (!open.has(key) && (!end || end.deletionTimestamp !== undefined)),
  );
  const requests = leafFirstRequests(going, intent);
  const asked = new Set(requests.map(objectKey));
  const whole = play(requests);
  const stopsAt = firstUnfinished(requests, touchedBy(whole, asked));
  const sent = stopsAt === undefined ? requests : requests.filter(({ wave }) => wave <= stopsAt);
  const played = sent.length === requests.length ? whole : play(sent);
  const touched = touchedBy(played, asked);
  return { ...shared, requests, with: played, touched, stopsAt };
}

function firstUnfinished(
  requests: readonly PlannedRequest[],
  touched: readonly TouchedObject[],
): number | undefined {
  const left = new Set(touched.flatMap(({ key, end }) => (end ? [key] : [])));
  return requests.find((request) => left.has(objectKey(request)))?.wave;
}

const minute = 60_000;
const hour = 60 * minute;

/** Milliseconds. */
function longestGrace({ records }: Snapshot, { gracePeriodSeconds = 0 }: DeletionIntent): number {
  let longest = gracePeriodSeconds;
  for (const record of records) {
    if (!isPod(record)) continue;
    longest = Math.max(longest, gracePeriodOf(record), record.deletionGracePeriodSeconds ?? 0);
  }
  return longest * 1000;
}

/** Finalizers that controllers of Kubernetes remove in the course of a deletion, by the object's key. */
type Released = ReadonlyMap<string, readonly string[]>;

/**
 * What is left terminating only until kube-controller-manager sees that nothing uses it any more.
 * `left` is what a simulation leaves, in which such finalizers stay for ever.
 */
function releasedFinalizers(
  left: readonly ObjectRecord[],
  snapshot: Snapshot,
  isEnabled: EnabledControllers,
): Map<string, readonly string[]> {
  const released = new Map<string, readonly string[]>();
  let seen: Seen | undefined;
  for (const record of left) {
    if (record.deletionTimestamp === undefined || record.finalizers.length === 0) continue;
    const free = record.finalizers.filter((finalizer) => {
      const isUnused = conditions[finalizer];
      const controller = knownFinalizer(finalizer)?.setBy.controllerName;
      if (!isUnused || controller === undefined || !isEnabled(controller)) return false;
      seen ??= { after: clusterAfter(left), isRead: readIn(snapshot) };
      return isUnused(record, seen);
    });
    if (free.length > 0) released.set(objectKey(record), free);
  }
  return released;
}

interface Seen {
  readonly after: ClusterAfter;
  /** Is the absence of such an object in this namespace a fact? */
  readonly isRead: (resource: string, namespace: string) => boolean;
}

function readIn(snapshot: Snapshot): Seen['isRead'] {
  const known = readCoverageOf(snapshot);
  return (resource, namespace) => {
    const type = snapshot.types.versions(resource)[0];
    return type !== undefined && known.sawKind(type, namespace);
  };
}

/** The snapshot in which these finalizers are not there. */
function withoutFinalizers(snapshot: Snapshot, released: Released): Snapshot {
  const records = snapshot.records.map((record) => {
    const free = released.get(objectKey(record));
    if (!free) return record;
    return { ...record, finalizers: record.finalizers.filter((name) => !free.includes(name)) };
  });
  return { ...snapshot, records };
}

/** Would the controller remove the finalizer? Where what decides was not read, it would not. */
const conditions: Readonly<Record<string, (record: ObjectRecord, seen: Seen) => boolean>> = {
  'kubernetes.io/pvc-protection': ({ namespace, name }, { after, isRead }) =>
    isRead('pods', namespace) && after.of('pods', namespace).every((pod) => usesOther(pod, name)),
  'kubernetes.io/pv-protection': ({ facts }, { after, isRead }) => {
    if (!facts) return false;
    const { claimRef, phase } = facts;
    // Every volume has a phase: where there is none, it was not read.
    if (!claimRef) return phase !== undefined && phase !== 'Bound';
    const { namespace = '', name, uid } = claimRef;
    const claim = after.at('persistentvolumeclaims', namespace, name);
    if (claim) return uid !== undefined && claim.uid !== uid;
    return isRead('persistentvolumeclaims', namespace);
  },
  'batch.kubernetes.io/job-tracking': (record) => isPod(record),
};

/** Mirrors podUsesPVCForDeletion, pkg/controller/volume/pvcprotection: pods without a node use nothing. */
function usesOther(pod: ObjectRecord, claim: string): boolean {
  const { name, deletionTimestamp, deletionGracePeriodSeconds } = pod;
  const nodeName = nodeNameOf(pod);
  const mounted = volumesOf(pod);
  if (nodeName === notRead || mounted === notRead) return false;
  if (nodeName === '') return true;
  const isShutDown = deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
  return mounted.every(
    ({ claimName, ephemeral, name: volume }) =>
      claimName !== claim && !(ephemeral && !isShutDown && `${name}-${volume}` === claim),
  );
}
