import {
  type FinalizerController,
  runsController,
} from '../../controllers/finalizers/known-finalizer.ts';
import { knownFinalizer } from '../../controllers/finalizers/known-finalizers.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';

/** Kinds that run programs. */
export const programKinds: ReadonlySet<string> = new Set([
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'pods',
]);

/**
 * Who removes a finalizer from an object of this kind: the workload of the snapshot that looks like its
 * program, else what the list of finalizers calls it; undefined where neither is known.
 */
export function removersIn(
  records: readonly ObjectRecord[],
): (finalizer: string, type: ResourceType) => string | undefined {
  const programs = records.filter(isProgram);
  return (finalizer, type) => {
    const known = knownFinalizer(finalizer)?.setBy;
    const controller = known ?? guessedController(finalizer, [type]);
    const program = controller && programs.find((record) => isRunBy(record, controller));
    if (!program) return known?.title;
    return program.facts?.replicas === 0 ? `${program.name}, scaled to 0,` : program.name;
  };
}

/** Does a workload look like the controller, by its name, its labels or its images? */
export function isRunBy(
  { facts, ...record }: ObjectRecord,
  controller: FinalizerController,
): boolean {
  const images = (facts?.containers ?? []).flatMap(({ image }) => image ?? []);
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
