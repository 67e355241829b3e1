import { claimType, podType } from '../../kube/core-types.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { textAt } from '../../kube/json-value.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { claimOf, knownNodeOf, knownVolumesOf } from '../../kube/pod-use.ts';
import { type KubeObject, wholeOf } from '../../kube/record-codec.ts';
import { further, type Link, link, type Trail, widest } from '../chain.ts';
import { removeFinalizer } from '../fix-request.ts';
import {
  evidenceOf,
  fieldNotHeld,
  type Inquiry,
  readAllFacts,
  readInFull,
  recordIn,
} from '../inquiry.ts';
import { controllerManagerLink, overdueLink } from './program-links.ts';
import { rehearseRemoval } from './refusal-links.ts';

/** pvc-protection: the pods that name the claim; only those that are bound to a node count. */
export function claimLink(inquiry: Inquiry, claim: ObjectRecord, trail: Trail): Link {
  const finalizer = 'kubernetes.io/pvc-protection';
  const pods = inquiry.ask({ ask: 'records', type: podType, namespace: claim.namespace });
  const users = pods.state === 'read' ? pods.value.filter((pod) => usesClaim(pod, claim.name)) : [];
  // One pod that uses the claim is enough to hold it; that none does is certain only if all pods
  // were read.
  const asked = users.length > 0 ? pods : readAllFacts(pods);
  const evidence = evidenceOf<readonly unknown[]>(
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
      if (isBeingDeleted(pod)) return trail.follow(pod, further(trail, pod));
      const phase = pod.facts?.phase || 'Unknown';
      const volume = volumesOf(pod, claim.name).join(', ');
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
      links,
    });
  }
  return idle(inquiry, claim, finalizer, 'no pod on a node uses the claim', evidence);
}

function usesClaim(pod: ObjectRecord, claim: string): boolean {
  return knownNodeOf(pod) !== undefined && volumesOf(pod, claim).length > 0;
}

/** Names of the volumes of a pod that are a claim. */
function volumesOf(pod: ObjectRecord, claim: string): string[] {
  return knownVolumesOf(pod)
    .filter((volume) => claimOf(pod, volume) === claim)
    .map(({ name }) => name);
}

/** pv-protection: the claim that the volume is bound to. */
export function volumeLink(
  inquiry: Inquiry,
  volume: ObjectRecord,
  object: KubeObject | undefined,
  trail: Trail,
): Link {
  const finalizer = 'kubernetes.io/pv-protection';
  const phase = textAt(object, 'status.phase');
  // The API server gives every volume a phase: where there is none, it was not read.
  if (phase === '') {
    const evidence = fieldNotHeld(inquiry, volume, 'status.phase');
    const because = `${finalizer} waits while the volume is bound to a claim; whether it is was not read`;
    return link(volume, 'volume-bound', 'unknown', because, {
      finalizer,
      rule: 'PV protection',
      evidence,
      next: readInFull,
    });
  }
  const namespace = textAt(object, 'spec.claimRef.namespace');
  const name = textAt(object, 'spec.claimRef.name');
  if (phase !== 'Bound') {
    const because = `the volume is not bound (phase ${phase})`;
    return idle(inquiry, volume, finalizer, because, []);
  }
  const claim = inquiry.ask({ ask: 'object', type: claimType, namespace, name });
  const record = recordIn(claim, claimType);
  const evidence = evidenceOf(claim, (found) =>
    found ? `phase ${textAt(wholeOf(found), 'status.phase')}` : 'does not exist',
  );
  const isGone = claim.state === 'read' && !record;
  const because = `${finalizer} waits while the volume is bound to claim ${namespace}/${name}${isGone ? ', which does not exist; the volume controller has not noticed' : ''}`;
  const details = { finalizer, rule: 'PV protection', evidence };
  if (!record) {
    const links = isGone ? [controllerManagerLink(inquiry, 'persistent volume controller')] : [];
    const state = isGone ? 'blocked' : 'unknown';
    return link(volume, 'volume-bound', state, because, { ...details, links });
  }
  const bound = 'the claim is bound to the volume and is not being deleted';
  const below = isBeingDeleted(record)
    ? trail.follow(record, further(trail, record))
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
  const controller = isClaim ? 'PVC protection controller' : 'PV protection controller';
  const overdue = overdueLink(inquiry, record, isClaim ? 'claim-unused' : 'volume-unbound', {
    controller,
    because: `${reason}, but the ${controller} has not removed ${finalizer}`,
    rule: 'SIM-6',
    finalizer,
    evidence,
    dryRun: rehearseRemoval(inquiry, record, finalizer),
    next: `Look whether the ${controller} runs.`,
    fix: removeFinalizer(record, finalizer, `none known: ${reason}`),
  });
  return overdue.state === 'blocked' ? overdue : { ...overdue, next: '' };
}
