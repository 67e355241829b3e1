import {
  addressOf,
  inNamespace,
  shellCommand,
  suggested,
} from '../../command-line/shell-command.ts';
import { managedResourceFinalizer } from '../../delivery/crossplane.ts';
import { leaseType, podType, workloadTypes } from '../../kube/core-types.ts';
import { hasLeader } from '../../kube/leader-lease.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { fullNameOf, type ObjectReference } from '../../kube/object-reference.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { humanDuration } from '../../kube/time.ts';
import type { FinalizerController } from '../../programs/known-finalizers.ts';
import {
  crashLoopingPods,
  crashLoopOf,
  type ProgramLife,
  podsReady,
  programLives,
} from '../../programs/program-life.ts';
import { enabledControllers, offHere } from '../../settings/enabled-controllers.ts';
import { type Cause, type Link, link } from '../chain.ts';
import { type ControllerWithAccount, controllerTitles } from '../controller-accounts.ts';
import type { FixRequest } from '../fix-request.ts';
import {
  type Evidence,
  evidenceOf,
  type Inquiry,
  notHeld,
  type Reading,
  readWhole,
  seenIn,
  valueIn,
} from '../inquiry.ts';

/** Whether a program of the cluster runs, and what shows it. */
export interface SeenProgram {
  readonly life: ProgramLife;
  readonly evidence: readonly Evidence[];
  /** That what installs it does not exist: `no Provider of Crossplane is installed`. */
  readonly uninstalled?: string;
}

/**
 * Looks for the workloads of a program, for its pods where no workload of it is ready, and for its Lease. `namespace`: of the object
 * that it is to serve.
 */
export function programOf(
  inquiry: Inquiry,
  controller: FinalizerController,
  namespace: string,
): SeenProgram {
  return inquiry.once(`program ${JSON.stringify(controller)} for ${namespace}`, () =>
    seenProgram(inquiry, controller, namespace),
  );
}

function seenProgram(
  inquiry: Inquiry,
  controller: FinalizerController,
  namespace: string,
): SeenProgram {
  const asked = new Map<string, Reading<readonly ObjectRecord[]>>();
  const recordsOf = (type: ResourceType): readonly ObjectRecord[] => {
    const reading = inquiry.ask({ ask: 'list', type, namespace: undefined });
    asked.set(groupResourceOf(type), reading);
    return seenIn(reading);
  };
  const records = [...workloadTypes, leaseType].flatMap(recordsOf);
  if (!['runs', 'elsewhere'].includes(lifeAmong(records).state))
    records.push(...recordsOf(podType));
  const life = lifeAmong(records);
  const readAt = (type: ResourceType) => {
    const reading = asked.get(groupResourceOf(type));
    return reading === undefined || reading.state === 'pending' ? '' : reading.readAt;
  };
  const { programs, lease } = life;
  return {
    life,
    evidence: [
      ...programs.map((program) => stateOf(program, readAt(program.type), inquiry.isCurrent)),
      ...crashLoopsOf(life, records, readAt(podType)),
      ...(lease ? [leaseEvidence(lease, readAt(leaseType))] : []),
      ...(programs.length > 0 || lease
        ? []
        : [...asked.values()].flatMap((reading) =>
            evidenceOf(reading, (list) => `${list.length} read, none of them matches`),
          )),
    ],
  };

  function lifeAmong(seen: readonly ObjectRecord[]): ProgramLife {
    return programLives({
      records: seen,
      unread: [...asked].flatMap(([kind, { state }]) => (state === 'unread' ? kind : [])),
      now: inquiry.now,
      ofCluster: inquiry.isCurrent,
    })(controller)(namespace);
  }
}

/** A provider of Crossplane of which nothing runs is missing where no Provider is installed. */
export function uninstalledProvider(
  inquiry: Inquiry,
  finalizer: string,
  { life, evidence }: SeenProgram,
): SeenProgram | undefined {
  if (finalizer !== managedResourceFinalizer) return undefined;
  if (life.state !== 'unclear' || life.programs.length > 0 || life.lease) return undefined;
  const packages = ['Provider', 'ProviderRevision'].map((kind) => {
    const type = inquiry.types.ofKind('pkg.crossplane.io', kind);
    return type && inquiry.ask({ ask: 'list', type, namespace: undefined });
  });
  const readings = packages.filter((one) => one?.state === 'read' && one.value.length === 0);
  if (readings.length < packages.length) return undefined;
  const none = readings.flatMap((one) => (one ? evidenceOf(one, () => 'there is none') : []));
  return {
    life: { ...life, state: 'missing' },
    evidence: [...evidence, ...none],
    uninstalled: 'no workload looks like it, and no Provider of Crossplane is installed',
  };
}

/**
 * The first step towards a program that is there and does not run: what to do, and the command for it. One that is scaled to 0 does
 * not run, whatever else was not read.
 */
export function stepToRun({ state, programs }: ProgramLife) {
  const [program] = programs;
  const isIdle = state === 'unread' && programs.every(({ facts }) => facts?.replicas === 0);
  if (!program || (state !== 'down' && !isIdle)) return undefined;
  const { type, facts = {} } = program;
  const title = fullNameOf(program);
  if (facts.replicas === 0) {
    const scale = shellCommand`kubectl scale ${addressOf(program)} --replicas=1`;
    return { does: `Scale ${title} up`, command: suggested('To scale it up', scale) };
  }
  if (type.kind === 'Pod') {
    const describe = shellCommand`kubectl describe ${addressOf(program)}`;
    return { does: `Look why ${title} is not ready`, command: suggested('To see it', describe) };
  }
  const labels = Object.entries(facts.selector?.matchLabels ?? {});
  const selected = labels.length === 0 ? [] : ['-l', labels.map((one) => one.join('=')).join(',')];
  const list = shellCommand`kubectl get pods ${inNamespace(program)} ${selected}`;
  const does = `Look at the Pods of ${title}, of which none is ready`;
  return { does, command: suggested('To see them', list) };
}

/** The program of a name under which something was written. */
export function controllerNamed(manager: string): FinalizerController {
  return {
    title: manager,
    runsIn: 'workload',
    names: [manager, `${manager}-controller-manager`],
    labels: [manager],
  };
}

function stateOf(program: ObjectRecord, readAt: string, ofCluster: boolean): Evidence {
  const { type, namespace, name } = program;
  const what = `${type.kind}/${name} in ${namespace}`;
  const { state, because } = podsReady(program, ofCluster);
  return state === 'unread' ? notHeld(what, readAt, 'status') : { what, readAt, value: because };
}

function crashLoopsOf(
  { state, programs }: ProgramLife,
  records: readonly ObjectRecord[],
  readAt: string,
): Evidence[] {
  if (state !== 'down') return [];
  return programs
    .flatMap((program) => crashLoopingPods(program, records))
    .map((pod) => ({
      what: `Pod/${pod.name} in ${pod.namespace}`,
      readAt,
      value: `a container waits in ${crashLoopOf(pod)}`,
    }));
}

function leaseEvidence({ namespace, name, facts }: ObjectRecord, readAt: string): Evidence {
  const what = `Lease/${name} in ${namespace}`;
  return facts
    ? { what, readAt, value: `renewed at ${facts.renewTime ?? 'no time'}` }
    : notHeld(what, readAt, 'renewTime');
}

/** Does a controller of kube-controller-manager run here, by its `--controllers`? Undefined where that was not read. */
export function runsHere(
  inquiry: Inquiry,
  name: string,
): { readonly runs: boolean | undefined; readonly evidence: readonly Evidence[] } {
  const reading = inquiry.ask({ ask: 'settings' });
  if (reading.state === 'read' && reading.value.controllersFrom === 'unknown') {
    const { what, readAt } = reading;
    const couldNotRead = 'nothing shows its --controllers';
    return { runs: undefined, evidence: [{ what, readAt, couldNotRead, reason: 'unavailable' }] };
  }
  const controllers = valueIn(reading)?.settings.controllers;
  return {
    runs: controllers && enabledControllers(controllers)(name),
    evidence: evidenceOf(reading, () => `--controllers=${controllers?.join(',')}`),
  };
}

/**
 * Does a controller of kube-controller-manager run? `--controllers` may leave it off, and the leader renews a Lease
 * every few seconds.
 */
export function controllerManagerLink(inquiry: Inquiry, controller: ControllerWithAccount): Link {
  return managerLink(inquiry, { title: controllerTitles[controller], controllerName: controller });
}

/** The same for a controller that is called otherwise. */
export function managerLink(
  inquiry: Inquiry,
  { title, controllerName }: Pick<FinalizerController, 'title' | 'controllerName'>,
): Link {
  const [namespace, name] = ['kube-system', 'kube-controller-manager'];
  const reading = readWhole(inquiry.ask({ ask: 'object', type: leaseType, namespace, name }));
  const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name, uid: '' };
  const evidence = evidenceOf(reading, (lease) =>
    lease
      ? `holder ${lease.facts?.holderIdentity ?? 'none'}, renewed at ${lease.facts?.renewTime ?? 'no time'}`
      : 'there is no such Lease',
  );
  const { runs, evidence: flags } = runsHere(inquiry, controllerName ?? '');
  if (controllerName !== undefined && runs === false) {
    const because = `the ${title} ${offHere(controllerName)}`;
    return link(object, 'controller-off', 'blocked', because, {
      evidence: flags,
      rule: 'GC-78',
      next: `Start kube-controller-manager with ${controllerName} among its --controllers.`,
    });
  }
  if (reading.state === 'pending' || reading.state === 'unread') {
    const because = 'whether kube-controller-manager runs could not be read';
    return link(object, 'controller-manager-unknown', 'unknown', because, { evidence });
  }
  if (!reading.value) {
    const because =
      'kube-controller-manager has no Lease: it does not run, runs elsewhere, or runs without leader election';
    return link(object, 'controller-manager-unknown', 'unknown', because, {
      evidence,
      next: 'Look whether kube-controller-manager runs.',
    });
  }
  const lease = reading.value;
  const { renewTime } = lease.facts ?? {};
  const { isCurrent, now } = inquiry;
  const leads = hasLeader(lease, isCurrent ? [] : leasesIn(inquiry), now, isCurrent);
  const seconds = Math.max(0, Math.round((now - Date.parse(renewTime ?? '')) / 1000));
  const renewed = isCurrent ? `${humanDuration(seconds)} ago` : `at ${renewTime}`;
  if (leads === undefined) {
    const because = `kube-controller-manager renewed its Lease ${renewed}, and the input does not show when that was read`;
    return link(lease, 'controller-manager-unknown', 'unknown', because, { evidence });
  }
  if (!leads) {
    const because = `kube-controller-manager, which runs the ${title}, has no leader${renewTime === undefined ? '' : `; its Lease was last renewed ${renewed}`}`;
    return link(lease, 'controller-manager-down', 'blocked', because, {
      evidence,
      rule: 'GC-78',
      next: 'Bring kube-controller-manager back (its static pod, its logs, its access to the API server); it then goes on by itself.',
    });
  }
  const because = `kube-controller-manager has a leader, which renewed its Lease ${renewed}; ${runs ? `the ${title} is` : `whether the ${title} is`} among its controllers${runs ? '' : ' is unknown'}`;
  return link(lease, 'controller-manager-runs', 'fine', because, {
    evidence: runs ? [...evidence, ...flags] : evidence,
    next: `If nothing happens, look for the ${title} in its log${runs ? '' : ' and in --controllers'}.`,
  });
}

/** All Leases: the latest renewal among them shows when a file was made. */
function leasesIn(inquiry: Inquiry): readonly ObjectRecord[] {
  return valueIn(inquiry.ask({ ask: 'list', type: leaseType, namespace: undefined })) ?? [];
}

/** Work that a controller of kube-controller-manager should have done by now. */
export interface OverdueWork {
  readonly controller: ControllerWithAccount;
  readonly because: string;
  readonly rule: string;
  readonly finalizer?: string;
  readonly evidence?: readonly Evidence[];
  /** What a server dry run of it showed. */
  readonly dryRun?: { readonly evidence: readonly Evidence[]; readonly refusal: Link | undefined };
  /** What may refuse it, where no dry run could show that. */
  readonly judges?: readonly Link[];
  readonly next: string;
  /** What can be done in its place; not offered while something refuses it or the controller is down. */
  readonly fix?: FixRequest | undefined;
}

export function overdueLink(
  inquiry: Inquiry,
  object: ObjectRecord | ObjectReference,
  cause: Cause,
  { controller, because, evidence = [], dryRun, judges = [], fix, ...details }: OverdueWork,
): Link {
  const manager = controllerManagerLink(inquiry, controller);
  const refusal = dryRun?.refusal;
  const isHeldUp = refusal !== undefined || manager.state === 'blocked' || judges.length > 0;
  return link(object, cause, isHeldUp ? 'waiting' : 'blocked', because, {
    ...details,
    evidence: [...evidence, ...(dryRun?.evidence ?? [])],
    links: [...(refusal ? [refusal] : []), ...judges, manager],
    fix: isHeldUp ? undefined : fix,
  });
}
