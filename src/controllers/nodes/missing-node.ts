import type { ObjectRecord } from '../../kube/object-record.ts';
import { volumeAttachments } from '../../kube/well-known-kinds.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Leftover, SyncedController } from '../controller.ts';
import { isLookedAfter } from '../volumes/attachdetach.ts';

/**
 * Objects that belong to a missing Node and have no owner reference to it: nothing deletes them (NODE-3).
 */
export const missingNode: SyncedController = {
  id: 'missing-node',
  controllers: [],
  reads: ['nodes', volumeAttachments, 'persistentvolumes', 'csinodes.storage.k8s.io'],
  syncers: [],
  leftovers(view) {
    const attached = view
      .all(volumeAttachments)
      .filter((object) => !isLookedAfter(view, object))
      .flatMap((object) =>
        leftBy(view, object, object.facts?.attachment?.nodeName, 'it attaches a volume to'),
      );
    const drivers = view
      .all('csinodes.storage.k8s.io')
      .filter(({ ownerReferences }) => ownerReferences.length === 0)
      .flatMap((object) =>
        leftBy(view, object, object.name, 'it has no owner and lists the drivers of'),
      );
    return [...attached, ...drivers];
  },
};

function leftBy(
  view: ClusterView,
  object: ObjectRecord,
  node: string | undefined,
  what: string,
): Leftover[] {
  if (node === undefined || view.at('nodes', '', node) || !view.covers('nodes', '', node))
    return [];
  const because = `${what} Node ${node}, which does not exist`;
  return [{ collector: missingNode.id, object, because, rule: 'NODE-3' }];
}
