import { attachDetach, attachments } from '../../controllers/volumes/attachdetach.ts';
import {
  claimRelease,
  isReserved,
  persistentVolumeReclaim,
  volumeReclaim,
  volumeRelease,
} from '../../controllers/volumes/persistentvolume-reclaim.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownClaimsOf, knownNodeOf, notRead, volumesOf } from '../../kube/pod-use.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import { type IndexKind, ownName } from './indexes.ts';
import {
  affectedByName,
  type Cluster,
  type KeyedController,
  keyed,
  type Links,
  syncedBy,
} from './keyed-controller.ts';

const { id } = persistentVolumeReclaim;
const volumes = 'persistentvolumes';
const claims = 'persistentvolumeclaims';

const volumesByClaim: IndexKind = { resource: volumes, keysOf: boundClaim };
const podsByClaim: IndexKind = {
  resource: 'pods',
  keysOf: (pod) => (volumesOf(pod) === notRead ? [unreadIn(pod)] : claimNamesOf(pod)),
};

/** A claim, its volume and its pods. */
const links: Links = { [volumes]: boundClaim, [claims]: ownName, pods: claimNamesOf };

/** Volumes whose claim was deleted are released, and reclaimed (PV-2 to PV-7). */
const binder: KeyedController = {
  id,
  controller: 'persistentvolume-binder-controller',
  kinds: [volumes],
  reads: [volumes, claims],
  concerns: (volume, { state }) => {
    const { claimRef } = volume.facts ?? {};
    if (!claimRef) return false;
    if (claimRef.uid === undefined) return isReserved(volume);
    const claim = state.at(claims, claimRef.namespace ?? '', claimRef.name);
    const isBound = claim?.uid === claimRef.uid && claim.facts?.volumeName === volume.name;
    return !isBound;
  },
  affected: affectedByName(volumesByClaim, links),
  decide: syncedBy(volumeReclaim),
  links,
};

/** PV-11. */
const volumeProtection: KeyedController = {
  id,
  controller: 'persistentvolume-protection-controller',
  kinds: [volumes],
  reads: [volumes],
  concerns: isBeingDeleted,
  decide: syncedBy(volumeRelease),
  links,
};

const freed = syncedBy(claimRelease, (claim, { indexes }) => ({ pods: podsUsing(indexes, claim) }));

/** PV-12. */
const claimProtection: KeyedController = {
  id,
  controller: 'persistentvolumeclaim-protection-controller',
  kinds: [claims],
  reads: [claims, 'pods'],
  concerns: isBeingDeleted,
  affected: ({ before, after }, { state }) => {
    const pod = after ?? before;
    return pod && isPod(pod)
      ? knownClaimsOf(pod).map((name) => state.at(claims, pod.namespace, name))
      : [];
  },
  // Where pods were not read, the protection stays: who may use the claim is not known.
  decide: (...args) => freed(...args).filter(({ confidence }) => confidence !== 'unknown'),
  // A pod whose volumes were not read may use every claim in its namespace.
  links: {
    [volumes]: boundClaim,
    [claims]: (claim, { indexes }) => {
      const unread = unreadIn(claim);
      const isAny = indexes.of(podsByClaim).count(unread) > 0;
      return isAny ? [...ownName(claim), unread] : ownName(claim);
    },
    pods: podsByClaim.keysOf,
  },
};

export const volumeControllers: readonly KeyedController[] = [
  binder,
  volumeProtection,
  claimProtection,
];

/** Pods that may use a claim: those that name it, and those whose volumes were not read. */
function podsUsing(
  indexes: Cluster['indexes'],
  { namespace, name }: Pick<ObjectRecord, 'namespace' | 'name'>,
): readonly ObjectRecord[] {
  const pods = indexes.of(podsByClaim);
  return [...pods.get(`${namespace}/${name}`), ...pods.get(unreadIn({ namespace }))];
}

/** `namespace/name` of the claim that a volume is bound to. */
function boundClaim({ facts }: ObjectRecord): readonly string[] {
  const { claimRef } = facts ?? {};
  return claimRef ? [`${claimRef.namespace ?? ''}/${claimRef.name}`] : [];
}

/** The same of the claims that a pod uses. */
function claimNamesOf(pod: ObjectRecord): readonly string[] {
  return knownClaimsOf(pod).map((claim) => `${pod.namespace}/${claim}`);
}

/** A pod whose volumes were not read may use any of these. */
function unreadIn({ namespace }: Pick<ObjectRecord, 'namespace'>): string {
  return `${namespace}/?`;
}

const attachmentsByNode: IndexKind = {
  resource: attachments,
  keysOf: ({ facts }) => [facts?.attachment?.nodeName ?? []].flat(),
};

/** Volumes are detached from Nodes on which no pod uses them (ATT-1 to ATT-3). */
export const volumeAttachments = keyed(attachDetach, {
  listsOf: (attachment, { indexes, state }) => {
    const claim = claimOf(attachment, state);
    return { pods: claim ? podsUsing(indexes, claim) : [] };
  },
  rangesHold: true,
  concerns: ({ facts }) => facts?.attachment !== undefined,
  affected: affectedByName(attachmentsByNode, {
    nodes: ({ name }) => [name],
    pods: (pod) => [knownNodeOf(pod) ?? []].flat(),
  }),
  links: {
    [attachments]: (attachment, { state }) => {
      const { persistentVolumeName: volume, nodeName } = attachment.facts?.attachment ?? {};
      if (volume === undefined) return [];
      const claim = claimOf(attachment, state);
      return claim ? [volume, nameOf(claim, nodeName)] : [volume];
    },
    [volumes]: ({ name }) => [name],
    pods: (pod) =>
      knownClaimsOf(pod).map((name) =>
        nameOf({ namespace: pod.namespace, name }, knownNodeOf(pod)),
      ),
  },
});

interface Claim {
  readonly namespace: string;
  readonly name: string;
}

/** The claim whose volume is attached. */
function claimOf({ facts }: ObjectRecord, state: Cluster['state']): Claim | undefined {
  const name = facts?.attachment?.persistentVolumeName;
  if (name === undefined) return undefined;
  const { claimRef } = state.at('persistentvolumes', '', name)?.facts ?? {};
  return claimRef && { namespace: claimRef.namespace ?? '', name: claimRef.name };
}

function nameOf({ namespace, name }: Claim, node: string | undefined): string {
  return `${namespace}/${name} ${node ?? ''}`;
}
