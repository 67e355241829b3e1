import type { AuditRule } from './audit-rule.ts';
import { heldUp } from './held-up.ts';

export const stuckObject: AuditRule = {
  id: 'stuck-object',
  title: 'A deletion that does not end',
  severity: 'error',
  consequence: 'never gone: it stays, being deleted, and whatever waits for it waits on',
  subjects: [],
  readsFacts: false,
  check: (view) => heldUp(view, 'object'),
};
