import { usageError } from '../errors.ts';
import type { SealedPlan } from '../plan/plan.ts';
import { faultOf } from './plan-faults.ts';
import { digestOf } from './seal-plan.ts';

const again = 'Make a new one: kubectl gc delete … --plan FILE.';

/**
 * Reads a saved plan and checks that it is one, whole and as it was written. `origin` names the file
 * in messages. Everything that is wrong is a usage error (exit code 2).
 */
export function readPlan(text: string, origin: string): SealedPlan {
  const value = parse(text, origin);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usageError('not-a-plan', `${origin} holds no plan, but ${nameOf(value)}`, again);
  }
  const { apiVersion, kind } = value as Record<string, unknown>;
  if (typeof apiVersion !== 'string' || !apiVersion.startsWith('kubectl-gc/') || kind !== 'Plan') {
    const found = typeof kind === 'string' ? `a ${kind}` : 'something without a kind';
    throw usageError('not-a-plan', `${origin} holds no plan, but ${found}`, again);
  }
  if (apiVersion !== 'kubectl-gc/v1') {
    throw usageError(
      'unknown-plan-version',
      `${origin} is a plan of version ${apiVersion}, and this kubectl-gc knows kubectl-gc/v1`,
      'Use the kubectl-gc that made it, or make a new plan with this one.',
    );
  }
  const fault = faultOf(value as Record<string, unknown>);
  if (fault !== undefined) {
    throw usageError('malformed-plan', `${origin} is no whole plan: ${fault}`, again);
  }
  const plan = value as SealedPlan;
  const digest = digestOf(plan);
  if (digest !== plan.digest) {
    throw usageError(
      'edited-plan',
      `${origin} was changed after it was made: its digest is ${digest}, and it says ${plan.digest}`,
      'A plan is performed as it was previewed or not at all.',
      again,
    );
  }
  return plan;
}

function parse(text: string, origin: string): unknown {
  if (text.trim() === '') throw usageError('not-a-plan', `${origin} is empty`, again);
  try {
    return JSON.parse(text);
  } catch (error) {
    const isBegun = /^\s*\{/.test(text) && !/\}\s*$/.test(text);
    if (isBegun) {
      throw usageError('truncated-plan', `${origin} is cut off: it ends within the plan`, again);
    }
    const why = error instanceof Error ? error.message : String(error);
    throw usageError('not-a-plan', `${origin} is not JSON: ${why}`, again);
  }
}

function nameOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : JSON.stringify(value).slice(0, 40);
}
