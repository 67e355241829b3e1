import { matchesSelector, workloadSelects } from '../../kube/label-selector.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { targetNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Decision, PassController, SyncController } from '../controller.ts';
import { controllerOf, deletion, nextSync } from '../decision.ts';
import { isActive, isManaged, siblingsOf } from '../jobs/job.ts';
import { type Adoption, afterAdoption, id } from './after-adoption.ts';
import { ordinalOf } from './statefulset-ordinals.ts';

const pods = 'pods';
const replicaSets = 'replicasets.apps';
const revisions = 'controllerrevisions.apps';

/** A kind whose controller takes what has no controller and that its selector matches. */
export interface AdopterKind {
  readonly resource: string;
  /** As `--controllers` calls it. */
  readonly controller:
    | 'replicaset-controller'
    | 'replicationcontroller-controller'
    | 'deployment-controller'
    | 'statefulset-controller'
    | 'daemonset-controller'
    | 'job-controller';
  readonly takes: readonly string[];
}

/** All callers of pkg/controller/controller_ref_manager.go. A CronJob adopts nothing. */
export const adopterKinds: readonly AdopterKind[] = [
  { resource: replicaSets, controller: 'replicaset-controller', takes: [pods] },
  {
    resource: 'replicationcontrollers',
    controller: 'replicationcontroller-controller',
    takes: [pods],
  },
  { resource: 'deployments.apps', controller: 'deployment-controller', takes: [replicaSets] },
  {
    resource: 'statefulsets.apps',
    controller: 'statefulset-controller',
    takes: [pods, revisions],
  },
  { resource: 'daemonsets.apps', controller: 'daemonset-controller', takes: [pods, revisions] },
  { resource: 'jobs.batch', controller: 'job-controller', takes: [pods] },
];

/**
 * Does an adopter take this object, which has no controller? Where its selector was not read it may. Mirrors
 * ClaimObject, pkg/controller/controller_ref_manager.go, and the filters of its callers (ADOPT-1).
 */
export function adopts(adopter: ObjectRecord, object: ObjectRecord): boolean {
  const { type, namespace, facts, uid } = adopter;
  if (uid === '' || isBeingDeleted(adopter) || isBeingDeleted(object)) return false;
  if (namespace !== object.namespace) return false;
  const isOfPods = object.type.kind === 'Pod';
  const { selector } = facts ?? {};
  switch (type.kind) {
    case 'Job':
      if (!isManaged(adopter)) return false;
      break;
    case 'ReplicaSet':
    case 'ReplicationController':
      if (!isActive(object)) return false;
      break;
    case 'StatefulSet':
      // isMemberOf: only Pods with the name of the set.
      if (isOfPods && ordinalOf(adopter, object.name) < 0) return false;
      if (!isOfPods && facts) return matchesSelector(selector, object.labels);
      break;
    default:
  }
  if (!facts) return true;
  return type.kind === 'Job'
    ? matchesSelector(selector, object.labels)
    : workloadSelects(selector, object.labels);
}

/**
 * May a ReplicaSet that a Deployment will create adopt this Pod? That ReplicaSet has the selector of the Deployment and the
 * hash of its template, so it matches Pods of a deleted ReplicaSet with the same template. Mirrors getNewReplicaSet,
 * pkg/controller/deployment/sync.go (ADOPT-1).
 */
export function mayBeOfNewSet(view: ClusterView, pod: ObjectRecord): boolean {
  if (!isPod(pod) || pod.labels?.['pod-template-hash'] === undefined) return false;
  return view
    .in('deployments.apps', pod.namespace)
    .some(
      ({ facts, deletionTimestamp }) =>
        deletionTimestamp === undefined &&
        facts?.paused !== true &&
        (!facts || workloadSelects(facts.selector, pod.labels)),
    );
}

/**
 * Workloads adopt what has no controller and what their selectors match, and then scale: what is too much, or is
 * not of their template, goes.
 */
export const adoption: PassController = {
  id,
  controllers: adopterKinds.map(({ controller }) => controller),
  reads: [...new Set(adopterKinds.flatMap(({ resource, takes }) => [resource, ...takes]))],
  pass(view, _settings, now) {
    const free = [pods, replicaSets, revisions].flatMap((resource) =>
      view.all(resource).filter((object) => !controllerOf(object) && !isBeingDeleted(object)),
    );
    if (free.length === 0) return [];
    return adopterKinds.flatMap((kind) =>
      view.all(kind.resource).flatMap((adopter) => decideOn(view, kind, adopter, free, now)),
    );
  },
};

function decideOn(
  view: ClusterView,
  { takes }: AdopterKind,
  adopter: ObjectRecord,
  free: readonly ObjectRecord[],
  now: number,
): readonly Decision[] {
  const wanted = free.filter(
    (object) => takes.includes(groupResourceOf(object.type)) && adopts(adopter, object),
  );
  if (wanted.length === 0) return [];
  const isContested = (object: ObjectRecord) =>
    adopterKinds.some((kind) =>
      view
        .in(kind.resource, adopter.namespace)
        .some(
          (other) =>
            other !== adopter &&
            kind.takes.includes(groupResourceOf(object.type)) &&
            adopts(other, object),
        ),
    );
  const input: Adoption = {
    adopter,
    own: takes.flatMap((resource) => view.controlledBy(resource, adopter)),
    taken: wanted.filter((object) => !isContested(object)),
    contested: wanted.filter(isContested),
    siblings: siblingsOf(view, adopter),
    podsOf: (set) => view.controlledBy(pods, set),
  };
  return afterAdoption(input, now);
}

/**
 * A DaemonSet deletes a Pod that waits for a Node that does not exist. Mirrors getUnscheduledPodsWithoutNode,
 * pkg/controller/daemon (ADOPT-5).
 */
export const waitingDaemonPods: SyncController = {
  runsAs: 'daemonset-controller',
  syncs: pods,
  sync: (pod, { now }) => [
    deletion(id, pod, {
      ...nextSync(now),
      because: `it waits for Node ${targetNodeOf(pod)}, which does not exist: its DaemonSet deletes it`,
      rule: 'ADOPT-5',
    }),
  ],
};
