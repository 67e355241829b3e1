import { inventoryOf, nameOfTool } from '../../delivery/tools.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { countsByKind, identitiesOf, type RemarkInput } from './remark-input.ts';

/** What delivery tools do with what they applied, when an object of theirs goes. */
export function deliveredRemarks({ going, played }: RemarkInput): PlanRemark[] {
  return going.flatMap(({ record }): PlanRemark[] => {
    const inventory = inventoryOf(record);
    if (!inventory || inventory === 'unknown') return [];
    const who = nameOfTool(record);
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
              `${counted(entries.length, 'object')} that ${who} applied to ${cluster} ${what}; they count nothing here.`,
            ),
          ];
    }
    const gone = identitiesOf(
      below.flatMap(({ record: one, stays }) => (stays === undefined ? [one] : [])),
    );
    const spared = below.filter(({ stays }) => stays !== undefined);
    const remarks: PlanRemark[] = [];
    if (gone.length > 0 && finalizer !== undefined) {
      const doubt =
        cluster === undefined
          ? ''
          : ` It applies to ${cluster}; whether that is this one is not known.`;
      remarks.push({
        code: 'delivered',
        severity: 'warning',
        message: `${who} applied ${counted(gone.length, 'object')}: ${countsByKind(gone)}. They are deleted, with all that goes with them, before ${finalizer} is removed from it.${doubt}`,
        objects: gone,
      });
    }
    if (spared.length > 0) {
      const reasons = [...new Set(spared.map(({ stays }) => stays))].join(', ');
      const names = countsByKind(identitiesOf(spared.map((one) => one.record)));
      remarks.push(
        note(`${names} that ${who} applied ${spared.length === 1 ? 'stays' : 'stay'}: ${reasons}.`),
      );
    }
    return remarks;
  });
}
