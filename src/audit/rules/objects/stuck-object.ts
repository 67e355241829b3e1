import type { AuditRule } from '../audit-rule.ts';
import { findStuckDeletions } from '../stuck-deletions.ts';

export const stuckObject: AuditRule = {
  id: 'stuck-object',
  title: 'A deletion that does not end',
  severity: 'error',
  consequence: 'never gone: it stays, being deleted, and whatever waits for it waits on',
  subjects: [],
  readsFacts: false,
  check: (view) => findStuckDeletions(view, 'object'),
};
