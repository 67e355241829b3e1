import type { AuditRule } from './audit-rule.ts';
import { missingNamespace } from './missing-namespace.ts';
import { unservedKind } from './unserved-kind.ts';

/** What `audit --against-cluster` looks for in manifests besides wrong references. */
export const manifestRules: readonly AuditRule[] = [unservedKind, missingNamespace];
