import { createHash } from 'node:crypto';
import type { Plan, SealedPlan } from '../plan/plan.ts';
import { canonicalJson } from './canonical-json.ts';

/** The plan with the digest of all its fields; a digest that it has already is made anew. */
export function sealPlan(plan: Plan & { readonly digest?: string }): SealedPlan {
  const { apiVersion, kind, cluster, createdAt, digest: _, ...rest } = plan;
  return { apiVersion, kind, cluster, createdAt, digest: digestOf(plan), ...rest };
}

/** `sha256:` and 64 hexadecimal digits, over everything but a digest; the order of keys does not matter. */
export function digestOf(plan: Plan & { readonly digest?: string }): string {
  const { digest: _, ...rest } = plan;
  return `sha256:${createHash('sha256').update(canonicalJson(rest)).digest('hex')}`;
}
