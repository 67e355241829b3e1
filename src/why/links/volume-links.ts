import { addressOf, shellCommand, suggested } from '../../command-line/shell-command.ts';
import { isOwnName } from '../../controllers/volumes/attachdetach.ts';
import { deleterOf, lateDeleterOf } from '../../controllers/volumes/volume-deleter.ts';
import { attachmentType, claimType, nodeType, podType, volumeType } from '../../kube/core-types.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import {
  isBeingDeleted,
  type ObjectRecord,
  PV_PROTECTION,
  PVC_PROTECTION,
} from '../../kube/object-record.ts';
import {
  claimOf,
  holdsClaim,
  knownClaimsOf,
  knownNodeOf,
  knownVolumesOf,
} from '../../kube/pod-use.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import { isNotFound, provisionerOf } from '../../programs/driver-programs.ts';
import { type Link, link, type Trail, widest } from '../chain.ts';
import { controllerTitles } from '../controller-accounts.ts';
import { removeFinalizer } from '../fix-request.ts';
import {
  evidenceOf,
  fieldNotHeld,
  type Inquiry,
  listEverywhere,
  presence,
  readAllWhole,
  readInFull,
  valueIn,
} from '../inquiry.ts';
import { controllerManagerLink, overdueLink, programOf, stepToRun } from './program-links.ts';
import { rehearseRemoval } from './rehearsals.ts';

/** pvc-protection: the pods that name the claim; only those that are bound to a node count. */
export function claimLink(inquiry: Inquiry, claim: ObjectRecord, trail: Trail): Link {
  const finalizer = PVC_PROTECTION;
  const pods = inquiry.ask({ ask: 'list', type: podType, namespace: claim.namespace });
  const users = (valueIn(pods) ?? []).filter((pod) => holdsClaim(pod, claim));
  // One pod that uses the claim is enough to hold it; that none does is certain only if all pods
  // were read.
  const asked = users.length > 0 ? pods : readAllWhole(pods);
  const evidence = evidenceOf(
    asked,
    (list) =>
      `${counted(list.length, 'pod')} read, ${users.length} on a node ${users.length === 1 ? 'uses' : 'use'} the claim`,
  );
  const details = { finalizer, rule: 'PVC protection' };
  if (asked.state !== 'read') {
    const why =
      pods.state === 'read'
        ? 'what the pods use was not read'
        : inquiry.origin === 'files'
          ? 'pods were not read'
          : 'pods could not be read';
    const because = `${finalizer} waits for the pods that use the claim; ${why}`;
    return link(claim, 'claim-in-use', 'unknown', because, {
      ...details,
      evidence,
      next: inquiry.origin === 'files' ? readInFull : '',
    });
  }
  if (users.length > 0) {
    const links = users.slice(0, widest).map((pod) => {
      if (isBeingDeleted(pod)) return trail.follow(pod);
      const phase = pod.facts?.phase || 'Unknown';
      const volume = volumeNamesOf(pod, claim.name).join(', ');
      const because = `it uses the claim as volume ${volume} (phase ${phase}, node ${knownNodeOf(pod)}) and is not being deleted`;
      return link(pod, 'claim-in-use', 'blocked', because, {
        rule: 'PVC protection',
        evidence: evidenceOf(pods, () => `pod ${pod.name}: volume ${volume}, phase ${phase}`),
        next: `Delete ${pod.type.kind}/${pod.name}, or what creates it, when its data is no longer needed. A finished pod counts, too.`,
      });
    });
    const count = users.length === 1 ? 'a pod that uses' : `${users.length} pods that use`;
    return link(claim, 'claim-in-use', 'waiting', `${finalizer} waits for ${count} the claim`, {
      ...details,
      evidence,
      links: [...links, ...lossLinks(inquiry, claim, users)],
    });
  }
  return idle(inquiry, claim, finalizer, 'no pod on a node uses the claim', evidence);
}

/** That the data of a claim is deleted with the last of these pods, and how to keep it. */
function lossLinks(
  inquiry: Inquiry,
  { facts: { volumeName: name } = {} }: ObjectRecord,
  [user, ...more]: readonly ObjectRecord[],
): Link[] {
  if (name === undefined || !user) return [];
  const reading = inquiry.ask({ ask: 'object', type: volumeType, namespace: '', name });
  const volume = valueIn(reading);
  if (volume?.facts?.persistentVolumeReclaimPolicy !== 'Delete') return [];
  const pods = more.length === 0 ? `Pod ${user.name} is` : 'these Pods are';
  const because = `its reclaim policy is Delete: once ${pods} deleted, its data is deleted, too`;
  const patch = JSON.stringify({ spec: { persistentVolumeReclaimPolicy: 'Retain' } });
  const keep = shellCommand`kubectl patch ${addressOf(volume)} -p ${patch}`;
  return [
    link(volume, 'volume-bound', 'waiting', because, {
      rule: 'PV-5',
      evidence: evidenceOf(reading, () => 'persistentVolumeReclaimPolicy Delete'),
      command: suggested('To keep its data, before that', keep),
    }),
  ];
}

/** Names of the volumes of a pod that are a claim. */
function volumeNamesOf(pod: ObjectRecord, claim: string): string[] {
  return knownVolumesOf(pod)
    .filter((volume) => claimOf(pod, volume) === claim)
    .map(({ name }) => name);
}

/** pv-protection: the claim that the volume is bound to. */
export function volumeLink(inquiry: Inquiry, volume: ObjectRecord, trail: Trail): Link {
  const finalizer = PV_PROTECTION;
  const { phase, message, claimRef } = volume.facts ?? {};
  // The API server gives every volume a phase: where there is none, it was not read.
  if (phase === undefined) {
    const evidence = fieldNotHeld(inquiry, volume, 'status.phase');
    const because = `${finalizer} waits while the volume is bound to a claim; whether it is was not read`;
    return link(volume, 'volume-bound', 'unknown', because, {
      finalizer,
      rule: 'PV protection',
      evidence,
      next: readInFull,
    });
  }
  const { namespace = '', name = '' } = claimRef ?? {};
  if (phase !== 'Bound') {
    const because = `the volume is not bound (phase ${phase}${message === undefined ? '' : `: ${message}`})`;
    return idle(inquiry, volume, finalizer, because, []);
  }
  const claim = inquiry.ask({ ask: 'object', type: claimType, namespace, name });
  const record = valueIn(claim);
  const evidence = evidenceOf(claim, (found) =>
    found ? `phase ${found.facts?.phase ?? ''}` : 'does not exist',
  );
  const isGone = claim.state === 'read' && !record;
  const because = `${finalizer} waits while the volume is bound to claim ${namespace}/${name}${isGone ? ', which does not exist; the volume controller has not noticed' : ''}`;
  const details = { finalizer, rule: 'PV protection', evidence };
  if (!record) {
    const links = isGone
      ? [controllerManagerLink(inquiry, 'persistentvolume-binder-controller')]
      : [];
    const state = isGone ? 'blocked' : 'unknown';
    return link(volume, 'volume-bound', state, because, { ...details, links });
  }
  const bound = 'the claim is bound to the volume and is not being deleted';
  const below = isBeingDeleted(record)
    ? trail.follow(record)
    : link(record, 'volume-bound', 'blocked', bound, {
        evidence,
        next: `Delete persistentvolumeclaim/${name} in ${namespace} when its data is no longer needed; the volume follows.`,
      });
  return link(volume, 'volume-bound', 'waiting', because, { ...details, links: [below] });
}

/** Nothing blocks the finalizer any more, so its controller should have removed it. */
function idle(
  inquiry: Inquiry,
  record: ObjectRecord,
  finalizer: string,
  reason: string,
  evidence: Link['evidence'],
): Link {
  const isClaim = record.type.kind === claimType.kind;
  const controller = isClaim
    ? 'persistentvolumeclaim-protection-controller'
    : 'persistentvolume-protection-controller';
  const title = controllerTitles[controller];
  const overdue = overdueLink(inquiry, record, isClaim ? 'claim-unused' : 'volume-unbound', {
    controller,
    because: `${reason}, but the ${title} has not removed ${finalizer}`,
    rule: 'SIM-6',
    finalizer,
    evidence,
    dryRun: rehearseRemoval(inquiry, record, finalizer, controller),
    next: `Look whether the ${title} runs.`,
    // The storage of a Failed volume still exists, and only the volume shows where.
    fix:
      record.facts?.phase === 'Failed'
        ? undefined
        : removeFinalizer(record, finalizer, `none known: ${reason}`),
  });
  return overdue.state === 'blocked' ? overdue : { ...overdue, next: '' };
}

/** That the provisioner which has to delete a released volume does not run. */
export function provisionerLinks(inquiry: Inquiry, volume: ObjectRecord): Link[] {
  const provisioner = provisionerOf(volume);
  if (!provisioner) return [];
  const { life, evidence } = programOf(inquiry, provisioner, '');
  if (life.state !== 'down' && !isNotFound(life)) return [];
  // It may run outside of the cluster.
  const [state, seems] =
    life.state === 'down'
      ? (['blocked', `does not run: ${life.because}`] as const)
      : (['unknown', 'was not found in the cluster'] as const);
  const because = `the ${provisioner.title}, which deletes it, ${seems}`;
  const step = stepToRun(life);
  return [
    link(volume, 'controller-off', state, because, {
      rule: 'PV-5',
      evidence,
      next: `${step?.does ?? `Run the ${provisioner.title} again`}: it then deletes the storage and the volume.`,
      ...(step && { command: step.command }),
    }),
  ];
}

/** A volume that was seen released long ago, and whose storage nothing has deleted since. */
export function undeletedLinks({ now }: Inquiry, volume: ObjectRecord): Link[] {
  const { phase, lastPhaseTransitionTime: since } = volume.facts ?? {};
  const by = lateDeleterOf(volume, now);
  if (phase !== 'Released' || since === undefined || by === undefined) return [];
  const because = `${by}, which deletes it, has not done so`;
  return [
    link(volume, 'controller-off', 'unknown', because, {
      rule: 'PV-5',
      next: `Look whether ${by} runs, and at its log.`,
      command: suggested(
        'To see what it reports',
        shellCommand`kubectl describe ${addressOf(volume)}`,
      ),
    }),
  ];
}

/** What attaches a volume to Nodes: the external-attacher keeps its finalizer while anything does. */
export function attachmentLinks(inquiry: Inquiry, volume: ObjectRecord, trail: Trail): Link[] {
  const { evidence, own } = attachmentsOf(inquiry, [volume.name]);
  if (!own) {
    return [link(volume, 'volume-attached', 'unknown', unreadWords, { rule: 'ATT-1', evidence })];
  }
  return own.map((one) => (isBeingDeleted(one) ? trail.follow(one) : attachedLink(inquiry, one)));
}

/**
 * The attachments of a claim's volume to Nodes, and of the volumes of a Pod that is being deleted to its Node. They block neither: a
 * Pod that needs such a volume on another Node waits for them.
 */
export function attachedBesides(inquiry: Inquiry, record: ObjectRecord): Link[] {
  const volumes = boundTo(inquiry, record);
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
    .map((one) => attachmentLink(inquiry, one, 'fine'));
}

/** One attachment in one sentence, whether it is being deleted or not. */
function attachmentLink(inquiry: Inquiry, one: ObjectRecord, state: Link['state']): Link {
  const { because, rule, evidence } = attachedLink(inquiry, one);
  const since = `its deletion began at ${one.deletionTimestamp}, and the driver has not detached the volume from Node ${one.facts?.attachment?.nodeName}`;
  const said = isBeingDeleted(one) ? since : because;
  return link(one, 'volume-attached', state, said, { rule, evidence });
}

/** The attachments of a released volume: its provisioner deletes none that is attached (canDeleteVolume, external-provisioner). */
export function attachedYet(inquiry: Inquiry, volume: ObjectRecord): Link[] {
  if (volume.type.kind !== volumeType.kind || deleterOf(volume).by !== 'external') return [];
  const { own = [], evidence } = attachmentsOf(inquiry, [volume.name]);
  if (own.length === 0) return [];
  const because = 'its provisioner does not delete it while a VolumeAttachment names it';
  const links = own.map((one) =>
    isBeingDeleted(one) ? attachmentLink(inquiry, one, 'waiting') : attachedLink(inquiry, one),
  );
  return [link(volume, 'volume-attached', 'waiting', because, { rule: 'PV-5', evidence, links })];
}

const unreadWords = 'which VolumeAttachments name the volume was not read';

/** Names of the volumes that a claim is bound to, or the claims of a pod. */
function boundTo(inquiry: Inquiry, record: ObjectRecord): string[] {
  const { namespace, facts: { volumeName } = {} } = record;
  if (!isPod(record)) return volumeName === undefined ? [] : [volumeName];
  return knownClaimsOf(record).flatMap((name) => {
    const found = valueIn(inquiry.ask({ ask: 'object', type: claimType, namespace, name }));
    return found ? boundTo(inquiry, found) : [];
  });
}

/** The VolumeAttachments that name these volumes; undefined where they were not read. */
function attachmentsOf(inquiry: Inquiry, volumes: readonly string[]) {
  const list = listEverywhere(inquiry, attachmentType);
  const evidence = evidenceOf(list, () => '');
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
  const manager = controllerManagerLink(inquiry, 'persistentvolume-attach-detach-controller');
  const when = isGone
    ? ', which does not exist; the attach-detach controller deletes it within 6 minutes after the last pod there'
    : '; the attach-detach controller deletes it when no pod there uses the volume and the kubelet has unmounted it';
  return link(attachment, 'volume-attached', 'waiting', attaches + when, {
    rule: isGone ? 'ATT-2' : 'ATT-1',
    evidence,
    links: manager.state === 'blocked' ? [manager] : [],
  });
}
