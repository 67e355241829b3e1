import { isOwnName } from '../../controllers/volumes/attachdetach.ts';
import { attachmentType, claimType, nodeType } from '../../kube/core-types.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { knownClaimsOf, knownNodeOf } from '../../kube/pod-use.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import { further, type Link, link, type Trail, widest } from '../chain.ts';
import { evidenceOf, type Inquiry, presence, readAllFacts, recordIn } from '../inquiry.ts';
import { controllerManagerLink } from './program-links.ts';

/** What attaches a volume to Nodes: the external-attacher keeps its finalizer while anything does. */
export function attachmentLinks(inquiry: Inquiry, volume: ObjectRecord, trail: Trail): Link[] {
  const { evidence, own } = attachmentsOf(inquiry, [volume.name]);
  if (!own) {
    return [link(volume, 'volume-attached', 'unknown', unreadWords, { rule: 'ATT-1', evidence })];
  }
  return own.map((one) =>
    isBeingDeleted(one) ? trail.follow(one, further(trail, one)) : attachedLink(inquiry, one),
  );
}

/**
 * What attaches the volume of a claim to Nodes, and those of a pod that is being deleted to its own. It holds neither: a pod that
 * wants such a volume on another Node waits for it.
 */
export function attachedBesides(inquiry: Inquiry, record: ObjectRecord): Link[] {
  const volumes = volumesOf(inquiry, record);
  if (volumes.length === 0) return [];
  const { evidence, own } = attachmentsOf(inquiry, volumes);
  if (!own) {
    // Files seldom have them.
    if (inquiry.origin === 'files') return [];
    return [link(record, 'volume-attached', 'fine', unreadWords, { rule: 'ATT-1', evidence })];
  }
  const node = knownNodeOf(record);
  return own
    .filter(({ facts }) => !isPod(record) || facts?.attachment?.nodeName === node)
    .map((one) => {
      const { because, rule, evidence } = attachedLink(inquiry, one);
      const since = `its deletion began at ${one.deletionTimestamp}, and the driver has not detached the volume from Node ${one.facts?.attachment?.nodeName}`;
      const said = isBeingDeleted(one) ? since : because;
      return link(one, 'volume-attached', 'fine', said, { rule, evidence });
    });
}

const unreadWords = 'which VolumeAttachments name the volume was not read';

/** Names of the volumes that a claim is bound to, or the claims of a pod. */
function volumesOf(inquiry: Inquiry, record: ObjectRecord): string[] {
  const { namespace, facts: { volumeName } = {} } = record;
  if (!isPod(record)) return volumeName === undefined ? [] : [volumeName];
  return knownClaimsOf(record).flatMap((name) => {
    const claim = inquiry.ask({ ask: 'object', type: claimType, namespace, name });
    const found = recordIn(claim, claimType);
    return found ? volumesOf(inquiry, found) : [];
  });
}

/** The VolumeAttachments that name these volumes; undefined where they were not read. */
function attachmentsOf(inquiry: Inquiry, volumes: readonly string[]) {
  const list = readAllFacts(
    inquiry.ask({ ask: 'records', type: attachmentType, namespace: undefined }),
  );
  const evidence = evidenceOf<readonly unknown[]>(list, () => '');
  if (list.state !== 'read') return { evidence };
  const own = list.value.filter(({ facts }) =>
    volumes.includes(facts?.attachment?.persistentVolumeName ?? ''),
  );
  return { evidence, own: own.slice(0, widest) };
}

/** A VolumeAttachment that is not being deleted: its Node, and who deletes it when. */
export function attachedLink(inquiry: Inquiry, attachment: ObjectRecord): Link {
  const { nodeName: name = '' } = attachment.facts?.attachment ?? {};
  const node = inquiry.ask({ ask: 'object', type: nodeType, namespace: '', name });
  const evidence = presence(node);
  const attaches = `it attaches the volume to Node ${name}`;
  const isGone = node.state === 'read' && !node.value;
  if (!isOwnName(attachment.name)) {
    const because = `${attaches}${isGone ? ', which does not exist' : ''}; it has not the name that the attach-detach controller gives, so who made it has to delete it`;
    return link(attachment, 'volume-attached', isGone ? 'blocked' : 'waiting', because, {
      rule: 'NODE-3',
      evidence,
      next: `Delete VolumeAttachment/${attachment.name} when the volume is not mounted on ${name} any more.`,
    });
  }
  const manager = controllerManagerLink(inquiry, 'attach-detach controller');
  const when = isGone
    ? ', which does not exist; the attach-detach controller deletes it within 6 minutes after the last pod there'
    : '; the attach-detach controller deletes it when no pod there uses the volume and the kubelet has unmounted it';
  return link(attachment, 'volume-attached', 'waiting', attaches + when, {
    rule: isGone ? 'ATT-2' : 'ATT-1',
    evidence,
    links: manager.state === 'blocked' ? [manager] : [],
  });
}
