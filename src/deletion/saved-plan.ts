import { createHash } from 'node:crypto';
import { shellCommand, suggested } from '../command-line/shell-command.ts';
import { usageError } from '../errors.ts';
import { ParseFailure, parseJsonDocument } from '../files/parsing/parse-json.ts';
import { isPathSegment } from '../kube/names.ts';
import { coverageProblem } from '../snapshot/coverage-part.ts';
import {
  boolean,
  count,
  fields,
  InvalidDocument,
  list,
  mapping,
  matching,
  oneOf,
  optional,
  type Schema,
  text,
} from '../syntax/document-part.ts';
import type { Fate, Plan, SealedPlan } from './plan/plan.ts';
import { sorted } from './plan/plan-difference.ts';

const again = suggested('To make a new one', shellCommand`kubectl gc delete TYPE/NAME --plan FILE`);

/**
 * Reads a saved plan and checks that it is one, whole and as it was written. `origin` names the file
 * in messages. Everything that is wrong is a usage error (exit code 2).
 */
export function readPlan(content: string, origin: string): SealedPlan {
  const value = parse(content, origin);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usageError(`${origin} contains no plan, but ${shortJson(value)}`, [again]);
  }
  const { apiVersion, kind } = value as Record<string, unknown>;
  if (typeof apiVersion !== 'string' || !apiVersion.startsWith('kubectl-gc/') || kind !== 'Plan') {
    const found = typeof kind === 'string' ? `a ${kind}` : 'something without a kind';
    throw usageError(`${origin} contains no plan, but ${found}`, [again]);
  }
  if (apiVersion !== 'kubectl-gc/v1') {
    const message = `${origin} is a plan of version ${apiVersion}, and this kubectl-gc knows kubectl-gc/v1`;
    throw usageError(message, [
      'Use the kubectl-gc that made it, or make a new plan with this one.',
    ]);
  }
  checkPlan(value, origin);
  const plan = value as SealedPlan;
  const digest = digestOf(plan);
  if (digest !== plan.digest) {
    const message = `${origin} was changed after it was made: its digest is ${digest}, and it says ${plan.digest}`;
    throw usageError(message, ['A plan is performed as it was previewed or not at all.', again]);
  }
  return plan;
}

function parse(content: string, origin: string): unknown {
  if (content.trim() === '') throw usageError(`${origin} is empty`, [again]);
  try {
    return parseJsonDocument(content);
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    const isBegun = /^\s*\{/.test(content) && !/\}\s*$/.test(content);
    if (isBegun) {
      throw usageError(`${origin} is cut off: it ends within the plan`, [again]);
    }
    throw usageError(`${origin}, line ${error.lines + 1}: ${error.message}`, [again]);
  }
}

function shortJson(value: unknown): string {
  return Array.isArray(value) ? 'a list' : JSON.stringify(value).slice(0, 40);
}

/** A name that could be sent: one like `..` would lead to another path. */
const segment = matching(
  'a name',
  (value): value is string => typeof value === 'string' && isPathSegment(value),
);
const namespace: Schema<string> = (value) => (value === '' ? value : segment(value));
const word = matching(
  'a word',
  (value): value is string => typeof value === 'string' && value !== '',
);
/** The fields of an object reference. */
export const reference = { apiVersion: word, kind: word, namespace, name: segment, uid: text };
export const fate: Schema<Fate> = oneOf(
  'deleted',
  'orphaned',
  'kept',
  'terminating',
  'recreated',
  'unknown',
);
const wholeNumber = matching('a whole number', (value): value is number => Number.isInteger(value));
/** Made for one run, and read again by each. */
const absent = matching('a part of a saved plan', (value) => value === undefined);

const request = fields({
  ...reference,
  verb: oneOf('delete'),
  propagationPolicy: oneOf('Background', 'Foreground', 'Orphan'),
  resourceVersion: optional(text),
  dependsOn: optional(fields({ finalizers: list(text), owners: list(text), terminating: boolean })),
  gracePeriodSeconds: optional(wholeNumber),
  patch: optional(absent),
  node: optional(absent),
});

const finalizerWait = fields({ finalizer: text, object: fields(reference) });
const kubeletWait = fields({ kubelet: text, object: fields(reference) });

const then = optional(fate);
const plannedObject = fields({
  ...reference,
  wave: count,
  fate,
  then,
  waitsFor: optional(
    list((wait) => (mapping(wait).kubelet === undefined ? finalizerWait(wait) : kubeletWait(wait))),
  ),
  likely: optional(boolean),
  servesNode: optional(text),
  because: text,
  rule: text,
  blockedBy: list(
    fields({ kind: oneOf('finalizer', 'dependent', 'kubelet', 'content'), name: text }),
  ),
});

/** What those who perform a plan go by. */
const planPart = fields({
  createdAt: text,
  digest: matching(
    'a digest',
    (value): value is string => typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value),
  ),
  cluster: fields({ server: text, uid: text }),
  coverage: fields({
    complete: boolean,
    kinds: count,
    objects: count,
    problems: list(coverageProblem),
  }),
  requests: list(request),
  objects: list(plannedObject),
  remarks: list(fields({ code: text, severity: text, message: text, objects: list(mapping) })),
  undetermined: list(fields({ because: text })),
});

function checkPlan(value: unknown, origin: string): void {
  try {
    planPart(value);
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error;
    throw usageError(`${origin} is no whole plan: ${error.messageAt()}`, [again]);
  }
}

/** The plan with the digest of all its fields; a digest that it has already is replaced. */
export function sealPlan(plan: Plan & { readonly digest?: string }): SealedPlan {
  const { apiVersion, kind, cluster, createdAt, digest: _, ...rest } = plan;
  return { apiVersion, kind, cluster, createdAt, digest: digestOf(plan), ...rest };
}

/** `sha256:` and 64 hexadecimal digits, over everything but a digest; the order of keys does not matter. */
export function digestOf(plan: Plan & { readonly digest?: string }): string {
  const { digest: _, ...rest } = plan;
  return `sha256:${createHash('sha256').update(canonicalJson(rest)).digest('hex')}`;
}

/** JSON with the keys of every object sorted and nothing between tokens: the same for the same value. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part) ? sorted(part) : part,
  );
}
