import type { ObjectRecord } from '../../kube/object-record.ts';
import { leases, nodeLeases } from '../../kube/well-known-kinds.ts';
import type { ByKind } from '../cluster-view.ts';
import type { SyncedController } from '../controller.ts';
import { nodeIsGone } from '../left-without-reference.ts';

/** The Lease that the kubelet of a Node renews. */
export function leaseOfNode(view: Pick<ByKind, 'at'>, { name }: ObjectRecord) {
  return view.at(leases, nodeLeases, name);
}

/**
 * No controller deletes a node's Lease for its age; the garbage collector does, for its owner
 * (LEASE-3).
 */
export const nodeLease: SyncedController = {
  id: 'node-lease',
  controllers: [],
  reads: [leases, 'nodes'],
  syncers: [],
  leftovers: (view) =>
    view
      .in(leases, nodeLeases)
      .filter(
        ({ name, ownerReferences }) =>
          ownerReferences.length === 0 &&
          view.covers('nodes', '', name) &&
          view.at('nodes', '', name) === undefined,
      )
      .map((object) => {
        const renewed = object.facts
          ? `it was last renewed ${object.facts.renewTime ?? 'never'}`
          : 'when it was last renewed was not read';
        const because = `${nodeIsGone(object)}, and the Lease has no owner; ${renewed}`;
        return { collector: nodeLease.id, object, because, rule: 'LEASE-3' };
      }),
};
