import { counted } from '../../kube/counts-by-kind.ts';
import { controllerOf, isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { kindAndName } from '../../kube/object-reference.ts';
import { targetNodeOf } from '../../kube/pod-use.ts';
import { apiVersionOf } from '../../kube/resource-type.ts';
import { apiDefaults, replicasOf, revisionHistoryLimitOf } from '../../kube/well-known-kinds.ts';
import type { ControllerId, Decision } from '../controller.ts';
import { deletion, nextSync, oldestOf, patching } from '../decision.ts';
import { isActive, type JobState, mayFinish } from '../jobs/job.ts';
import { hashLabel } from '../left-without-reference.ts';
import { revisionLabel } from './controllerrevision-history.ts';
import { differInTemplate, isComplete, revisionAnnotation } from './replicaset-history.ts';
import { ordinalOf } from './statefulset-pods.ts';

export const adoptionId: ControllerId = 'adoption';

/** What an adopter decides by. */
export interface Adoption {
  readonly adopter: ObjectRecord;
  /** What it controlled before, of the kinds that it adopts. */
  readonly own: readonly ObjectRecord[];
  /** What it takes, as no other one does; or has just taken. */
  readonly taken: readonly ObjectRecord[];
  /** What another one may take instead. */
  readonly contested: readonly ObjectRecord[];
  /** Beside a Job. */
  readonly siblings: JobState['siblings'];
  /** The pods of a ReplicaSet. */
  podsOf(set: ObjectRecord): readonly ObjectRecord[];
}

/**
 * What an adopter adopts and then deletes. If it deletes only some of several Pods, each of them may be deleted: the order
 * depends on their Nodes, on the times at which they became ready and on annotations (ActivePodsWithRanks,
 * pkg/controller/controller_utils.go).
 */
export function afterAdoption(adoption: Adoption, now: number): readonly Decision[] {
  const { adopter, taken, contested } = adoption;
  // Whether it takes anything at all is not known.
  if (!adopter.facts) {
    const open = { ...adoption, taken: [], contested: [...taken, ...contested] };
    return scalings(open, now);
  }
  const free = taken.filter((object) => !controllerOf(object) && !isBeingDeleted(object));
  return [...free.map((object) => adopting(adopter, object, now)), ...scalings(adoption, now)];
}

/** AdoptPod and its siblings, pkg/controller/controller_ref_manager.go. */
function adopting(adopter: ObjectRecord, object: ObjectRecord, now: number): Decision {
  const { type, name, uid } = adopter;
  const { apiVersion, kind } = { apiVersion: apiVersionOf(type), kind: type.kind };
  const own = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  const ownerReferences = [...object.ownerReferences, own];
  return patching(adoptionId, object, {
    ...nextSync(now),
    because: `${kindAndName(adopter)} adopts it, as its selector matches`,
    patch: { body: { metadata: { ownerReferences } } },
    rule: 'ADOPT-1',
  });
}

function scalings(adoption: Adoption, now: number): readonly Decision[] {
  switch (adoption.adopter.type.kind) {
    case 'Deployment':
      return ofDeployment(adoption, now);
    case 'StatefulSet':
      return ofStatefulSet(adoption, now);
    case 'DaemonSet':
      return ofDaemonSet(adoption, now);
    case 'Job':
      return ofJob(adoption, now);
    default:
      return ofReplicaSet(adoption, now);
  }
}

/** manageReplicas, pkg/controller/replicaset/replica_set.go; a ReplicationController is one behind an adapter. */
function ofReplicaSet({ adopter, own, taken, contested }: Adoption, now: number): Decision[] {
  const replicas = adopter.facts ? replicasOf(adopter) : 0;
  const active = [...own, ...taken].filter(isActive);
  const open = contested.filter(isActive);
  const excess = active.length + open.length - replicas;
  if (excess <= 0) return [];
  const rule = 'ADOPT-2';
  const all = counted(active.length + open.length, 'pod');
  const adopts = taken.length + contested.length > 0;
  const who = adopts ? maySelect(adopter, contested) : `${kindAndName(adopter)} is scaled`;
  const why = `${who}: of ${all} it keeps ${replicas}`;
  const because = replicas === 0 ? why : `${why}, and which is not known`;
  const which = replicas === 0 ? deletions : possibleDeletions;
  return [...which(active, because, rule, now), ...possibleDeletions(open, because, rule, now)];
}

/**
 * A Deployment scales ReplicaSets that are not of its template down to 0 (scale, pkg/controller/deployment/sync.go;
 * reconcileOldReplicaSets, rolling.go). Where templates may be equal the oldest set counts (FindNewReplicaSet),
 * and where it has other pods than available ones of its template, all sets are scaled in proportion: any pod may go
 * then. While it is paused its template may be one that no set has.
 */
function ofDeployment(adoption: Adoption, now: number): Decision[] {
  const { adopter, own, taken, contested, podsOf } = adoption;
  const { facts } = adopter;
  const sets = [...taken, ...contested];
  if (sets.length === 0) return [];
  const replicas = replicasOf(adopter);
  const current = currentOf(adopter, own);
  const isSettled = current?.facts?.replicas === replicas && !facts?.paused && isComplete(adopter);
  const isOld = (set: ObjectRecord) =>
    facts !== undefined && (replicas === 0 || (isSettled && differs(set, current)));
  const rule = 'ADOPT-3';
  const why = maySelect(adopter, contested);
  const scaled = `${kindAndName(adopter)} scales it down to 0: ${replicas === 0 ? 'it wants no pods' : 'it is not of its pod template'}`;
  const down = taken
    .filter((set) => isOld(set) && !isBeingDeleted(set) && set.facts?.replicas !== 0)
    .map((set) =>
      patching(adoptionId, set, {
        ...nextSync(now),
        because: scaled,
        patch: { body: { spec: { replicas: 0 } } },
        rule,
      }),
    );
  const perhaps = `${why}, and may scale ReplicaSets down for it`;
  const open = sets.filter((set) => !isOld(set) || contested.includes(set));
  const shaken = sets.every(isOld) ? open : [...open, ...own];
  return [
    ...down,
    ...possibleDeletions(shaken.flatMap(podsOf).filter(isActive), perhaps, rule, now),
    ...beyondHistory(adoption, sets.every(isOld) ? current : undefined, now),
  ];
}

/** Are the Pod templates certainly different? Compares the hashes if a Deployment created both. */
function differs(set: ObjectRecord, other: ObjectRecord): boolean {
  const [one, two] = [set.labels?.[hashLabel], other.labels?.[hashLabel]];
  if (one !== undefined && two !== undefined) return one !== two;
  return differInTemplate(set, other);
}

/** The ReplicaSet of the Deployment's own revision. */
export function currentOf(
  { annotations }: ObjectRecord,
  own: readonly ObjectRecord[],
): ObjectRecord | undefined {
  const revision = annotations?.[revisionAnnotation];
  return oldestOf(own.filter((set) => set.annotations?.[revisionAnnotation] === revision));
}

/** What is adopted counts for the history: of too many, those without replicas go (cleanupDeployment). */
function beyondHistory(
  { adopter, own, taken, contested }: Adoption,
  current: ObjectRecord | undefined,
  now: number,
): Decision[] {
  const limit = revisionHistoryLimitOf(adopter);
  const adopted = [...taken, ...contested];
  const stays = (set: ObjectRecord) => !isBeingDeleted(set);
  const left = own.filter(stays);
  const all = [...left, ...adopted.filter(stays)];
  // If its current ReplicaSet was deleted, the Deployment creates another one: all of these are old then.
  const old = all.length - (currentOf(adopter, left) ? 1 : 0);
  if (old <= limit) return [];
  const idle = all.filter((set) => {
    return set !== current && (set.facts?.replicas === 0 || adopted.includes(set) || !current);
  });
  const because = `${maySelect(adopter, contested)}: then it has ${old} old ReplicaSets, and its revisionHistoryLimit is ${limit}`;
  return possibleDeletions(idle, because, 'ADOPT-3', now);
}

/**
 * A StatefulSet deletes pods beyond its replicas, those that have ended, and one after the other those of another
 * revision (updateStatefulSet, pkg/controller/statefulset/stateful_set_control.go). Of revisions with the same content
 * the last one counts, also one that is adopted: its own pods are of another revision then (getStatefulSetRevisions).
 */
function ofStatefulSet(adoption: Adoption, now: number): Decision[] {
  const { adopter, own, taken, contested } = adoption;
  const {
    firstOrdinal: first = 0,
    replicas = apiDefaults.replicas,
    updateRevision,
    updateStrategy,
  } = adopter.facts ?? {};
  const current = own.find(({ name }) => name === updateRevision);
  const isReplaced = [...taken, ...contested].some(
    (one) =>
      isLivingRevision(one) &&
      (!current || (mayEqual(one, current) && !(numberOf(one) < numberOf(current)))),
  );
  const outdated = isReplaced && updateStrategy !== 'OnDelete' ? own : [];
  const stays = (pod: ObjectRecord) => {
    const ordinal = ordinalOf(adopter, pod.name);
    const isInRange = ordinal >= first && ordinal < first + replicas;
    const isCurrent = !isReplaced && pod.labels?.[revisionLabel] === updateRevision;
    return isInRange && isActive(pod) && isCurrent && updateRevision !== undefined;
  };
  const gone = [...outdated, ...taken.filter((pod) => !stays(pod)), ...contested].filter(
    isLivingPod,
  );
  const because = `${maySelect(adopter, contested)}, and replaces pods of another revision, those that have ended and those beyond its ${counted(replicas, 'replica')}`;
  return [
    ...possibleDeletions(gone, because, 'ADOPT-4', now),
    ...revisionsBeyondHistory(adoption, now),
  ];
}

/**
 * A DaemonSet keeps one Pod of its template on each Node where it should run (podsShouldBeOnNode and rollingUpdate,
 * pkg/controller/daemon): any of the Pods there may be deleted.
 */
function ofDaemonSet(adoption: Adoption, now: number): Decision[] {
  const { adopter, own, taken, contested } = adoption;
  const adopted = [...taken, ...contested].filter(isLivingPod);
  const nodes = new Set(adopted.map(targetNodeOf));
  const beside = own.filter((pod) => isLivingPod(pod) && nodes.has(targetNodeOf(pod)));
  const because = `${maySelect(adopter, contested)}, and keeps one Pod of its template on a Node`;
  const all = adopted.length === 0 ? [] : [...adopted, ...beside];
  return [
    ...possibleDeletions(all, because, 'ADOPT-5', now),
    ...revisionsBeyondHistory(adoption, now),
  ];
}

/**
 * A suspended Job deletes its pods; another one by what has run, succeeded and failed (syncJob, manageJob,
 * pkg/controller/job). Pods that have ended count, too: the Job may finish by them, and go.
 */
function ofJob(adoption: Adoption, now: number): readonly Decision[] {
  const { adopter, own, taken, contested } = adoption;
  const { suspend, parallelism } = adopter.facts ?? {};
  const active = [...own, ...taken].filter(isActive);
  const why = maySelect(adopter, contested);
  const wantsNone = suspend === true || parallelism === 0;
  const because = `${why}, and ${wantsNone ? 'wants no pods now' : 'runs no more pods than it needs'}`;
  const rule = 'ADOPT-6';
  const which = wantsNone ? deletions : possibleDeletions;
  const adopted = [...taken, ...contested].filter((pod) => !isBeingDeleted(pod));
  const hasEnded = adopted.some((pod) => !isActive(pod));
  return [
    ...which(active, because, rule, now),
    ...possibleDeletions(contested.filter(isActive), because, rule, now),
    ...(hasEnded ? mayFinish({ ...adoption, job: adopter }, [], because, rule, now) : []),
  ];
}

/**
 * Revisions that are adopted count for the history. Of two with the same content, a DaemonSet deletes one; equal hashes
 * show equal content if a DaemonSet created both (truncateHistory, pkg/controller/statefulset; cleanupHistory and dedupCurHistories, pkg/controller/daemon).
 */
function revisionsBeyondHistory(
  { adopter, own, taken, contested }: Adoption,
  now: number,
): Decision[] {
  const adopted = [...taken, ...contested].filter(isLivingRevision);
  if (adopted.length === 0) return [];
  const limit = revisionHistoryLimitOf(adopter);
  const all = [...own.filter(isLivingRevision), ...adopted];
  const isOver = all.length - 1 > limit;
  const isTwice = (one: ObjectRecord) =>
    adopter.type.kind === 'DaemonSet' &&
    (adopted.includes(one) ? all : adopted).some((other) => mayEqual(one, other));
  const gone = all.filter((one) => isOver || isTwice(one));
  const because = `${maySelect(adopter, contested)}: then it has ${counted(all.length, 'revision')}, keeps ${limit} old ones, and none twice`;
  return possibleDeletions(gone, because, 'ADOPT-7', now);
}

/** May two revisions have the same content? Compares their hashes if a controller created both. */
function mayEqual(one: ObjectRecord, other: ObjectRecord): boolean {
  const [a, b] = [one, other].map(({ labels }) => labels?.[revisionLabel]);
  return one !== other && (a === undefined || b === undefined || a === b);
}

function numberOf({ facts }: ObjectRecord): number {
  return facts?.revision ?? Number.NaN;
}

export function isLivingPod(object: ObjectRecord): boolean {
  return object.type.kind === 'Pod' && !isBeingDeleted(object);
}

function isLivingRevision(object: ObjectRecord): boolean {
  return object.type.kind === 'ControllerRevision' && !isBeingDeleted(object);
}

function deletions(
  objects: readonly ObjectRecord[],
  because: string,
  rule: string,
  now: number,
): Decision[] {
  return objects.map((object) => deletion(adoptionId, object, { ...nextSync(now), because, rule }));
}

export function possibleDeletions(
  objects: readonly ObjectRecord[],
  because: string,
  rule: string,
  now: number,
): Decision[] {
  const confidence = 'unknown';
  return objects.map((object) =>
    deletion(adoptionId, object, { ...nextSync(now), because, rule, confidence }),
  );
}

function maySelect(adopter: ObjectRecord, contested: readonly ObjectRecord[]): string {
  if (!adopter.facts)
    return `${kindAndName(adopter)} may adopt by its selector, which was not read`;
  return contested.length > 0
    ? `${kindAndName(adopter)} adopts by its selector, if no other one is first`
    : `${kindAndName(adopter)} adopts by its selector`;
}
