import { groupResourceOf } from '../../kube/resource-type.ts';
import type { AuditedRequest } from '../audited-request.ts';
import type { Requester } from './removal.ts';

/** What makes a controller delete an object, beside the object's own fields. */
export type Trigger =
  /** A change of its controlling owner, as fewer replicas; controllers look no more at one that is being deleted. */
  | 'owner-change'
  | 'owner-or-node-change'
  | 'owner-end'
  /** The deletion of its Node, or a taint of it. */
  | 'node-end'
  | 'node'
  /** The deletion of the claim that is bound to it, and so on. */
  | 'claim'
  | 'service'
  | 'service-account'
  | 'none';

/** A controller's own reason to delete objects of a kind. */
export interface ControllerReason {
  readonly controller: string;
  readonly rule?: string;
  /** The field or flag that decides. */
  readonly setting?: string;
  readonly trigger: Trigger;
  readonly because: string;
}

export const garbageCollector = 'generic-garbage-collector';
export const namespaceController = 'namespace-controller';

/**
 * By the client that a controller asks with (NewClient in cmd/kube-controller-manager/app), and by what it deletes: the
 * controller, its rule, what triggers it, and the fields or flags that decide; below that, what it does.
 */
const table = `
attachdetach-controller volumeattachments.storage.k8s.io persistentvolume-attach-detach-controller - none
  detaches volumes of Pods that were deleted or have ended
certificate-controller certificatesigningrequests.certificates.k8s.io certificatesigningrequest-cleaner-controller CSR-3 none
  deletes requests after their time
cronjob-controller jobs.batch cronjob-controller CJ-4 none spec.successfulJobsHistoryLimit spec.failedJobsHistoryLimit
  deletes finished Jobs above the limits of their CronJob, and the running one with concurrencyPolicy Replace
daemon-set-controller pods daemonset-controller - owner-or-node-change spec.template
  deletes Pods that have failed, have an old template or are on a Node where they do not belong
daemon-set-controller controllerrevisions.apps daemonset-controller CRH-2 none spec.revisionHistoryLimit
  deletes revisions above the limit
deployment-controller replicasets.apps deployment-controller RSH-5 owner-change spec.revisionHistoryLimit
  deletes old ReplicaSets above the limit
device-taint-eviction-controller pods device-taint-eviction-controller DEV-1 none spec.devices[].taints
  evicts Pods whose claims do not tolerate a NoExecute taint of their device
endpoint-controller endpoints endpoints-controller OTH-3 service
  deletes the Endpoints of a Service that was deleted
endpointslice-controller endpointslices.discovery.k8s.io endpointslice-controller OTH-1 service
  deletes slices that have no endpoints any more, and those of a Service that was deleted
endpointslicemirroring-controller endpointslices.discovery.k8s.io endpointslice-mirroring-controller OTH-2 service
  deletes the mirrors of Endpoints that were deleted or are not to be mirrored
job-controller pods job-controller - owner-change spec.suspend spec.backoffLimit spec.activeDeadlineSeconds
  deletes the Pods of a Job that is suspended, fails, or needs fewer of them
legacy-service-account-token-cleaner secrets legacy-serviceaccount-token-cleaner-controller SAT-4 none --legacy-service-account-token-clean-up-period
  deletes tokens that were not used for a long time
node-controller nodes cloud-node-lifecycle-controller NODE-1 none
  deletes Nodes whose instance does not exist
node-controller pods taint-eviction-controller NODE-7 node spec.tolerations
  evicts Pods that do not tolerate a NoExecute taint of their Node
persistent-volume-binder persistentvolumes persistentvolume-binder-controller PV-7 claim spec.persistentVolumeReclaimPolicy
  deletes a volume with the reclaim policy Delete after its claim
pod-garbage-collector pods pod-garbage-collector-controller - node-end --terminated-pod-gc-threshold
  deletes Pods of a Node that does not exist or is out of service, and ended Pods above the threshold
podcertificaterequestcleaner podcertificaterequests.certificates.k8s.io podcertificaterequest-cleaner-controller CSR-8 none
  deletes requests after their time
replicaset-controller pods replicaset-controller - owner-change spec.replicas
  deletes Pods above the number of replicas
replication-controller pods replicationcontroller-controller - owner-change spec.replicas
  deletes Pods above the number of replicas
resource-claim-controller resourceclaims.resource.k8s.io resourceclaim-controller DRA-2 owner-end
  deletes the claim that was made for a Pod
statefulset-controller pods statefulset-controller - owner-change spec.replicas spec.template
  deletes Pods above the number of replicas, of an old template, and failed ones
statefulset-controller controllerrevisions.apps statefulset-controller CRH-1 none spec.revisionHistoryLimit
  deletes revisions above the limit
token-cleaner secrets token-cleaner-controller BT-1 none data.expiration
  deletes bootstrap tokens after their time
tokens-controller secrets serviceaccount-token-controller SAT-5 service-account
  deletes the tokens of a ServiceAccount that was deleted
ttl-after-finished-controller jobs.batch ttl-after-finished-controller TTL-4 none spec.ttlSecondsAfterFinished
  deletes finished Jobs after their time to live
`;

interface ControllerRow extends ControllerReason {
  readonly client: string;
  readonly deletes: string;
}

/** @internal */
export const controllerReasons: readonly ControllerRow[] = table
  .trim()
  .split(/\n(?! )/)
  .map((entry) => {
    const [head = '', because = ''] = entry.split('\n  ');
    const [client = '', deletes = '', controller = '', rule = '-', trigger = 'none', ...settings] =
      head.split(' ');
    return {
      client,
      deletes,
      controller,
      ...(rule !== '-' && { rule }),
      ...(settings.length > 0 && { setting: settings.join(' or ') }),
      trigger: trigger as Trigger,
      because,
    };
  });

const clients = new Set([
  garbageCollector,
  namespaceController,
  ...controllerReasons.map(({ client }) => client),
]);

/** As whom kube-controller-manager asks where its controllers have no accounts of their own. */
const sharedUser = 'system:kube-controller-manager';
const accounts = 'system:serviceaccount:kube-system:';

/**
 * The client of kube-controller-manager that sent a request, as `replicaset-controller`: by its own account
 * (`--use-service-account-credentials`), else by what the shared account says of itself in the user agent.
 * Any other account may write what it likes into its user agent.
 */
export function controllerClientOf({
  user,
  userAgent,
}: Pick<AuditedRequest, 'user' | 'userAgent'>): string | undefined {
  const name = user.startsWith(accounts)
    ? user.slice(accounts.length)
    : user === sharedUser
      ? userAgent.slice(userAgent.lastIndexOf('/') + 1)
      : undefined;
  return name !== undefined && clients.has(name) ? name : undefined;
}

/** Why a controller deletes objects of this kind; undefined where it has no rule for them. */
export function reasonOf(
  client: string,
  request: Pick<AuditedRequest, 'group' | 'resource'>,
): ControllerReason | undefined {
  const deletes = groupResourceOf(request);
  return controllerReasons.find((row) => row.client === client && row.deletes === deletes);
}

/** The field or flag that decides by a rule of a controller. */
export function settingOf(rule: string): string | undefined {
  return controllerReasons.find((row) => row.rule === rule)?.setting;
}

/** `worker-1` of a kubelet. */
export function kubeletNodeOf({ user }: Pick<AuditedRequest, 'user'>): string | undefined {
  return user.startsWith(kubelets) ? user.slice(kubelets.length) : undefined;
}

const kubelets = 'system:node:';

export function requesterOf({
  user,
  impersonated,
  userAgent,
  sourceIps,
}: AuditedRequest): Requester {
  return {
    user,
    ...(impersonated !== undefined && { impersonated }),
    userAgent,
    ...(sourceIps.length > 0 && { sourceIps }),
  };
}
