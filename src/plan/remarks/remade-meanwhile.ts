import { enabledControllers } from '../../settings/controllers.ts';
import { identityOf } from '../../simulator/timeline.ts';
import { clusterAfter } from '../cluster-after.ts';
import { compareObjects, keyOf } from '../object-key.ts';
import type { PlanRemark } from '../plan.ts';
import { recreationOf } from '../recreation.ts';
import { countsByKind, namesOf, type RemarkInput } from './remark-input.ts';

/** From the leaves up, a controller whose turn has not come makes again what was deleted before it. */
export function remadeMeanwhile({ intent, going, played, snapshot }: RemarkInput): PlanRemark[] {
  if (intent.order !== 'leaf-first') return [];
  const waves = new Map(played.requests.map((request) => [keyOf(request), request.wave]));
  const before = clusterAfter(snapshot.records);
  const isEnabled = enabledControllers(['*']);
  const remade = going.flatMap(({ record, identity, key }) => {
    const recreation = recreationOf(record, before, isEnabled);
    const owner = recreation?.certain === true ? recreation.owner : undefined;
    const later = owner && waves.get(keyOf(identityOf(owner)));
    const mine = waves.get(key);
    if (!owner || later === undefined || mine === undefined || later <= mine) return [];
    return [{ identity, owner }];
  });
  if (remade.length === 0) return [];
  const objects = remade.map(({ identity }) => identity).sort(compareObjects);
  const owners = [...new Set(remade.map(({ owner }) => owner))].map(identityOf);
  return [
    {
      code: 'recreated',
      severity: 'warning',
      message: `Until it is their turn, ${namesOf(owners.sort(compareObjects))} make ${countsByKind(objects)} anew, and those go with them only in the end. Scale down first, or delete in the server's order.`,
      objects,
    },
  ];
}
