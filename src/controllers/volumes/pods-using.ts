import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownClaimsOf, notRead, volumesOf } from '../../kube/pod-use.ts';
import type { ByKind, IndexKind } from '../by-kind.ts';

type Claim = Pick<ObjectRecord, 'namespace' | 'name'>;

const podsByClaim: IndexKind = { resource: 'pods', keysOf: claimsOrUnread };

/** Pods that may use a claim: those that name it, and those whose volumes were not read. */
export function podsUsing(view: ByKind, { namespace, name }: Claim): readonly ObjectRecord[] {
  const pods = view.index(podsByClaim);
  return [...pods.get(`${namespace}/${name}`), ...pods.get(unreadIn({ namespace }))];
}

/** `namespace/name` of the claims that a Pod uses. */
export function claimNamesOf(pod: ObjectRecord): readonly string[] {
  return knownClaimsOf(pod).map((claim) => `${pod.namespace}/${claim}`);
}

/** The same, where a Pod whose volumes were not read may use each claim of its namespace. */
export function claimsOrUnread(pod: ObjectRecord): readonly string[] {
  return volumesOf(pod) === notRead ? [unreadIn(pod)] : claimNamesOf(pod);
}

/** The name that a claim shares with the Pods of its namespace whose volumes were not read. */
export function unreadUse(claim: Claim, view: ByKind): readonly string[] {
  const unread = unreadIn(claim);
  return view.index(podsByClaim).count(unread) > 0 ? [unread] : [];
}

function unreadIn({ namespace }: Pick<ObjectRecord, 'namespace'>): string {
  return `${namespace}/?`;
}
