import { claim, configMap, made, node, pod, setBy } from '../blockade.ts';
import { month, nobody, type ReportedCluster, statefulSet } from './parts.ts';

/** Numbers and names that no sensible object has; the largest of them are for files alone. */
export const odd: readonly ReportedCluster[] = [
  {
    name: 'a pod with a grace period of 285,000 years',
    objects: [
      pod('o01', 'patient', 'steady', month, { terminationGracePeriodSeconds: 9_000_000_000_000 }),
      configMap('o01', 'garbage', { ownerReferences: [nobody('Deployment', 'x')], ...month }),
      node('steady', 'True'),
    ],
  },
  {
    name: 'a StatefulSet with claim templates and the largest number of replicas',
    objects: [
      statefulSet('o03', 2_147_483_647),
      claim('o03', 'data-db-0', month),
      claim('o03', 'data-db-9', month),
    ],
  },
  {
    name: 'names that differ in a character that is not shown',
    objects: ['a\u202eb', 'a b'].map((name) =>
      made('rbac.authorization.k8s.io/v1', 'Role', 'o04', name, setBy('kubectl-edit', 'e.com/x'), {
        rules: [],
      }),
    ),
  },
];
