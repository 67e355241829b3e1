import { attachDetach, attachments } from '../../controllers/volumes/attachdetach.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { knownClaimsOf, knownNodeOf } from '../../kube/pod-use.ts';
import { storedAs } from '../../kube/resource-type.ts';
import { isNode, isPod } from '../../kube/well-known-kinds.ts';
import type { IndexKind } from './indexes.ts';
import { type Cluster, focusOn, type KeyedController } from './keyed-controller.ts';
import { podsUsing } from './volumes.ts';

const attachmentsByNode: IndexKind = {
  resource: attachments,
  keysOf: ({ facts }) => [facts?.attachment?.nodeName ?? []].flat(),
};

/** Volumes are detached from Nodes on which no pod uses them (ATT-1 to ATT-3). */
export const volumeAttachments: KeyedController = {
  id: attachDetach.id,
  controller: 'persistentvolume-attach-detach-controller',
  kinds: [attachments],
  reads: attachDetach.reads,
  rangesHold: true,
  concerns: ({ facts }) => facts?.attachment !== undefined,
  affected: ({ before, after }, { indexes }) => {
    const record = after ?? before;
    if (!record || storedAs(record.type) === attachments) return [];
    const node = isNode(record) ? record.name : isPod(record) ? knownNodeOf(record) : undefined;
    return node === undefined ? [] : indexes.of(attachmentsByNode).get(node);
  },
  decide: (attachment, { view, indexes, settings, state }, { now }) => {
    const claim = claimOf(attachment, state);
    const pods = claim ? podsUsing(indexes, claim) : [];
    return attachDetach.decide(focusOn(attachment, view, { pods }), settings, now);
  },
  linksOf: (record, { state }) => {
    const { type, namespace, name, facts } = record;
    if (type.kind === 'PersistentVolume') return [name];
    if (isPod(record)) {
      const node = knownNodeOf(record);
      return knownClaimsOf(record).map((claim) => nameOf({ namespace, name: claim }, node));
    }
    const { persistentVolumeName: volume, nodeName } = facts?.attachment ?? {};
    if (volume === undefined) return [];
    const claim = claimOf(record, state);
    return claim ? [volume, nameOf(claim, nodeName)] : [volume];
  },
};

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
