import type { ObjectRecord } from '../../kube/object-record.ts';
import { fullNameOf } from '../../kube/object-reference.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { controllerOn, reclaimerOf } from '../../programs/driver-programs.ts';
import {
  controllerFor,
  type FinalizerController,
  knownFinalizer,
} from '../../programs/known-finalizers.ts';
import {
  type ProgramLife,
  type ProgramsSeen,
  programKindsUnread,
  programLives,
} from '../../programs/program-life.ts';
import { isCommonWord, tracesOf } from '../../programs/traces.ts';
import { coverageIndexOf } from '../../snapshot/coverage.ts';
import { isOfCluster, type Snapshot } from '../../snapshot/snapshot.ts';
import type { FinalizerWait, PlanContext } from './plan.ts';
import { isForeign } from './play/blocking-finalizers.ts';

/** Where the programs of finalizers are looked for: among what a plan reads, and what was read apart to see them. */
export function programsSeen(
  snapshot: Snapshot,
  programs: PlanContext['finalizerPrograms'],
  now: number,
): ProgramsSeen {
  const unreadIn = ({ coverage }: Pick<Snapshot, 'coverage'>) =>
    programKindsUnread(snapshot.types, coverageIndexOf(coverage));
  const apart = programs && unreadIn(programs);
  const whole = new Set(programs?.records.map(({ uid }) => uid));
  return {
    // Of objects that were read twice, the second read has all facts that show whether the program runs.
    records: [
      ...snapshot.records.filter(({ uid }) => !whole.has(uid)),
      ...(programs?.records ?? []),
    ],
    unread: unreadIn(snapshot).filter((kind) => apart?.includes(kind) ?? true),
    now,
    ofCluster: isOfCluster(snapshot),
  };
}

/** Does what becomes of an object depend on a program that is not simulated? */
export function waitsForProgram(record: ObjectRecord): boolean {
  return record.finalizers.some(isForeign) || reclaimerOf(record) !== undefined;
}

export type Remover = Pick<FinalizerWait, 'removedBy' | 'alive' | 'aliveBecause'>;

/**
 * The program that removes a finalizer from an object of this kind: the workload that resembles it, else the name in the
 * list of finalizers; and whether it runs. `isLeaving`: is a program deleted by what is planned?
 */
export function removersIn(
  seen: ProgramsSeen,
  isLeaving: (program: ObjectRecord) => boolean = () => false,
): (finalizer: string, object: ObjectRecord) => Remover {
  const lifeOf = programLives(seen);
  // The same question comes for every object that waits.
  const removers = new Map<string, (namespace: string) => Remover>();
  return (finalizer, object) => {
    const { type, namespace } = object;
    const known = knownFinalizer(finalizer, type);
    const controller = known
      ? controllerOn(known, finalizer, object)
      : guessedController(finalizer, [type]);
    if (!controller) return {};
    const key = `${finalizer} ${groupResourceOf(type)} ${controller.title}`;
    const remover =
      removers.get(key) ?? removerOf(finalizer, type, controller, known !== undefined);
    removers.set(key, remover);
    return remover(namespace);
  };

  function removerOf(
    finalizer: string,
    { group }: ResourceType,
    controller: FinalizerController,
    isKnown: boolean,
  ): (namespace: string) => Remover {
    const lives = lifeOf(controller, isKnown ? undefined : tracesOf(finalizer, group));
    return (namespace) => removerFor(lives(namespace), isKnown, controller);
  }

  function removerFor(
    life: ProgramLife,
    isKnown: boolean,
    controller: FinalizerController,
  ): Remover {
    // Of a program of which there are many, the one that was found may be another's.
    const found = controller.oneOfMany ? undefined : life.programs[0]?.name;
    const removedBy = found ?? (isKnown ? controller.title : undefined);
    if (removedBy === undefined && life.lease === undefined) return {};
    const [first] = life.programs;
    if (first && runsNow.has(life.state) && life.programs.every(isLeaving)) {
      const aliveBecause = fullNameOf(first);
      return { ...(removedBy && { removedBy }), alive: 'leaving', aliveBecause };
    }
    const alive = aliveness[life.state];
    return { ...(removedBy && { removedBy }), alive, aliveBecause: life.because };
  }
}

/** Where it is not known that the program does not run. */
const runsNow: ReadonlySet<ProgramLife['state']> = new Set([
  'runs',
  'elsewhere',
  'unclear',
  'unread',
]);

const aliveness: Readonly<Record<ProgramLife['state'], NonNullable<FinalizerWait['alive']>>> = {
  runs: 'yes',
  elsewhere: 'elsewhere',
  down: 'no',
  missing: 'no',
  unclear: 'unknown',
  unread: 'unknown',
};

/**
 * The program that removes a finalizer from objects of these kinds: the one that is known to, or else one that is
 * guessed. Where several are known, by the group of the object, all kinds are of one group.
 */
export function controllerOfFinalizer(
  finalizer: string,
  types: readonly ResourceType[],
): { readonly controller: FinalizerController | undefined; readonly isKnown: boolean } {
  const known = knownFinalizer(finalizer, types[0])?.setBy;
  const controller = known
    ? controllerFor(known, types[0]?.group ?? '')
    : guessedController(finalizer, types);
  return { controller, isKnown: known !== undefined };
}

/**
 * The finalizer is unknown, but its domain may name a program, `mysql.presslabs.org` is
 * mysql-operator's, and so may the kind that it is on, where the domain is that of the kind's group.
 */
function guessedController(
  finalizer: string,
  types: readonly ResourceType[],
): FinalizerController | undefined {
  const [domain = ''] = finalizer.split('/');
  if (!domain.includes('.')) return undefined;
  const words = domain
    .split('.')
    .slice(0, -1)
    .filter((word) => word.length > 1 && !isCommonWord(word));
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
