import type { OwnerReference } from '../kube/object-record.ts';

/** The verbs that can begin, end or prepare the removal of an object. */
export type WritingVerb = 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/**
 * The kept fields of a request that the API server answered, from its audit log (audit.k8s.io/v1 Event, stage
 * ResponseComplete). Bodies are never kept: only their facts about ownership and deletion.
 */
export interface AuditedRequest {
  readonly auditId: string;
  /** Epoch milliseconds: when the API server received it, and when it had answered. */
  readonly receivedAt: number;
  readonly answeredAt: number;
  readonly verb: WritingVerb;
  /** As it was authenticated. */
  readonly user: string;
  /** As whom it was sent, with impersonation. */
  readonly impersonated: string | undefined;
  readonly userAgent: string;
  /** Empty unless they were asked for. */
  readonly sourceIps: readonly string[];
  /** Empty for the core group. */
  readonly group: string;
  /** As `pods`; with a group, `deployments.apps` is `groupResource`. */
  readonly resource: string;
  readonly subresource: string;
  /** Empty for cluster-scoped objects; of a namespaced kind, for a collection in all namespaces. */
  readonly namespace: string;
  /** Empty for a collection, and where the server was to make up a name and the answer is not in the log. */
  readonly name: string;
  /** Of the object, where the reference, a precondition or the answer names it. */
  readonly uid: string | undefined;
  /** The answer to a DELETE says that the object does not exist any more (or, of a dry run, would not): of most kinds without finalizers. */
  readonly isRemoval: boolean;
  /** HTTP status code; 0 where the log does not say. */
  readonly status: number;
  /** The server was asked not to persist it; false, too, where only its body would say so and that is not in the log. */
  readonly isDryRun: boolean;
  /** The log contains the bodies of requests (level Request or RequestResponse). */
  readonly hasBody: boolean;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  /** Of a DELETE, where the body is in the log. */
  readonly propagationPolicy: 'Orphan' | 'Background' | 'Foreground' | undefined;
  /** What the guard noted of a DELETE, where it judged it. */
  readonly guard?: GuardNote | undefined;
  /** What the bodies say of the object; undefined where they are not in the log. */
  readonly body: AuditedBody | undefined;
}

/** The annotations of the guard on a request. */
export interface GuardNote {
  readonly verdict: string;
  /** How many objects it would delete: `12`, `12 or more`. */
  readonly objects: string;
  /** `3 Pods, 1 ReplicaSet` */
  readonly kinds: string;
}

/** Fields of the object in a request (level Request) and in its answer (level RequestResponse). */
export interface AuditedBody {
  /** As the answer says, else as the request does; undefined where neither does. */
  readonly owners: readonly OwnerReference[] | undefined;
  /** metadata.finalizers, likewise. */
  readonly finalizers: readonly string[] | undefined;
  /** The answer has metadata.deletionTimestamp: it is not removed yet. */
  readonly isBeingDeleted: boolean | undefined;
  /** Of a creation for which the server makes up a name: what that begins with. */
  readonly generateName: string | undefined;
  /** spec.replicas. */
  readonly replicas: number | undefined;
}
