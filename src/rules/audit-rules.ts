import type { AuditRule } from './audit-rule.ts';
import { cleanUpRules } from './clean-up-rules.ts';
import { finishedJobWithoutTtl } from './finished-job-without-ttl.ts';
import { ownershipRules } from './ownership-rules.ts';

/** What `audit` looks for besides wrong references, in the order in which it is documented. */
export const auditRules: readonly AuditRule[] = [
  ...ownershipRules,
  finishedJobWithoutTtl,
  ...cleanUpRules,
];
