import { isReady } from '../../kube/well-known-kinds.ts';
import type { Controller } from '../controller.ts';
import { deletion } from '../decision.ts';

const id = 'cloud-node';

/**
 * Deletes Nodes whose machine the cloud provider no longer has; only the provider knows which
 * (NODE-1).
 */
export const cloudNode: Controller = {
  id,
  controllers: [],
  reads: ['nodes'],
  decide(view, { cloudControllerManager }, now) {
    if (!cloudControllerManager) return [];
    return view
      .all('nodes')
      .filter((node) => node.facts?.providerID !== undefined && !isReady(node))
      .map((node) =>
        deletion(id, node, {
          notBefore: now,
          notAfter: undefined,
          confidence: 'unknown',
          because: `it is not ready: if its cloud says that ${node.facts?.providerID} is gone, the cloud controller manager deletes it`,
          rule: 'NODE-1',
        }),
      );
  },
};
