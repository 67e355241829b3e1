import { createHash } from 'node:crypto';
import type { Plan, SealedPlan } from '../plan/plan.ts';
import { canonicalJson } from './canonical-json.ts';

/** The plan with the digest of all its fields. */
export function sealPlan(plan: Plan): SealedPlan {
  const { apiVersion, kind, cluster, createdAt, ...rest } = plan;
  return { apiVersion, kind, cluster, createdAt, digest: digestOf(plan), ...rest };
}

/** `sha256:` and 64 hexadecimal digits, over everything but a digest; the order of keys does not matter. */
export function digestOf(plan: Plan & { readonly digest?: string }): string {
  const { digest: _, ...rest } = plan;
  return `sha256:${createHash('sha256').update(canonicalJson(rest)).digest('hex')}`;
}
