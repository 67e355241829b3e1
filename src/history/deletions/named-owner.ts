import type { OwnerReference } from '../../kube/object-record.ts';
import type { AuditedRequest } from '../audited-request.ts';
import type { History, Lifetime } from './history.ts';
import { beganAt, endOf } from './lifetimes.ts';
import type { Place } from './request-index.ts';

/** Names that a controller makes up end so (rand.SafeEncodeString, and String of apimachinery/pkg/util/rand). */
const randomSuffix = '[bcdfghjklmnpqrstvwxz2456789]';
const generated = new RegExp(`^(.+)-${randomSuffix}{5}$`);
const hashed = new RegExp(`^(.+)-${randomSuffix}{1,10}$`);

/** By resource: whose name begins that of an object, and what is added to it. */
const namings: Readonly<Record<string, readonly (readonly [owner: string, name: RegExp])[]>> = {
  'controllerrevisions.apps': [
    ['statefulsets.apps', hashed],
    ['daemonsets.apps', hashed],
  ],
  'endpointslices.discovery.k8s.io': [['services', generated]],
  'jobs.batch': [['cronjobs.batch', /^(.+)-\d{8}$/]],
  // As in data-db-0: what the template of the claim is called, the StatefulSet, and a number.
  persistentvolumeclaims: [['statefulsets.apps', /^[^-]+-(.+)-\d+$/]],
  pods: [
    ['replicasets.apps', generated],
    ['daemonsets.apps', generated],
    ['jobs.batch', generated],
    ['replicationcontrollers', generated],
    ['statefulsets.apps', /^(.+)-\d+$/],
  ],
  'replicasets.apps': [['deployments.apps', hashed]],
};

/** Where owners are, or were, after which a controller names such an object. */
function placesByName({ resource, namespace, name }: Place): readonly Place[] {
  return (namings[resource] ?? []).flatMap(([owner, pattern]) => {
    const begin = pattern.exec(name)?.[1];
    return begin === undefined ? [] : [{ resource: owner, namespace, name: begin }];
  });
}

/** The garbage collector deletes dependents within milliseconds after their owner, and many within seconds. */
const deletedSoonAfter = 10_000;

/** The one object with the begin of its name that was deleted shortly before, where nothing names its owners: a guess. */
export function endByName(
  history: History,
  { place }: Lifetime,
  request: AuditedRequest,
): Lifetime | undefined {
  const ends = placesByName(place).flatMap((owner) => {
    const end = endOf(history, owner, request);
    return end && beganAt(end) >= request.receivedAt - deletedSoonAfter ? [end] : [];
  });
  return ends.length === 1 ? ends[0] : undefined;
}

/** The one kind that this controller creates objects of that name for, where requests name such an object: a guess. */
export function ownerByName(
  history: History,
  { place }: Lifetime,
  client: string,
): OwnerReference | undefined {
  const creator = creators[client];
  const found = placesByName(place).find(
    (owner) => owner.resource === creator && history.index.at(owner).length > 0,
  );
  if (!found) return undefined;
  const { apiVersion, kind, name } = history.referenceTo(found, '');
  return { apiVersion, kind, name, uid: '', controller: true, blockOwnerDeletion: undefined };
}

const creators: Readonly<Record<string, string>> = {
  'cronjob-controller': 'cronjobs.batch',
  'daemon-set-controller': 'daemonsets.apps',
  'deployment-controller': 'deployments.apps',
  'job-controller': 'jobs.batch',
  'replicaset-controller': 'replicasets.apps',
  'replication-controller': 'replicationcontrollers',
  'statefulset-controller': 'statefulsets.apps',
};
