import {
  crashLoopingPods,
  crashLoopOf,
  crashLoopsInWords,
} from '../../controllers/finalizers/crash-loops.ts';
import {
  type FinalizerController,
  programLabels,
  runsController,
} from '../../controllers/finalizers/known-finalizer.ts';
import { isLeaseValid, type LeaderLease, readingTime } from '../../controllers/leader-lease.ts';
import { leaseType, podType, workloadTypes } from '../../kube/core-types.ts';
import { fieldAt, listAt, numberAt, textAt } from '../../kube/json-value.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { asRecord, type KubeObject, type SeenObject, wholeOf } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { type Cause, type Link, link } from '../chain.ts';
import type { FixRequest } from '../fix-request.ts';
import {
  type Evidence,
  evidenceOf,
  type Inquiry,
  notHeld,
  readAllWhole,
  readWhole,
} from '../inquiry.ts';
import type { Rehearsed } from './refusal-links.ts';

/** Whether a program of the cluster runs, as far as can be seen. */
export interface ProgramState {
  readonly state: 'running' | 'down' | 'missing' | 'unread';
  readonly reason: string;
  readonly evidence: readonly Evidence[];
}

interface Workload {
  readonly type: ResourceType;
  readonly object: SeenObject;
}

/** Looks for the Deployments, StatefulSets and DaemonSets that a table of finalizers describes. */
export function programState(inquiry: Inquiry, controller: FinalizerController): ProgramState {
  const state = stateOf(inquiry, controller.title, ({ type, object }) =>
    runsController(asRecord(object, type), controller, imagesOf(object)),
  );
  if (state.state === 'unread') return state;
  const leader = leaderState(inquiry, controller);
  if (state.state === 'running' && leader?.state === 'down') {
    const reason = `${state.reason}, but does not renew its ${leader.lease}`;
    return { state: 'unread', reason, evidence: [...state.evidence, ...leader.evidence] };
  }
  if (state.state === 'running') return state;
  if (state.state === 'down') return leader?.state === 'running' ? leader : state;
  if (leader || !controller.mayRunElsewhere) return leader ?? state;
  const reason = `${state.reason}; it may run outside of the cluster, where it cannot be seen`;
  return { state: 'unread', reason, evidence: state.evidence };
}

/**
 * A program that renews its Lease runs, inside the cluster or elsewhere; undefined when it holds no
 * Lease.
 */
function leaderState(
  inquiry: Inquiry,
  { title, leases = [] }: FinalizerController,
): (ProgramState & { readonly lease: string }) | undefined {
  for (const name of leases.filter((lease) => !lease.includes('*'))) {
    const fields = `metadata.name=${name}`;
    const reading = readAllWhole(
      inquiry.ask({ ask: 'list', type: leaseType, namespace: undefined, fields }),
    );
    const lease = reading.state === 'read' ? reading.value[0] : undefined;
    if (!lease) continue;
    const renewed = textAt(lease, 'spec.renewTime');
    const where = `Lease ${textAt(lease, 'metadata.namespace')}/${name}`;
    const isFresh = isLeaseValid(leaderLeaseOf(lease), inquiry.now, readingTime);
    return {
      lease: where,
      state: isFresh ? 'running' : 'down',
      reason: isFresh
        ? `${title} runs (it renews ${where})`
        : `${title} does not run: its ${where} is not renewed`,
      evidence: evidenceOf(reading, () => `${where} was renewed at ${renewed || 'no time'}`),
    };
  }
  return undefined;
}

/** The same of a Lease that was asked for. */
function leaderLeaseOf(lease: KubeObject): LeaderLease {
  const leaseDurationSeconds = numberAt(lease, 'spec.leaseDurationSeconds');
  return { renewTime: textAt(lease, 'spec.renewTime'), leaseDurationSeconds };
}

/** Looks for a program by the name under which it wrote an object. */
export function programNamed(inquiry: Inquiry, manager: string): ProgramState {
  return stateOf(inquiry, manager, ({ type, object }) => {
    const { name, labels } = asRecord(object, type);
    return (
      name === manager ||
      name.endsWith(`-${manager}`) ||
      name === `${manager}-controller-manager` ||
      programLabels.some((label) => labels?.[label] === manager)
    );
  });
}

function stateOf(
  inquiry: Inquiry,
  title: string,
  isIt: (workload: Workload) => boolean,
): ProgramState {
  const found: Workload[] = [];
  const unread: Evidence[] = [];
  const looked: Evidence[] = [];
  for (const type of workloadTypes) {
    const reading = inquiry.ask({ ask: 'list', type, namespace: undefined });
    const evidence = evidenceOf(reading, (list) => `${list.length} read, none of them matches`);
    if (reading.state === 'read') {
      const own = reading.value.map((object) => ({ type, object }));
      looked.push(...evidence);
      found.push(...own.filter(isIt));
      // It may be among the workloads whose images were not read.
      const whole = readAllWhole(reading);
      if (whole.state !== 'read' && !own.some(isIt)) unread.push(...evidenceOf(whole, () => ''));
    } else unread.push(...evidence);
  }
  const states = found.map((workload) => readinessOf(workload, inquiry.origin));
  const evidence = found.map((workload, index): Evidence => {
    const what = `${workload.type.kind}/${nameOf(workload)} in ${namespaceOf(workload)}`;
    const readAt = looked[0]?.readAt ?? '';
    const state = states[index];
    return state?.ready === undefined
      ? notHeld(what, readAt, 'status')
      : { what, readAt, value: state.text };
  });
  if (states.some(({ ready }) => ready)) {
    return { state: 'running', reason: `${title} runs (${namesOf(found)})`, evidence };
  }
  if (unread.length > 0 || states.some(({ ready }) => ready === undefined)) {
    const reason = `whether ${title} runs could not be read`;
    return { state: 'unread', reason, evidence: [...evidence, ...unread] };
  }
  if (found.length > 0) {
    const crashing = crashLoopsAmong(inquiry, found);
    const reason = `${title} does not run: ${namesOf(found)} has no ready pod${crashLoopsInWords(crashing.pods)}`;
    return { state: 'down', reason, evidence: [...evidence, ...crashing.evidence] };
  }
  const reason = `no Deployment, StatefulSet or DaemonSet looks like ${title}`;
  return { state: 'missing', reason, evidence: looked };
}

/** Pods of these workloads that end again and again, where pods may be read. */
function crashLoopsAmong(
  inquiry: Inquiry,
  workloads: readonly Workload[],
): { readonly pods: readonly ObjectRecord[]; readonly evidence: readonly Evidence[] } {
  const reading = readAllWhole(inquiry.ask({ ask: 'list', type: podType, namespace: undefined }));
  if (reading.state !== 'read') return { pods: [], evidence: [] };
  const { readAt } = reading;
  const homes = new Set(workloads.map(namespaceOf));
  const near = reading.value
    .map((object) => asRecord(object, podType))
    .filter(({ namespace }) => homes.has(namespace));
  const pods = workloads.flatMap(({ type, object }) =>
    crashLoopingPods(asRecord(object, type), near),
  );
  const evidence = pods.map((pod) => ({
    what: `Pod/${pod.name} in ${pod.namespace}`,
    readAt,
    value: `a container waits in ${crashLoopOf(pod)}`,
  }));
  return { pods, evidence };
}

/** `ready` is undefined where the status was not read. */
export function readinessOf(
  workload: Workload,
  origin: Inquiry['origin'],
): { ready: boolean | undefined; text: string } {
  const { type } = workload;
  const object = wholeOf(workload.object);
  const isUnread = origin === 'files' && fieldAt(object, 'status') === undefined;
  if (!object || isUnread) return { ready: undefined, text: '' };
  const isDaemon = type.kind === 'DaemonSet';
  const wanted =
    numberAt(object, isDaemon ? 'status.desiredNumberScheduled' : 'spec.replicas') ?? 1;
  const field = isDaemon ? 'status.numberReady' : 'status.readyReplicas';
  const ready =
    numberAt(object, field) ??
    (type.kind === 'Deployment' ? numberAt(object, 'status.availableReplicas') : undefined) ??
    0;
  return { ready: ready > 0, text: `${ready} of ${wanted} pods ready` };
}

/** The images of a workload's containers; `spec` is where its pods are described. */
export function imagesOf(
  object: SeenObject,
  spec = 'spec.template.spec',
  lists: readonly ('containers' | 'initContainers')[] = ['containers'],
): string[] {
  return lists.flatMap((list) =>
    listAt(wholeOf(object), `${spec}.${list}`).map((entry) => textAt(entry, 'image')),
  );
}

function namesOf(found: readonly Workload[]): string {
  return found
    .slice(0, 3)
    .map((workload) => `${workload.type.kind} ${namespaceOf(workload)}/${nameOf(workload)}`)
    .join(', ');
}

function nameOf({ type, object }: Workload): string {
  return asRecord(object, type).name;
}

function namespaceOf({ type, object }: Workload): string {
  return asRecord(object, type).namespace;
}

/** Does kube-controller-manager run? Its leader renews a Lease every few seconds. */
export function controllerManagerLink(inquiry: Inquiry, controller: string): Link {
  const [namespace, name] = ['kube-system', 'kube-controller-manager'];
  const reading = readWhole(inquiry.ask({ ask: 'object', type: leaseType, namespace, name }));
  const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name, uid: '' };
  const evidence = evidenceOf(reading, (lease) =>
    lease
      ? `held by ${textAt(lease, 'spec.holderIdentity') || 'no holder'}, renewed at ${textAt(lease, 'spec.renewTime') || 'no time'}`
      : 'there is no such Lease',
  );
  if (reading.state === 'pending' || reading.state === 'unread') {
    return link(
      object,
      'controller-manager-unknown',
      'unknown',
      'whether kube-controller-manager runs could not be read',
      { evidence },
    );
  }
  const lease = reading.value;
  if (!lease) {
    return link(
      object,
      'controller-manager-unknown',
      'unknown',
      'kube-controller-manager holds no Lease: it does not run, it runs elsewhere, or without leader election',
      { evidence, next: 'Look whether kube-controller-manager runs.' },
    );
  }
  const uid = textAt(lease, 'metadata.uid');
  const renewed = Date.parse(textAt(lease, 'spec.renewTime'));
  const holder = textAt(lease, 'spec.holderIdentity');
  const seconds = Math.round((inquiry.now - renewed) / 1000);
  if (holder === '' || !isLeaseValid(leaderLeaseOf(lease), inquiry.now)) {
    const since = Number.isNaN(renewed) ? '' : `; its Lease was last renewed ${seconds}s ago`;
    return link(
      { ...object, uid },
      'controller-manager-down',
      'blocked',
      `kube-controller-manager, which runs the ${controller}, has no leader${since}`,
      {
        evidence,
        rule: 'GC-78',
        next: 'Bring kube-controller-manager back (its static pod, its logs, its access to the API server); it then goes on by itself.',
      },
    );
  }
  return link(
    { ...object, uid },
    'controller-manager-runs',
    'fine',
    `kube-controller-manager has a leader, which renewed its Lease ${Math.max(0, seconds)}s ago; whether the ${controller} is among its controllers is unknown`,
    {
      evidence,
      next: `If nothing happens, look for the ${controller} in its log and in --controllers.`,
    },
  );
}

/** Work that a controller of kube-controller-manager should have done by now. */
export interface OverdueWork {
  readonly controller: string;
  readonly because: string;
  readonly rule: string;
  readonly finalizer?: string;
  readonly evidence?: readonly Evidence[];
  /** What a server dry run of it showed. */
  readonly dryRun?: Rehearsed;
  readonly next: string;
  /** What can be done in its place; not offered while something refuses it or the controller is down. */
  readonly fix?: FixRequest | undefined;
}

export function overdueLink(
  inquiry: Inquiry,
  object: ObjectRecord | ObjectReference,
  cause: Cause,
  { controller, because, evidence = [], dryRun, fix, ...details }: OverdueWork,
): Link {
  const manager = controllerManagerLink(inquiry, controller);
  const refusal = dryRun?.refusal;
  const isHeldUp = refusal !== undefined || manager.state === 'blocked';
  return link(object, cause, isHeldUp ? 'waiting' : 'blocked', because, {
    ...details,
    evidence: [...evidence, ...(dryRun?.evidence ?? [])],
    links: refusal ? [refusal, manager] : [manager],
    fix: isHeldUp ? undefined : fix,
  });
}
