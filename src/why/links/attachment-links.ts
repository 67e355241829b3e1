import { isOwnName } from '../../controllers/volumes/attachdetach.ts';
import { attachmentType, nodeType } from '../../kube/core-types.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { further, type Link, link, type Trail, widest } from '../chain.ts';
import { evidenceOf, type Inquiry, presence, readAllFacts } from '../inquiry.ts';
import { controllerManagerLink } from './program-links.ts';

/** What attaches a volume to Nodes: the external-attacher keeps its finalizer while anything does. */
export function attachmentLinks(inquiry: Inquiry, volume: ObjectRecord, trail: Trail): Link[] {
  const list = readAllFacts(
    inquiry.ask({ ask: 'records', type: attachmentType, namespace: undefined }),
  );
  if (list.state !== 'read') {
    const evidence = evidenceOf<readonly unknown[]>(list, () => '');
    const because = 'which VolumeAttachments name the volume was not read';
    return [link(volume, 'volume-attached', 'unknown', because, { rule: 'ATT-1', evidence })];
  }
  return list.value
    .filter(({ facts }) => facts?.attachment?.persistentVolumeName === volume.name)
    .slice(0, widest)
    .map((one) =>
      isBeingDeleted(one) ? trail.follow(one, further(trail, one)) : attachedLink(inquiry, one),
    );
}

/** A VolumeAttachment that is not being deleted: its Node, and who deletes it when. */
export function attachedLink(inquiry: Inquiry, attachment: ObjectRecord): Link {
  const { nodeName: name = '' } = attachment.facts?.attachment ?? {};
  const node = inquiry.ask({ ask: 'object', type: nodeType, namespace: '', name });
  const evidence = presence(node);
  const attaches = `it attaches the volume to Node ${name}`;
  const isGone = node.state === 'read' && !node.value;
  if (!isOwnName(attachment.name)) {
    return link(
      attachment,
      'volume-attached',
      isGone ? 'blocked' : 'waiting',
      `${attaches}${isGone ? ', which does not exist' : ''}; it has not the name that the attach-detach controller gives, so who made it has to delete it`,
      {
        rule: 'NODE-3',
        evidence,
        next: `Delete VolumeAttachment/${attachment.name} when the volume is not mounted on ${name} any more.`,
      },
    );
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
