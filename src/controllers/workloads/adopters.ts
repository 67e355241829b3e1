import { matchesSelector, workloadSelects } from '../../kube/label-selector.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { storedAs } from '../../kube/resource-type.ts';
import { isPod, pods, replicaSets } from '../../kube/well-known-kinds.ts';
import type { ByKind, IndexKind } from '../cluster-view.ts';
import { isActive, isManaged } from '../jobs/job.ts';
import { hashLabel } from '../left-without-reference.ts';
import { isMemberOf } from './statefulset-pods.ts';

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
 * ClaimObject, pkg/controller/controller_ref_manager.go, and the filters of its callers (ADOPT-1). Without `minor`, does it
 * in any version?
 */
export function adopts(adopter: ObjectRecord, object: ObjectRecord, minor = 0): boolean {
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
      if (isOfPods && !isMemberOf(adopter, object, minor)) return false;
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
export function mayBeOfNewSet(view: ByKind, pod: ObjectRecord): boolean {
  if (!isPod(pod) || pod.labels?.[hashLabel] === undefined) return false;
  return view
    .in('deployments.apps', pod.namespace)
    .some(
      ({ facts, deletionTimestamp }) =>
        deletionTimestamp === undefined &&
        facts?.paused !== true &&
        (!facts || workloadSelects(facts.selector, pod.labels)),
    );
}

/** Adopters by one label that they ask for: a namespace may have hundreds of ReplicaSets. */
const bySelector: readonly (AdopterKind & IndexKind)[] = adopterKinds.map((kind) => ({
  ...kind,
  keysOf: ({ namespace, facts }) => {
    const wanted = Object.entries(facts?.selector?.matchLabels ?? {}).at(-1);
    return [`${namespace} ${wanted ? wanted.join('=') : '*'}`];
  },
}));

/** Who would adopt an object if it had no controller. */
export function adoptersOf(object: ObjectRecord, view: ByKind): readonly ObjectRecord[] {
  const resource = storedAs(object.type);
  const labels = Object.entries(object.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return bySelector
    .filter(({ takes }) => takes.includes(resource))
    .flatMap((kind) => {
      const index = view.index(kind);
      return [...labels, '*'].flatMap((label) => index.get(`${object.namespace} ${label}`));
    })
    .filter((adopter) => adopts(adopter, object));
}
