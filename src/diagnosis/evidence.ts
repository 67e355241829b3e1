import type { ObjectRecord } from '../kube/object-record.ts';
import type { ResourceType } from '../kube/resource-type.ts';
import type { SeenObject } from './seen-object.ts';

/** One thing that a diagnosis wants to know. */
export type Query =
  | {
      readonly ask: 'object';
      readonly type: ResourceType;
      readonly namespace: string;
      readonly name: string;
    }
  | {
      readonly ask: 'list';
      readonly type: ResourceType;
      /** Undefined: everywhere. */
      readonly namespace: string | undefined;
      readonly fields?: string;
      readonly labels?: string;
    }
  /** Metadata of every kind that can be deleted: in one namespace, or everywhere with cluster-scoped kinds. */
  | { readonly ask: 'content'; readonly namespace: string | undefined }
  /** Would the server take this request? It stores nothing. */
  | { readonly ask: 'rehearsal'; readonly request: RehearsedRequest }
  /** May this user do that to everything (SubjectAccessReview)? */
  | { readonly ask: 'access'; readonly user: ReviewedUser; readonly verb: string };

export interface ReviewedUser {
  readonly name: string;
  readonly groups: readonly string[];
}

export interface RehearsedRequest {
  readonly verb: 'delete' | 'patch';
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  /** DeleteOptions or a JSON patch. */
  readonly body: unknown;
  /** Impersonated, where the asking user may. */
  readonly as?: ReviewedUser;
}

/** Metadata of many kinds, and which of them could not be read. */
export interface Content {
  readonly records: readonly ObjectRecord[];
  readonly unread: readonly { readonly resource: string; readonly because: string }[];
}

/** What the server said to a rehearsal. */
export interface Rehearsal {
  readonly accepted: boolean;
  /** HTTP status. */
  readonly status: number;
  /** The server's words when it refused. */
  readonly message: string;
}

/** What each kind of question is answered with; an object that is not there is undefined. */
export interface AnswerValues {
  readonly object: SeenObject | undefined;
  readonly list: readonly SeenObject[];
  readonly content: Content;
  readonly rehearsal: Rehearsal;
  readonly access: { readonly allowed: boolean; readonly reason: string };
}

/** `pending`: nobody has looked yet. `unread`: nobody could. */
export type Reading<T> =
  | { readonly state: 'read'; readonly what: string; readonly readAt: string; readonly value: T }
  | {
      readonly state: 'unread';
      readonly what: string;
      readonly readAt: string;
      readonly because: string;
    }
  | { readonly state: 'pending'; readonly what: string };

/** One piece of evidence, as it is published. */
export type Evidence =
  | { readonly what: string; readonly readAt: string; readonly value: string }
  | { readonly what: string; readonly readAt: string; readonly couldNotRead: string };

/** What a reading proves, in one sentence; that it could not be read is told instead where it is so. */
export function evidenceOf<T>(reading: Reading<T>, say: (value: T) => string): Evidence[] {
  if (reading.state === 'pending') return [];
  const { what, readAt } = reading;
  return reading.state === 'read'
    ? [{ what, readAt, value: say(reading.value) }]
    : [{ what, readAt, couldNotRead: reading.because }];
}
