import { objectPath } from '../kube/object-path.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { isPathSegment } from '../kube/path-segment.ts';
import type { KubeObject } from '../kube/record-codec.ts';
import { controllerManagerLink } from './controller-manager-link.ts';
import { leaseType, nodeType } from './core-types.ts';
import { type Evidence, evidenceOf } from './evidence.ts';
import { conditionOf, fieldOf, listAt, textAt } from './fields.ts';
import { deleteExactly } from './fix-step.ts';
import type { Inquiry } from './inquiry.ts';
import { type Link, link } from './link.ts';
import { readInFull, readWhole } from './read-whole.ts';
import { rehearseDeletion } from './rehearsal-links.ts';

/** A pod that is bound to a node goes when the kubelet there confirms that its containers stopped (GC-63). */
export function podLink(
  inquiry: Inquiry,
  pod: ObjectRecord,
  object: KubeObject | undefined,
): Link | undefined {
  if (pod.deletionGracePeriodSeconds === 0) return undefined;
  if (fieldOf(object, 'spec') === undefined) return nodeUnread(inquiry, pod);
  const name = textAt(object, 'spec.nodeName');
  if (name === '') return undefined;
  const deadline = Date.parse(pod.deletionTimestamp ?? '');
  const seen = inquiry.ask({ ask: 'object', type: nodeType, namespace: '', name });
  const node = readWhole(seen);
  const target = { apiVersion: 'v1', kind: 'Node', namespace: '', name, uid: '' };
  if (node.state !== 'read') {
    return link(
      target,
      'pod-kubelet',
      'unknown',
      `the kubelet of node ${name} has to confirm that the containers stopped; the node could not be read`,
      {
        rule: 'GC-63',
        evidence: evidenceOf(node, () => ''),
        next: seen.state === 'read' ? readInFull : `Look at node ${name}.`,
      },
    );
  }
  if (!node.value)
    return nodeGone(
      inquiry,
      pod,
      target,
      evidenceOf(node, () => 'does not exist'),
    );
  const found = { ...target, uid: textAt(node.value, 'metadata.uid') };
  const ready = conditionOf(node.value, 'Ready');
  const status = textAt(ready, 'status') || 'not told';
  const evidence = [
    ...evidenceOf(node, () =>
      ready
        ? `Ready is ${status} (${textAt(ready, 'reason')}) since ${textAt(ready, 'lastTransitionTime')}`
        : 'has no condition Ready',
    ),
    ...leaseEvidence(inquiry, name),
  ];
  if (status !== 'True') {
    const why = ready
      ? `${textAt(ready, 'reason')}: ${textAt(ready, 'message')}`
      : 'it has never reported';
    return link(
      found,
      'node-not-ready',
      'blocked',
      `node ${name} is not ready (${why}), so its kubelet does not confirm that the containers stopped`,
      {
        rule: 'GC-63',
        evidence,
        next: `Bring node ${name} back. If the machine is certainly off, delete the Node or taint it node.kubernetes.io/out-of-service=nodeshutdown:NoExecute; then the pod garbage collector frees its pods.`,
      },
    );
  }
  const grace = `grace period of ${pod.deletionGracePeriodSeconds ?? '?'}s`;
  if (inquiry.now < deadline) {
    return link(
      pod,
      'pod-grace',
      'waiting',
      `its ${grace} ends at ${pod.deletionTimestamp}; its containers may take that long to stop`,
      {
        rule: 'GC-60',
        evidence,
      },
    );
  }
  const late = Math.round((inquiry.now - deadline) / 1000);
  const running = listAt(object, 'status.containerStatuses')
    .filter((entry) => textAt(entry, 'state.running.startedAt') !== '')
    .map((entry) => textAt(entry, 'name'));
  return link(
    pod,
    'pod-kubelet',
    late < 60 ? 'waiting' : 'blocked',
    `its ${grace} was over ${late}s ago, node ${name} is ready, but its kubelet has not confirmed that the containers stopped${running.length > 0 ? ` (still running: ${running.join(', ')})` : ''}`,
    {
      rule: 'GC-63',
      evidence,
      next: `Look at the events of the pod and at the kubelet's log on ${name}: a container that cannot be killed or a volume that cannot be unmounted.`,
    },
  );
}

/** Without its spec nobody can tell whether a kubelet has to confirm anything. */
function nodeUnread(inquiry: Inquiry, pod: ObjectRecord): Link {
  const { type, namespace, name } = pod;
  const reading = inquiry.ask({ ask: 'object', type, namespace, name });
  const { what } = reading;
  const evidence: Evidence[] =
    reading.state === 'pending'
      ? []
      : [{ what, readAt: reading.readAt, couldNotRead: 'the input does not hold its spec' }];
  return link(
    pod,
    'pod-kubelet',
    'unknown',
    'it was not read which node the pod is on, whose kubelet has to confirm that the containers stopped',
    { rule: 'GC-63', evidence, next: readInFull },
  );
}

function nodeGone(
  inquiry: Inquiry,
  pod: ObjectRecord,
  node: Link['object'],
  evidence: Link['evidence'],
): Link {
  const manager = controllerManagerLink(inquiry, 'pod garbage collector');
  const { refusal, evidence: dryRun } = rehearseDeletion(inquiry, pod);
  const isElsewhere = refusal !== undefined || manager.state === 'blocked';
  return link(
    node,
    'node-gone',
    isElsewhere ? 'waiting' : 'blocked',
    `node ${node.name} does not exist, so no kubelet confirms that the containers stopped`,
    {
      rule: 'GC-63',
      evidence: [...evidence, ...dryRun],
      links: refusal ? [refusal, manager] : [manager],
      next: 'The pod garbage collector deletes such a pod after 40 seconds. If it does not, delete the pod with grace period 0.',
      // No node can have a name that no path holds, and so none can be looked for.
      fix: !isPathSegment(node.name)
        ? undefined
        : deleteExactly(
            pod,
            `delete Pod ${pod.name} with grace period 0, as its node is gone`,
            'if the machine still runs without its Node, the containers go on there',
            objectPath(nodeType, '', node.name),
            0,
          ),
    },
  );
}

function leaseEvidence(inquiry: Inquiry, name: string): Link['evidence'] {
  const namespace = 'kube-node-lease';
  const lease = readWhole(inquiry.ask({ ask: 'object', type: leaseType, namespace, name }));
  return evidenceOf(lease, (found) =>
    found ? `the kubelet renewed it at ${textAt(found, 'spec.renewTime')}` : 'does not exist',
  );
}
