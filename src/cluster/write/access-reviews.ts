import type {
  V1SelfSubjectAccessReviewSpec,
  V1SubjectAccessReviewSpec,
  V1SubjectAccessReviewStatus,
} from '@kubernetes/client-node';
import { fieldsOf, textOrEmpty } from '../../kube/json-value.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { apiPath } from '../api-path.ts';
import { askingOnce } from '../asking-once.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import { inParallel } from '../in-parallel.ts';
import { defaultRetryPolicy } from '../pacing.ts';
import { review } from './clearance.ts';
import { sendWrite } from './send-write.ts';
import type { Sent } from './write-request.ts';

/** Something that is to be done to an object. */
export interface Access {
  readonly verb: 'delete' | 'patch' | 'update' | 'get';
  readonly type: ResourceType;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string | undefined;
}

/** Something that the server would refuse. */
export interface DeniedAccess extends Omit<Access, 'name'> {
  /** Undefined: every object of that kind there. */
  readonly name: string | undefined;
  readonly reason: string;
}

const reviewsAtOnce = 4;
/** Where something may not be done to a whole kind, single names are asked for up to this many. */
const mostNames = 20;

/**
 * Asks the server whether all of this is permitted, before any of it is sent; answers what is denied. Where a review
 * failed, the server decides request by request.
 */
export async function deniedAmong(
  client: ClusterClient,
  accesses: readonly Access[],
  signal?: AbortSignal,
): Promise<DeniedAccess[]> {
  const wholes = [...Map.groupBy(accesses, accessKey).values()];
  const denied = await inParallel(wholes, reviewsAtOnce, (whole) =>
    deniedTogether(client, whole, signal),
  );
  return denied.flat();
}

/** The same for all objects of a kind in a namespace. */
function accessKey({ verb, type, namespace, subresource }: Access): string {
  return `${verb} ${groupResourceOf(type)} ${subresource} ${namespace}`;
}

async function deniedTogether(
  client: ClusterClient,
  accesses: readonly Access[],
  signal: AbortSignal | undefined,
): Promise<DeniedAccess[]> {
  const [first] = accesses;
  if (!first) return [];
  const deniedTo = async (name: string | undefined) => {
    const reason = await denialOf(client, { ...first, name }, signal);
    return reason === undefined ? [] : [{ ...first, name, reason }];
  };
  const whole = await deniedTo(undefined);
  const names = [...new Set(accesses.map(({ name }) => name))];
  if (whole.length === 0 || names.length > mostNames) return whole;
  // Roles may name single objects.
  return (await inParallel(names, reviewsAtOnce, deniedTo)).flat();
}

/** Milliseconds. */
const longestBelieved = 10_000;

/** The same connection, over which the same review is asked once within a moment. */
export function reviewingOnce(client: ClusterClient): ClusterClient {
  return askingOnce(client, {
    paths: /\/selfsubjectaccessreviews$/,
    milliseconds: longestBelieved,
  });
}

/**
 * Why the current user may not do this, to one object or to all of the kind; undefined where it is permitted, or the
 * review fails.
 */
export async function denialOf(
  client: ClusterClient,
  access: Omit<Access, 'verb' | 'name'> & {
    readonly verb: string;
    readonly name: string | undefined;
  },
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { type, namespace, verb, subresource, name } = access;
  const { group, version, resource } = type;
  const resourceAttributes = { namespace, verb, group, version, resource, subresource, name };
  const { allowed, reason } = await reviewAccess(client, { resourceAttributes }, signal);
  if (allowed !== false) return undefined;
  const kind = `${groupResourceOf(type)}${subresource ? `/${subresource}` : ''}`;
  const place = namespace === '' ? '' : ` in the namespace ${namespace}`;
  const denied = `it is not permitted to ${verb} ${kind}${name ? `/${name}` : ''}${place}`;
  return reason ? `${denied}: ${reason}` : denied;
}

/** What the authorizer says of a user, or of the current user; `allowed` is undefined without an answer. */
export async function reviewAccess(
  client: ClusterClient,
  spec: Sent<V1SelfSubjectAccessReviewSpec | V1SubjectAccessReviewSpec>,
  signal?: AbortSignal,
): Promise<{
  readonly allowed: boolean | undefined;
  readonly reason: string;
  /** HTTP status; 0 without an answer. */
  readonly code: number;
  readonly serverTime: string | undefined;
}> {
  const kind = 'user' in spec ? 'SubjectAccessReview' : 'SelfSubjectAccessReview';
  const [group, version] = ['authorization.k8s.io', 'v1'];
  const { outcome, object, message, code, serverTime } = await sendWrite(
    client,
    review(apiPath('apis', group, version, `${kind.toLowerCase()}s`), {
      apiVersion: `${group}/${version}`,
      kind,
      spec,
    }),
    { retry: { ...defaultRetryPolicy, tries: 2 }, signal, late: signal },
  );
  if (outcome !== 'done' || !object) {
    return { allowed: undefined, reason: message || 'the answer is not JSON', code, serverTime };
  }
  const status = fieldsOf<V1SubjectAccessReviewStatus>(object.status);
  const reason = textOrEmpty(status.reason) || textOrEmpty(status.evaluationError);
  return { allowed: status.allowed === true, reason, code, serverTime };
}
