import { automanaged } from '../../controllers/bookkeeping.ts';
import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { PlanRemark } from '../plan/plan.ts';
import { identitiesOf, type RemarkInput } from './remark-input.ts';

/**
 * What leaves discovery with an APIService, and for how long. API servers register those of definitions again, and
 * those of built-in groups only when they start (checkAPIService, k8s.io/kube-aggregator
 * pkg/controllers/autoregister/autoregister_controller.go).
 */
export function unservedApis({ going, snapshot, recreations }: RemarkInput): PlanRemark[] {
  return going.flatMap((object): PlanRemark[] => {
    const { record, identity } = object;
    const { type, name, labels } = record;
    if (type.group !== 'apiregistration.k8s.io' || type.kind !== 'APIService') return [];
    const [version = '', ...rest] = name.split('.');
    const group = rest.join('.');
    const api = group === '' ? version : `${group}/${version}`;
    const how = labels?.[automanaged];
    if (how === 'true') {
      // It goes with its definitions, and the remarks on these say what is not served any more.
      if (!recreations.has(object)) return [];
      const message = `APIService ${name} is deleted, and an API server registers it again: ${api} is not in discovery for a moment.`;
      return [{ code: 'unserved-api', severity: 'note', message, objects: [identity] }];
    }
    const isLost = (one: ObjectRecord) =>
      one.type.group === group &&
      snapshot.types.versions(groupResourceOf(one.type)).every((each) => each.version === version);
    const lost = identitiesOf(snapshot.records.filter(isLost));
    const until = how === undefined ? 'it is registered again' : 'an API server starts again';
    const stay =
      lost.length === 0
        ? 'No object that was read is of it alone.'
        : `${counted(lost.length, 'object')} that ${lost.length === 1 ? 'was' : 'were'} read of it (${countsByKind(lost)}) ${lost.length === 1 ? 'stays' : 'stay'}, but kubectl and others that go by discovery do not find them, and the garbage collector collects nothing of it meanwhile.`;
    const message = `APIService ${name} is deleted: ${api} is not in discovery any more until ${until}. ${stay}`;
    return [{ code: 'unserved-api', severity: 'warning', message, objects: [identity] }];
  });
}
