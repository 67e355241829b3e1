import type { AuditRule } from '../audit-rule.ts';
import { findStuckDeletions } from '../stuck-deletions.ts';

export const stuckNamespace: AuditRule = {
  id: 'stuck-namespace',
  title: 'A namespace whose deletion does not end',
  severity: 'error',
  consequence: 'never gone: nothing can be created in it, and its name is not free',
  advice:
    'kubectl gc why shows the chain to the blocker. Do not empty spec.finalizers: that leaves in etcd what was in it.',
  subjects: ['namespaces'],
  readsFacts: false,
  check: (view) => findStuckDeletions(view, 'namespace'),
};
