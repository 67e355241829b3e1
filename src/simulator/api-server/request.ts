import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** The fields of metav1.DeleteOptions that affect the outcome. */
export interface DeleteOptions {
  readonly propagationPolicy?: PropagationPolicy;
  readonly orphanDependents?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: Preconditions;
  readonly dryRun?: boolean;
}

/** Which object, or with `deletecollection` which kind in which namespace. */
interface Addressed {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  /** How long after the reply to the request before this one is sent; milliseconds. */
  readonly after: number;
}

/** `remove-finalizers`: the patch is a list of finalizers to remove; all others stay. */
export type PatchType = 'merge' | 'strategic' | 'json' | 'remove-finalizers';

/** One request to the API server by a client that is not a controller. */
export type SimulatedRequest =
  | (Addressed & {
      readonly verb: 'delete';
      readonly name: string;
      readonly options: DeleteOptions;
    })
  | (Addressed & {
      readonly verb: 'deletecollection';
      readonly labelSelector: string | undefined;
      readonly options: DeleteOptions;
    })
  | (Addressed & {
      readonly verb: 'patch';
      readonly name: string;
      readonly patchType: PatchType;
      readonly patch: unknown;
      readonly dryRun: boolean;
    })
  | (Addressed & {
      readonly verb: 'update' | 'create';
      readonly name: string;
      readonly object: Readonly<Record<string, unknown>>;
      readonly dryRun: boolean;
    });

/** An answer of the API server: HTTP status code, and for a refusal metav1.Status reason and message. */
export interface Reply {
  readonly code: number;
  /** Empty when the request was accepted. */
  readonly reason: string;
  readonly message?: string;
}

export const accepted: Reply = { code: 200, reason: '' };
