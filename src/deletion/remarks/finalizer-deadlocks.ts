import { knownFinalizer } from '../../controllers/finalizers/known-finalizers.ts';
import { isProgram, looksLike, programKinds } from '../../controllers/finalizers/program-life.ts';
import { countsByKind } from '../../kube/counts-by-kind.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { compareObjects, objectKey } from '../../kube/object-reference.ts';
import { controllerOf } from '../plan/finalizer-programs.ts';
import type { PlanRemark } from '../plan/plan.ts';
import type { TouchedObject } from '../plan/touched-objects.ts';
import { identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

/** Finalizers whose controller is deleted together with what they hold. */
export function finalizerDeadlocks(input: RemarkInput): PlanRemark[] {
  const { going } = input;
  const held = going.flatMap((object) =>
    object.record.finalizers.map((finalizer) => ({ finalizer, object })),
  );
  if (held.length === 0) return [];
  const leaving = going.filter(({ record }) => isProgram(record));
  if (leaving.length === 0) return [];
  const remarks: PlanRemark[] = [];
  // Programs of one project share a finalizer, each for a group of its own.
  const groups = Map.groupBy(held, ({ finalizer, object: { record } }) =>
    knownFinalizer(finalizer)?.setBy.namesByGroup ? `${finalizer} ${record.type.group}` : finalizer,
  );
  for (const group of groups.values()) {
    const [{ finalizer }] = group as [(typeof group)[number]];
    const objects = group.map(({ object }) => object);
    const types = objects.map(({ record }) => record.type);
    const { controller, isKnown } = controllerOf(finalizer, types);
    if (controller?.runsIn !== 'workload') continue;
    const runs = (record: ObjectRecord) => looksLike(record, controller);
    // Of many, the one that stays may be another's.
    const isDoubtful = staysAlive(input, runs);
    if (isDoubtful && !controller.oneOfMany) continue;
    const found = leaving.map(({ record }) => record).filter(runs);
    const programs =
      found.length > 0 || isKnown || isDoubtful
        ? found
        : leaving.map(({ record }) => record).filter(({ name }) => operatorLike.test(name));
    if (programs.length === 0) continue;
    const isUnsure = isDoubtful || (!isKnown && found.length === 0);
    const certainty = isUnsure ? 'perhaps' : isKnown ? 'known' : 'by name';
    remarks.push(deadlock(finalizer, objects, programs, certainty, input));
  }
  return remarks;
}

/** What operators are called whose finalizers say nothing of them. */
const operatorLike = /(^|-)(operator|controller|controller-manager)$/;

function deadlock(
  finalizer: string,
  held: readonly TouchedObject[],
  programs: readonly ObjectRecord[],
  certainty: 'known' | 'by name' | 'perhaps',
  { intent }: RemarkInput,
): PlanRemark {
  const objects = held.map(({ identity }) => identity).sort(compareObjects);
  const running = identitiesOf(programs);
  const caught = new Set(objects.map(objectKey));
  const rest = identitiesOf(intent.targets).filter((target) => !caught.has(objectKey(target)));
  const then = rest.length > 0 ? rest : running;
  const removes = certainty === 'known' ? 'which removes' : 'which by its name removes';
  const what = `finalizer ${finalizer} from ${countsByKind(objects)}`;
  const risk =
    certainty === 'perhaps'
      ? `Which program removes ${what} is not known. If it is ${namesOf(running)}, that is deleted as well, and what it leaves never finishes terminating.`
      : `${namesOf(running)}, ${removes} ${what}, is deleted as well: what it leaves never finishes terminating.`;
  const order = `Delete ${namesOf(objects)} first and wait until ${objects.length === 1 ? 'it is' : 'they are'} gone, then ${namesOf(then)}.`;
  return {
    code: 'finalizer-deadlock',
    severity: 'warning',
    message: `${risk} ${order}`,
    objects: [...objects, ...running],
  };
}

/** Another program of that kind lives on, and does the work. */
export function staysAlive(
  { after, context: { programs } }: Pick<RemarkInput, 'after' | 'context'>,
  runs: (record: ObjectRecord) => boolean,
): boolean {
  const isAlive = (record: ObjectRecord) =>
    !isBeingDeleted(record) && isProgram(record) && runs(record);
  return (
    programKinds.some((kind) => after.of(kind, '').some(isAlive)) ||
    (programs?.records ?? []).some(isAlive)
  );
}
