import { groupResourceOf } from '../../kube/resource-type.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { countedNames, identitiesOf, type RemarkInput } from './remark-input.ts';

/** Secrets that no controller makes again: what is in them is nowhere else in the cluster, as far as it shows. */
export function secrets({ going, recreations }: RemarkInput): PlanRemark[] {
  const lost = going.filter(
    (object) => groupResourceOf(object.record.type) === 'secrets' && !recreations.has(object),
  );
  if (lost.length === 0) return [];
  const objects = identitiesOf(lost.map(({ record }) => record));
  const them = objects.length === 1 ? 'it' : 'them';
  const message = `The data of ${countedNames(objects)} goes: no controller is known that makes ${them} again.`;
  return [{ code: 'data', severity: 'warning', message, objects }];
}
