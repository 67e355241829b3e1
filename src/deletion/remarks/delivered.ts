import { isInUse } from '../../delivery/crossplane.ts';
import { inventoryOf, nameOfTool, verbOfTool } from '../../delivery/tools.ts';
import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { identitiesOf, namesOf, type RemarkInput } from './remark-input.ts';

/** What delivery tools do with what they applied, when an object of theirs goes. */
export function deliveredRemarks(input: RemarkInput): PlanRemark[] {
  return [...usages(input), ...deliveries(input)];
}

/** What Crossplane does not let go while it is used. */
function usages({ going }: RemarkInput): PlanRemark[] {
  const objects = identitiesOf(going.flatMap(({ record }) => (isInUse(record) ? [record] : [])));
  if (objects.length === 0) return [];
  const [is, it] = objects.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const message = `${namesOf(objects)} ${is} in use, as a Usage of Crossplane says, whose webhook refuses the deletion: delete what uses ${it} first, or the Usage.`;
  return [{ code: 'may-be-refused', severity: 'warning', message, objects }];
}

function deliveries({ going, played }: RemarkInput): PlanRemark[] {
  return going.flatMap(({ record }): PlanRemark[] => {
    const inventory = inventoryOf(record);
    if (!inventory || inventory === 'unknown') return [];
    const who = `${nameOfTool(record)} ${verbOfTool(record)}`;
    const { finalizer, leaves, cluster, entries } = inventory;
    const note = (message: string): PlanRemark => ({
      code: 'delivered',
      severity: 'note',
      message,
      objects: [referenceTo(record)],
    });
    const below = played.deliveries.below(record);
    if (cluster !== undefined && below.length === 0) {
      const what = leaves === '' ? 'are deleted there' : `stay, as ${leaves}`;
      return entries.length === 0
        ? []
        : [
            note(
              `${counted(entries.length, 'object')} that ${who} to ${cluster} ${what}; they count nothing here.`,
            ),
          ];
    }
    const gone = identitiesOf(
      below.flatMap(({ record: one, stays }) => (stays === undefined ? [one] : [])),
    );
    const spared = below.filter(({ stays }) => stays !== undefined);
    const remarks: PlanRemark[] = [];
    if (gone.length > 0) {
      const when =
        finalizer === undefined ? 'once it is gone' : `before ${finalizer} is removed from it`;
      const doubt =
        cluster === undefined
          ? ''
          : ` It applies to ${cluster}; whether that is this one is not known.`;
      const [are, them] = gone.length === 1 ? ['It is', 'it'] : ['They are', 'them'];
      remarks.push({
        code: 'delivered',
        severity: 'warning',
        message: `${who} ${counted(gone.length, 'object')}: ${countsByKind(gone)}. ${are} deleted, with all that goes with ${them}, ${when}.${doubt}`,
        objects: gone,
      });
    }
    if (spared.length > 0) {
      const reasons = [...new Set(spared.map(({ stays }) => stays))].join(', ');
      const names = countsByKind(identitiesOf(spared.map((one) => one.record)));
      remarks.push(
        note(`${names} that ${who} ${spared.length === 1 ? 'stays' : 'stay'}: ${reasons}.`),
      );
    }
    return remarks;
  });
}
