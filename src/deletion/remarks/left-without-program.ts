import { isProgram, looksLike } from '../../controllers/finalizers/program-life.ts';
import { countsByKind } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { objectKey } from '../../kube/object-reference.ts';
import { controllerOf } from '../plan/finalizer-programs.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { isForeign } from '../plan/waits.ts';
import { staysAlive } from './finalizer-deadlocks.ts';
import { identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

/**
 * Objects that stay, and wait for a program that goes: the last one that removes their finalizers. Without it they
 * can never be deleted, so they are to be deleted first.
 */
export function leftWithoutProgram(input: RemarkInput): PlanRemark[] {
  const { going, fateOf, snapshot, context } = input;
  const leaving = going.flatMap((object) =>
    isProgram(object.record) && fateOf(object) !== 'recreated' ? [object.record] : [],
  );
  if (leaving.length === 0) return [];
  const gone = new Set(going.map(({ key }) => key));
  const waiting = [...snapshot.records, ...(context.held?.records ?? [])].flatMap((record) => {
    if (gone.has(objectKey(record))) return [];
    return record.finalizers.filter(isForeign).map((finalizer) => ({ finalizer, record }));
  });
  const groups = Map.groupBy(
    waiting,
    ({ finalizer, record }) => `${finalizer} ${record.type.group}`,
  );
  const warnings = [...groups.values()].flatMap((group): PlanRemark[] => {
    const [{ finalizer, record: first }] = group as [(typeof group)[number]];
    const { controller, isKnown } = controllerOf(finalizer, [first.type]);
    // Of a program of which there are many, it is not known which one is meant.
    if (controller?.runsIn !== 'workload' || controller.oneOfMany) return [];
    const runs = (record: ObjectRecord) => looksLike(record, controller);
    const programs = identitiesOf(leaving.filter(runs));
    if (programs.length === 0 || staysAlive(input, runs)) return [];
    const objects = identitiesOf(new Set(group.map(({ record }) => record)));
    const removes = isKnown ? 'which removes' : 'which by its name removes';
    const [stay, they, are] =
      objects.length === 1 ? ['stays', 'it', 'is'] : ['stay', 'they', 'are'];
    const message = `${countsByKind(objects)} ${stay}, with finalizer ${finalizer}, and can never be deleted without ${namesOf(programs)}, ${removes} it. If ${they} ${are} to go as well: delete ${namesOf(objects)} first and wait until ${they} ${are} gone, then ${namesOf(programs)}.`;
    return [
      {
        code: 'finalizer-deadlock',
        severity: 'warning',
        message,
        objects: [...objects, ...programs],
      },
    ];
  });
  return [...warnings, ...unreadKinds(context.held?.unread ?? [], leaving)];
}

const mostNamed = 3;

/** What waits for a program may be of a kind that could not be read. */
function unreadKinds(unread: readonly string[], leaving: readonly ObjectRecord[]): PlanRemark[] {
  if (unread.length === 0) return [];
  const programs = identitiesOf(leaving);
  const more = unread.length > mostNamed ? ` and ${unread.length - mostNamed} more kinds` : '';
  return [
    {
      code: 'finalizer-deadlock',
      severity: 'note',
      message: `${unread.slice(0, mostNamed).join(', ')}${more} could not be read everywhere: what has a finalizer there that only ${namesOf(programs)} removes can never be deleted afterwards.`,
      objects: programs,
    },
  ];
}
