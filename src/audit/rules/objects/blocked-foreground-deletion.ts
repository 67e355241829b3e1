import type { AuditRule } from '../audit-rule.ts';
import { findStuckDeletions } from '../stuck-deletions.ts';

export const blockedForegroundDeletion: AuditRule = {
  id: 'blocked-foreground-deletion',
  title: 'A foreground deletion that cannot end',
  severity: 'error',
  consequence: 'never gone: foregroundDeletion stays on it while a dependent blocks',
  advice:
    'kubectl gc why shows the chain to the blocker. With --fix it offers the smallest step that frees it.',
  subjects: [],
  readsFacts: false,
  check: (view) => findStuckDeletions(view, 'foreground'),
};
