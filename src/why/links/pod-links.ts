import { objectPath } from '../../cluster/api-path.ts';
import { jobTracking } from '../../controllers/jobs/job.ts';
import { jobNamedBy, trackingOf } from '../../controllers/jobs/job-tracking.ts';
import {
  silentHomeOf,
  unconfirmedOn,
  waysToFree,
  whySilent,
} from '../../controllers/nodes/silent-node.ts';
import { jobType, leaseType, nodeType } from '../../kube/core-types.ts';
import { isPathSegment } from '../../kube/names.ts';
import { bareRecord, type ObjectRecord } from '../../kube/object-record.ts';
import { knownNodeOf, notRead } from '../../kube/pod-use.ts';
import { humanDuration } from '../../kube/time.ts';
import {
  isKubeletUnresponsive,
  isOutOfService,
  isPod,
  nodeLeases,
  readyConditionOf,
} from '../../kube/well-known-kinds.ts';
import { awaitedKubelet } from '../../snapshot/graph/blockers.ts';
import { type Link, link } from '../chain.ts';
import { deleteExactly, removeFinalizer } from '../fix-request.ts';
import {
  evidenceOf,
  fieldNotHeld,
  type Inquiry,
  type Reading,
  readInFull,
  readWhole,
  valueIn,
} from '../inquiry.ts';
import { controllerManagerLink, overdueLink } from './program-links.ts';
import { rehearseDeletion } from './rehearsals.ts';

/** A pod that is bound to a node goes when the kubelet there confirms that its containers stopped (GC-63). */
export function podLink(inquiry: Inquiry, pod: ObjectRecord): Link | undefined {
  const name = awaitedKubelet(pod);
  if (name === undefined) return undefined;
  return name === notRead ? nodeUnread(inquiry, pod) : kubeletLink(inquiry, pod, name);
}

function kubeletLink(inquiry: Inquiry, pod: ObjectRecord, name: string): Link {
  const seen = inquiry.ask({ ask: 'object', type: nodeType, namespace: '', name });
  const node = readWhole(seen);
  const target = bareRecord({ type: nodeType, namespace: '', name });
  if (node.state !== 'read') {
    const because = `the kubelet of node ${name} has to confirm that the containers stopped; the node could not be read`;
    return link(target, 'pod-kubelet', 'unknown', because, {
      rule: 'GC-63',
      evidence: evidenceOf(node, () => ''),
      next: seen.state === 'read' ? readInFull : `Look at node ${name}.`,
    });
  }
  if (!node.value) return nodeGone(inquiry, pod, target, node);
  const found = node.value;
  const ready = readyConditionOf(found);
  const { status = '', reason = '', lastTransitionTime = '' } = ready ?? {};
  const evidence = [
    ...evidenceOf(node, () =>
      ready
        ? `Ready is ${status || 'not set'} (${reason}) since ${lastTransitionTime}`
        : 'has no condition Ready',
    ),
    ...leaseEvidence(inquiry, name),
  ];
  const why = whySilent(found);
  if (status !== 'True' && isOutOfService(found)) {
    return outOfService(inquiry, pod, found, `node ${name} is not ready (${why})`, evidence);
  }
  if (isKubeletUnresponsive(found)) {
    const because = `node ${name} is not ready (${why}), so its kubelet does not confirm that the containers stopped`;
    return link(found, 'node-not-ready', 'blocked', because, {
      rule: 'GC-63',
      evidence,
      next: waysToFree(name),
    });
  }
  const health = status === 'True' ? 'is ready, but' : `is not ready (${why}), and`;
  return runningLink(pod, `node ${name} ${health}`, inquiry.now, { name, evidence });
}

/** Its containers may still stop within the grace period, or that is over. `node`: that it runs, in words. */
function runningLink(
  pod: ObjectRecord,
  node: string,
  now: number,
  { name, evidence }: { readonly name: string; readonly evidence: Link['evidence'] },
): Link {
  const deadline = Date.parse(pod.deletionTimestamp ?? '');
  const { deletionGracePeriodSeconds: granted } = pod;
  const grace = `grace period of ${granted === undefined ? 'unknown length' : humanDuration(granted)}`;
  if (now < deadline) {
    const because = `its ${grace} ends at ${pod.deletionTimestamp}; its containers may take that long to stop`;
    return link(pod, 'pod-grace', 'waiting', because, { rule: 'GC-60', evidence });
  }
  const late = Math.round((now - deadline) / 1000);
  const running = (pod.facts?.containerStatuses ?? [])
    .filter((container) => container.running)
    .map((container) => container.name ?? '');
  const because = `its ${grace} was over ${humanDuration(late)} ago, ${node} its kubelet has not confirmed that the containers stopped${running.length > 0 ? ` (still running: ${running.join(', ')})` : ''}`;
  return link(pod, 'pod-kubelet', late < 60 ? 'waiting' : 'blocked', because, {
    rule: 'GC-63',
    evidence,
    next: `Look at the events of the pod and at the kubelet's log on ${name}: a container that cannot be killed or a volume that cannot be unmounted.`,
  });
}

/** That a pod which is deleted later remains on its silent Node then. */
export function silentHomeLinks(inquiry: Inquiry, pod: ObjectRecord): Link[] {
  const name = knownNodeOf(pod) ?? '';
  if (!isPod(pod) || name === '') return [];
  const reading = readWhole(inquiry.ask({ ask: 'object', type: nodeType, namespace: '', name }));
  const node = silentHomeOf(pod, () => valueIn(reading));
  if (!node) return [];
  const because = `once it is being deleted, it remains: ${unconfirmedOn(name, true)} (${whySilent(node)})`;
  const evidence = evidenceOf(reading, () => 'its condition Ready is not True');
  const next = waysToFree(name);
  return [link(node, 'node-not-ready', 'waiting', because, { rule: 'GC-63', evidence, next })];
}

/** Without the pod's spec it is unknown whether a kubelet has to confirm the deletion. */
function nodeUnread(inquiry: Inquiry, pod: ObjectRecord): Link {
  const evidence = fieldNotHeld(inquiry, pod, 'spec');
  const because =
    'it was not read which node the pod is on, whose kubelet has to confirm that the containers stopped';
  return link(pod, 'pod-kubelet', 'unknown', because, {
    rule: 'GC-63',
    evidence,
    next: readInFull,
  });
}

function nodeGone(
  inquiry: Inquiry,
  pod: ObjectRecord,
  node: ObjectRecord,
  reading: Reading<unknown>,
): Link {
  const { name } = node;
  return overdueLink(inquiry, node, 'node-gone', {
    controller: 'pod-garbage-collector-controller',
    because: `node ${name} does not exist, so no kubelet confirms that the containers stopped`,
    rule: 'GC-63',
    evidence: evidenceOf(reading, () => 'does not exist'),
    dryRun: rehearseDeletion(inquiry, pod, 'pod-garbage-collector-controller'),
    next: 'The pod garbage collector deletes such a pod after 40 seconds. If it does not, delete the pod with grace period 0.',
    // No node can have a name that is not valid in a path, so none can be requested.
    fix: isPathSegment(name)
      ? deleteExactly(
          pod,
          `delete Pod ${pod.name} with grace period 0, as its Node does not exist`,
          'if the machine still runs without its Node, the containers go on there',
          objectPath(nodeType, '', name),
          0,
        )
      : undefined,
  });
}

/** Pod GC deletes it on its next pass, however long it has been waiting: when the taint came is not known (PG-10). */
function outOfService(
  inquiry: Inquiry,
  pod: ObjectRecord,
  node: ObjectRecord,
  silence: string,
  evidence: Link['evidence'],
): Link {
  const work = overdueLink(inquiry, node, 'node-out-of-service', {
    controller: 'pod-garbage-collector-controller',
    because: `${silence} and has the taint node.kubernetes.io/out-of-service, so the pod garbage collector deletes the pod on its next pass`,
    rule: 'PG-10',
    evidence,
    dryRun: rehearseDeletion(inquiry, pod, 'pod-garbage-collector-controller'),
    next: `Until then, see to it that the machine of ${node.name} is off.`,
  });
  return { ...work, state: 'waiting' };
}

function leaseEvidence(inquiry: Inquiry, name: string): Link['evidence'] {
  const lease = readWhole(
    inquiry.ask({ ask: 'object', type: leaseType, namespace: nodeLeases, name }),
  );
  return evidenceOf(lease, (found) =>
    found ? `the kubelet renewed it at ${found.facts?.renewTime ?? ''}` : 'does not exist',
  );
}

/** job-tracking on a pod: its Job counts it, if any does (JOB-3). */
export function jobTrackingLink(inquiry: Inquiry, pod: ObjectRecord): Link {
  const { namespace, labels } = pod;
  const name = jobNamedBy(pod) ?? labels?.['batch.kubernetes.io/job-name'] ?? labels?.['job-name'];
  const asked = name && inquiry.ask({ ask: 'object', type: jobType, namespace, name });
  const job = asked ? readWhole(asked) : undefined;
  const evidence = job
    ? evidenceOf(job, (found) => (found ? `exists, uid ${found.uid}` : 'does not exist'))
    : [];
  const details = { finalizer: jobTracking, rule: 'JOB-3', evidence };
  if (job && job.state !== 'read') {
    const because = `${jobTracking} waits for Job ${name}, which could not be read`;
    const links = [controllerManagerLink(inquiry, 'job-controller')];
    return link(pod, 'job-tracking', 'unknown', because, { ...details, links });
  }
  const { state, because } = trackingOf(pod, job?.value);
  if (state === 'waiting' || state === 'kept') {
    const next = 'The Job controller never removes it: what manages the pod has to.';
    const more = state === 'kept' ? { ...details, next } : details;
    const how = state === 'kept' ? 'blocked' : 'waiting';
    return link(pod, 'job-tracking', how, `${jobTracking} stays: ${because}`, more);
  }
  const work =
    state === 'counted'
      ? {
          because: `${jobTracking} waits until the Job controller has counted the pod for Job ${name}`,
          next: `Look at the status of Job ${name} (uncountedTerminatedPods).`,
        }
      : {
          because: `${jobTracking} is left over: ${because}`,
          next: 'The Job controller removes it when it runs; otherwise remove it.',
          fix: removeFinalizer(pod, jobTracking, 'none known: no Job counts this pod any more'),
        };
  return overdueLink(inquiry, pod, 'job-tracking', {
    controller: 'job-controller',
    ...details,
    ...work,
  });
}
