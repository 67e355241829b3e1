import { createHash } from 'node:crypto';
import { usageError } from '../errors.ts';
import { ParseFailure, parseJsonDocument } from '../files/parsing/parse-json.ts';
import { fieldsOf } from '../kube/json-value.ts';
import { isPathSegment } from '../kube/path-segment.ts';
import { shellCommand, suggested } from '../kube/shell-command.ts';
import type { Plan, SealedPlan } from './plan/plan.ts';
import { sorted } from './plan/target-state.ts';

const again = suggested('To make a new one', shellCommand`kubectl gc delete TYPE/NAME --plan FILE`);

/**
 * Reads a saved plan and checks that it is one, whole and as it was written. `origin` names the file
 * in messages. Everything that is wrong is a usage error (exit code 2).
 */
export function readPlan(text: string, origin: string): SealedPlan {
  const value = parse(text, origin);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usageError(`${origin} holds no plan, but ${nameOf(value)}`, [again]);
  }
  const { apiVersion, kind } = value as Record<string, unknown>;
  if (typeof apiVersion !== 'string' || !apiVersion.startsWith('kubectl-gc/') || kind !== 'Plan') {
    const found = typeof kind === 'string' ? `a ${kind}` : 'something without a kind';
    throw usageError(`${origin} holds no plan, but ${found}`, [again]);
  }
  if (apiVersion !== 'kubectl-gc/v1') {
    throw usageError(
      `${origin} is a plan of version ${apiVersion}, and this kubectl-gc knows kubectl-gc/v1`,
      ['Use the kubectl-gc that made it, or make a new plan with this one.'],
    );
  }
  const fault = faultOf(value as Record<string, unknown>);
  if (fault !== undefined) {
    throw usageError(`${origin} is no whole plan: ${fault}`, [again]);
  }
  const plan = value as SealedPlan;
  const digest = digestOf(plan);
  if (digest !== plan.digest) {
    throw usageError(
      `${origin} was changed after it was made: its digest is ${digest}, and it says ${plan.digest}`,
      ['A plan is performed as it was previewed or not at all.', again],
    );
  }
  return plan;
}

function parse(text: string, origin: string): unknown {
  if (text.trim() === '') throw usageError(`${origin} is empty`, [again]);
  try {
    return parseJsonDocument(text);
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    const isBegun = /^\s*\{/.test(text) && !/\}\s*$/.test(text);
    if (isBegun) {
      throw usageError(`${origin} is cut off: it ends within the plan`, [again]);
    }
    throw usageError(`${origin}, line ${error.lines + 1}: ${error.message}`, [again]);
  }
}

function nameOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : JSON.stringify(value).slice(0, 40);
}

/** Checks the shape of a plan, part by part; each answers with the first fault, as `objects[3].fate is "gone"`. */
function faultOf(value: Readonly<Record<string, unknown>>): string | undefined {
  return (
    fieldsFault(value, '', { createdAt: text, digest }) ??
    inside(value.cluster, 'cluster', (cluster, at) =>
      fieldsFault(cluster, at, { server: text, uid: text }),
    ) ??
    inside(value.coverage, 'coverage', (coverage, at) =>
      fieldsFault(coverage, at, {
        complete: boolean,
        kinds: count,
        objects: count,
        problems: list,
      }),
    ) ??
    each(fieldsOf(value.coverage).problems, 'coverage.problems', (problem, at) =>
      fieldsFault(problem, at, {
        reason: text,
        message: text,
        resource: optional(text),
        apiVersion: optional(text),
      }),
    ) ??
    each(value.requests, 'requests', requestFault) ??
    each(value.objects, 'objects', objectFault) ??
    each(value.remarks, 'remarks', (remark, at) =>
      fieldsFault(remark, at, { code: text, severity: text, message: text, objects: list }),
    ) ??
    each(value.undetermined, 'undetermined', (entry, at) =>
      fieldsFault(entry, at, { because: text }),
    )
  );
}

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const boolean: Check = (value) => typeof value === 'boolean';
const list: Check = Array.isArray;
const absent: Check = (value) => value === undefined;
const count: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const digest: Check = (value) => typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string);

/** A name that could be sent: one like `..` would lead to another path. */
const segment: Check = (value) => typeof value === 'string' && isPathSegment(value);
const namespace: Check = (value) => value === '' || segment(value);
const identity = { apiVersion: text, kind: text, namespace, name: segment, uid: text };
const policy = oneOf('Background', 'Foreground', 'Orphan');
const fate = oneOf('deleted', 'orphaned', 'kept', 'terminating', 'recreated', 'unknown');

function requestFault(request: Fields, at: string): string | undefined {
  const { dependsOn } = request;
  const state = { finalizers: list, owners: list, terminating: boolean };
  const fault =
    dependsOn === undefined
      ? undefined
      : inside(dependsOn, `${at}.dependsOn`, (value, place) => fieldsFault(value, place, state));
  if (fault !== undefined) return fault;
  return fieldsFault(request, at, {
    ...identity,
    verb: oneOf('delete'),
    propagationPolicy: policy,
    resourceVersion: optional(text),
    gracePeriodSeconds: optional(Number.isInteger),
    // Made for one run, and looked at again by each: a saved plan has none.
    patch: absent,
    node: absent,
  });
}

function objectFault(object: Fields, at: string): string | undefined {
  const then = optional(fate);
  const shape = {
    ...identity,
    wave: count,
    fate,
    then,
    likely: optional(boolean),
    servesNode: optional(text),
    because: text,
    rule: text,
  };
  return (
    fieldsFault(object, at, shape) ??
    each(
      object.waitsFor ?? [],
      `${at}.waitsFor`,
      (wait, place) =>
        fieldsFault(
          wait,
          place,
          wait.kubelet === undefined ? { finalizer: text } : { kubelet: text },
        ) ?? inside(wait.object, `${place}.object`, (held, at) => fieldsFault(held, at, identity)),
    ) ??
    each(object.blockedBy, `${at}.blockedBy`, (blocker, place) =>
      fieldsFault(blocker, place, {
        kind: oneOf('finalizer', 'dependent', 'kubelet', 'content'),
        name: text,
      }),
    )
  );
}

function fieldsFault(
  value: Fields,
  at: string,
  shape: Readonly<Record<string, Check>>,
): string | undefined {
  for (const [field, check] of Object.entries(shape)) {
    if (!check(value[field])) return spell(at === '' ? field : `${at}.${field}`, value[field]);
  }
  return undefined;
}

function inside(
  value: unknown,
  at: string,
  check: (value: Fields, at: string) => string | undefined,
): string | undefined {
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMapping ? check(value as Fields, at) : spell(at, value);
}

function each(
  values: unknown,
  at: string,
  check: (value: Fields, at: string) => string | undefined,
): string | undefined {
  if (!Array.isArray(values)) return spell(at, values);
  for (const [index, value] of values.entries()) {
    const fault = inside(value, `${at}[${index}]`, check);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function spell(at: string, value: unknown): string {
  if (value === undefined) return `${at} is missing`;
  return typeof value === 'object' && value !== null
    ? `${at} has the wrong form`
    : `${at} is ${JSON.stringify(value)}`;
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
