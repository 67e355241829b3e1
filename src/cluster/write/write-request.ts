import type {
  V1DeleteOptions,
  V1Preconditions,
  V1SelfSubjectAccessReview,
  V1SubjectAccessReview,
} from '@kubernetes/client-node';
import { type Json, textOrEmpty } from '../../kube/json-value.ts';
import type { KubeObject } from '../../kube/record-codec.ts';

/** One request that changes something, or has the server judge what would be changed. */
export type WriteRequest =
  | Update
  | (WriteOptions & {
      readonly verb: 'create' | 'patch';
      /** The object, or the patch. */
      readonly body?: unknown;
    })
  | (WriteOptions & {
      readonly verb: 'delete';
      /** Its guards become the preconditions. */
      readonly body?: Sent<V1DeleteOptions>;
    })
  | (WriteOptions & { readonly verb: 'review'; readonly body: Review });

/** A field that is undefined is not sent. */
export type Sent<T> = T extends object
  ? { readonly [field in keyof T]: Sent<T[field]> | undefined }
  : T;

/** What the server answers a question to, and does not store. */
export type Review = Sent<V1SelfSubjectAccessReview | V1SubjectAccessReview>;

interface WriteOptions {
  /** Below the server's address, without a query. */
  readonly path: string;
  /** strategic: lists are merged by their keys. merge: lists are replaced. json: RFC 6902. apply: server-side, without force. */
  readonly patchType?: 'strategic' | 'merge' | 'json' | 'apply';
  /** What the object must be; the server changes nothing else. */
  readonly guards?: Guards;
  /** The server checks everything and stores nothing. */
  readonly dryRun?: boolean | undefined;
  /** Of the object no more than its metadata is answered. */
  readonly metadataOnly?: boolean;
  /** User to impersonate. */
  readonly as?: string | undefined;
  /** Who manages the fields that are set; unset: we do. */
  readonly manager?: string | undefined;
}

export interface Guards extends Sent<V1Preconditions> {
  readonly uid: string;
}

declare const isWhole: unique symbol;

/** A PUT removes whatever it does not name, so it takes whole objects alone. */
interface Update extends WriteOptions {
  readonly verb: 'update';
  readonly body: Json & { readonly [isWhole]: true };
  readonly guards: Guards;
}

/**
 * Writes an object back as it was read, but for these fields. Its metadata stays, and its resourceVersion binds the request to
 * what was read, as upstream's updates do.
 */
export function updateOf(
  path: string,
  read: KubeObject,
  fields: Json & { readonly metadata?: never },
): Update {
  const { uid, resourceVersion } = read.metadata;
  const guards = { uid: textOrEmpty(uid), resourceVersion: textOrEmpty(resourceVersion) };
  if (Object.values(guards).includes('')) throw new Error(`${path} was not read whole`);
  const body = { ...read, ...fields } as Json as Update['body'];
  return { verb: 'update', path, body, guards };
}

/** Labels of what kubectl gc creates itself. */
export const ownLabels = { 'app.kubernetes.io/managed-by': 'kubectl-gc' } as const;

/** The name under which the server notes which fields our requests set. */
export const fieldManager = 'kubectl-gc';
