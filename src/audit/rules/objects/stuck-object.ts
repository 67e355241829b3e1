import type { AuditRule } from '../audit-rule.ts';
import { findStuckDeletions } from '../stuck-deletions.ts';

export const stuckObject: AuditRule = {
  id: 'stuck-object',
  title: 'A deletion that does not end',
  severity: 'error',
  consequence: 'never gone: it stays, being deleted, and whatever waits for it waits on',
  advice:
    'Bring back what should finish it: that cleans up, too. kubectl gc why shows the chain, and with --fix offers the smallest safe step.',
  subjects: [],
  readsFacts: false,
  check: (view) => findStuckDeletions(view, 'object'),
};
