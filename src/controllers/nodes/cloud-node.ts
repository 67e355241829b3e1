import type { ObjectRecord } from '../../kube/object-record.ts';
import { isReady } from '../../kube/well-known-kinds.ts';
import type { Decision, SyncedController, SyncInput } from '../controller.ts';
import { deletion } from '../decision.ts';

/**
 * Deletes Nodes whose machine the cloud provider no longer has; only the provider knows which
 * (NODE-1).
 */
export const cloudNode: SyncedController = {
  id: 'cloud-node',
  controllers: [],
  reads: ['nodes'],
  syncers: [
    {
      runsAs: 'cloud-controller-manager',
      syncs: 'nodes',
      sync: deleteWithMachine,
      needsSync: ({ facts }) => facts?.providerID !== undefined,
    },
  ],
};

function deleteWithMachine(node: ObjectRecord, { settings, now }: SyncInput): Decision[] {
  const providerID = node.facts?.providerID;
  if (!settings.cloudControllerManager || providerID === undefined || isReady(node)) return [];
  return [
    deletion(cloudNode.id, node, {
      notBefore: now,
      notAfter: undefined,
      confidence: 'unknown',
      because: `it is not ready: the cloud controller manager deletes it if its cloud has no instance ${providerID}`,
      rule: 'NODE-1',
    }),
  ];
}
