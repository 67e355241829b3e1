import { crashLoopingPods, crashLoopsInWords } from '../../controllers/finalizers/crash-loops.ts';
import {
  type FinalizerController,
  runsController,
} from '../../controllers/finalizers/known-finalizer.ts';
import { knownFinalizer } from '../../controllers/finalizers/known-finalizers.ts';
import { isNamedIn, tracesOf } from '../../controllers/finalizers/traces.ts';
import { isLeaseValid, readingTime } from '../../controllers/leader-lease.ts';
import { matchesPattern } from '../../kube/names.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { isPod, isReady } from '../../kube/well-known-kinds.ts';
import type { FinalizerWait } from './plan.ts';

/** Kinds that run programs. */
export const programKinds: ReadonlySet<string> = new Set([
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'pods',
]);

/** Who removes a finalizer, and whether that program is alive. */
export type Remover = Pick<FinalizerWait, 'removedBy' | 'alive' | 'aliveBecause'>;

/**
 * Who removes a finalizer from an object of this kind: the workload that looks like its program, else what
 * the list of finalizers calls it; and whether it is alive, by its ready pods and the Leases of its leader.
 */
export function removersIn(
  records: readonly ObjectRecord[],
  now: number,
): (finalizer: string, type: ResourceType) => Remover {
  const programs = records.filter(isProgram);
  const leases = records.filter(
    ({ type }) => groupResourceOf(type) === 'leases.coordination.k8s.io',
  );
  // The same question comes for every object that waits.
  const removers = new Map<string, Remover>();
  return (finalizer, type) => {
    const key = `${finalizer} ${groupResourceOf(type)}`;
    const remover = removers.get(key) ?? removerOf(finalizer, type);
    removers.set(key, remover);
    return remover;
  };

  function removerOf(finalizer: string, type: ResourceType): Remover {
    const known = knownFinalizer(finalizer)?.setBy;
    const controller = known ?? guessedController(finalizer, [type]);
    if (!controller) return {};
    const found = programs.filter((record) => isRunBy(record, controller));
    const traces = tracesOf(finalizer, type.group);
    const names = [...(controller.leases ?? []), ...ownLeases[controller.runsIn]];
    const lease = leases.find(
      ({ name }) =>
        names.some((pattern) => matchesPattern(pattern, name)) ||
        found.some((program) => program.name === name) ||
        (!known && isNamedIn(name, traces)),
    );
    const removedBy = found[0]?.name ?? known?.title;
    const isKnown = removedBy !== undefined || lease !== undefined;
    return { ...(removedBy && { removedBy }), ...(isKnown && lifeOf(found, records, lease, now)) };
  }
}

const ownLeases: Readonly<Record<FinalizerController['runsIn'], readonly string[]>> = {
  'kube-controller-manager': ['kube-controller-manager'],
  'kube-apiserver': [],
  workload: [],
};

/** A leader that renews its Lease lives; without ready pods it does not, wherever they are looked for. */
function lifeOf(
  programs: readonly ObjectRecord[],
  records: readonly ObjectRecord[],
  lease: ObjectRecord | undefined,
  now: number,
): Pick<FinalizerWait, 'alive' | 'aliveBecause'> {
  const states = programs.map(readiness);
  const renewed = lease?.facts?.renewTime;
  const isFresh =
    renewed === undefined ? undefined : isLeaseValid(lease?.facts ?? {}, now, readingTime);
  const stale = `Lease ${lease?.name} was last renewed at ${renewed}`;
  const ready = states.find(({ alive }) => alive === 'yes');
  if (ready && isFresh === false)
    return { alive: 'unknown', aliveBecause: `${ready.aliveBecause}, but ${stale}` };
  if (ready) return ready;
  if (isFresh) return { alive: 'yes', aliveBecause: `it renews Lease ${lease?.name}` };
  const open = states.find(({ alive }) => alive === 'unknown');
  if (open) return open;
  const [down] = states;
  if (down) {
    const crashing = programs.flatMap((program) => crashLoopingPods(program, records));
    return { ...down, aliveBecause: `${down.aliveBecause}${crashLoopsInWords(crashing)}` };
  }
  if (isFresh === false) return { alive: 'no', aliveBecause: stale };
  return { alive: 'unknown', aliveBecause: 'no workload that looks like it was read' };
}

/** How many pods of a program are ready; unknown where its status was not read. */
function readiness(program: ObjectRecord): Required<ReturnType<typeof lifeOf>> {
  const { facts, type } = program;
  if (facts?.replicas === 0) return { alive: 'no', aliveBecause: 'scaled to 0' };
  if (isPod(program)) {
    if (facts?.phase === undefined) return notSeen;
    return isReady(program)
      ? { alive: 'yes', aliveBecause: 'its pod is ready' }
      : { alive: 'no', aliveBecause: 'its pod is not ready' };
  }
  // Its controller writes observedGeneration with the first status.
  if (facts?.observedGeneration === undefined) return notSeen;
  const ready =
    (type.kind === 'DaemonSet'
      ? facts.numberReady
      : type.kind === 'StatefulSet'
        ? facts.readyReplicas
        : facts.availableReplicas) ?? 0;
  const wanted = type.kind === 'DaemonSet' ? '' : ` of ${facts.replicas ?? 1}`;
  const aliveBecause = `${ready}${wanted} pods ready`;
  return { alive: ready > 0 ? 'yes' : 'no', aliveBecause };
}

/** Does a workload that should run have no ready pod? Its pods may tell why. */
export function isDown(workload: ObjectRecord): boolean {
  return workload.facts?.replicas !== 0 && readiness(workload).alive === 'no';
}

const notSeen = { alive: 'unknown', aliveBecause: 'its status was not read' } as const;

/** Does a workload look like the controller, by its name, its labels or its images? */
export function isRunBy(record: ObjectRecord, controller: FinalizerController): boolean {
  const images = (record.facts?.containers ?? []).flatMap(({ image }) => image ?? []);
  return runsController(record, controller, images);
}

/** Workloads, and pods that no workload made. */
export function isProgram({ type, ownerReferences }: ObjectRecord): boolean {
  const resource = groupResourceOf(type);
  if (!programKinds.has(resource)) return false;
  return resource !== 'pods' || ownerReferences.length === 0;
}

const generic = new Set([
  'finalizer',
  'finalizers',
  'operator',
  'controller',
  'kubernetes',
  'example',
  'cluster',
]);

/**
 * The finalizer is unknown, but its domain may name a program, `mysql.presslabs.org` is
 * mysql-operator's, and so may the kind that it is on, where the domain is that of the kind's group.
 */
export function guessedController(
  finalizer: string,
  types: readonly ResourceType[],
): FinalizerController | undefined {
  const [domain = ''] = finalizer.split('/');
  if (!domain.includes('.')) return undefined;
  const words = domain
    .split('.')
    .slice(0, -1)
    .filter((word) => word.length > 1 && !generic.has(word));
  const kinds = new Set(
    types.flatMap((type) =>
      type.group !== '' && `.${domain}`.endsWith(`.${type.group}`)
        ? [type.kind.toLowerCase(), type.resource]
        : [],
    ),
  );
  const names = [...words, ...kinds].flatMap((word) => [
    `${word}-operator`,
    `${word}-controller`,
    `${word}-controller-manager`,
    `${word}-operator-controller-manager`,
    `${word}-manager`,
  ]);
  // A short word alone is anybody's name.
  names.push(...words.filter((word) => word.length >= 4));
  return { title: domain, runsIn: 'workload', names };
}
