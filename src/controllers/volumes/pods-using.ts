import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownClaimsOf, notRead, volumesOf } from '../../kube/pod-use.ts';
import { type ByKind, indexKind, unreadName } from '../cluster-view.ts';

type Claim = Pick<ObjectRecord, 'namespace' | 'name'>;

const podsByClaim = indexKind('pods', claimsOrUnread);

/** Pods that may use a claim: those that name it, and those whose volumes were not read. */
export function podsUsing(view: ByKind, { namespace, name }: Claim): readonly ObjectRecord[] {
  const pods = view.index(podsByClaim);
  return [...pods.get(`${namespace}/${name}`), ...pods.get(unreadName({ namespace }))];
}

/** `namespace/name` of the claims that a Pod uses. */
export function claimNamesOf(pod: ObjectRecord): readonly string[] {
  return knownClaimsOf(pod).map((claim) => `${pod.namespace}/${claim}`);
}

/** The same, where a Pod whose volumes were not read may use each claim of its namespace. */
export function claimsOrUnread(pod: ObjectRecord): readonly string[] {
  return volumesOf(pod) === notRead ? [unreadName(pod)] : claimNamesOf(pod);
}

/** The name that a claim shares with the Pods of its namespace whose volumes were not read. */
export function unreadUse(claim: Claim, view: ByKind): readonly string[] {
  const unread = unreadName(claim);
  return view.index(podsByClaim).count(unread) > 0 ? [unread] : [];
}
