import type { Decision, PatchRequest } from '../../controllers/controller.ts';
import type { Condition, ObjectFacts, ObjectRecord } from '../../kube/object-record.ts';
import { objectOf, recordOf } from '../../kube/record-codec.ts';
import { updateObject, type Written } from '../api-server/api-server.ts';
import { applyPatch } from '../api-server/apply-patch.ts';
import { deleteObject } from '../api-server/delete-object.ts';
import type { DeleteOptions } from '../api-server/request.ts';
import type { Task } from '../engine/clock.ts';
import type { RunContext } from '../engine/run-context.ts';
import type { Actor } from '../engine/timeline.ts';

/** Sends what a decision asks for; a patch that fails takes the deletion with it (PG-20). Returns the last answer. */
export function* sendDecision(
  context: RunContext,
  actor: Actor,
  { object, action, patch, options, because, rule }: Decision,
): Task<Written | 'gone'> {
  let last: Written | 'gone' = 'gone';
  if (patch) {
    yield context.schedule.request();
    const live = context.state.current(object);
    if (!live) return 'gone';
    const written = updateObject(context, live, withPatch(live, patch));
    const isStatus = patch.subresource === 'status';
    context.timeline.note(actor, 'patch', live, written.result, () => ({
      because: isStatus && action === 'delete' ? `its status is set first: ${because}` : because,
      rule,
    }));
    last = written;
    if (written.result === 'refused') return last;
  }
  if (action !== 'delete') return last;
  yield context.schedule.request();
  const live = context.state.current(object);
  if (!live) return 'gone';
  const written = deleteObject(context, live, deleteOptionsOf(options));
  const policy = options?.propagationPolicy;
  if (written.result !== 'unchanged') {
    context.timeline.note(actor, 'delete', live, written.result, () => ({
      because: written.reply.message ?? because,
      rule,
      ...(policy !== undefined && { policy }),
    }));
  }
  return written;
}

function deleteOptionsOf({
  uid,
  resourceVersion,
  ...rest
}: Decision['options'] = {}): DeleteOptions {
  if (uid === undefined && resourceVersion === undefined) return rest;
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return { ...rest, preconditions };
}

/** A strategic merge patch: conditions are a map by their type. */
function withPatch(live: ObjectRecord, { body }: PatchRequest): ObjectRecord {
  const { conditions } = (body.status ?? {}) as { readonly conditions?: readonly Condition[] };
  const before = live.facts?.conditions ?? [];
  const merged = conditions && mergeByType(before, conditions);
  const facts = factsWith(live, body, merged);
  if (facts) return { ...live, facts };
  const whole = merged ? { ...body, status: { ...(body.status ?? {}), conditions: merged } } : body;
  const patched = applyPatch(objectOf(live), 'merge', whole);
  if ('refused' in patched) return live;
  const read = recordOf(patched.object, live.type);
  const { ownerReferences, finalizers, labels } = read;
  return { ...live, ownerReferences, finalizers, labels, facts: read.facts };
}

/** Thousands of pods get only a phase and conditions, which need not be spelled and read again. */
function factsWith(
  { type, facts }: ObjectRecord,
  { status, ...rest }: PatchRequest['body'],
  conditions: readonly Condition[] | undefined,
): ObjectFacts | undefined {
  const {
    phase,
    conditions: _,
    ...other
  } = (status ?? {}) as {
    readonly phase?: string;
    readonly conditions?: unknown;
  };
  const isPlain = Object.keys(rest).length + Object.keys(other).length === 0;
  if (!isPlain || !facts || type.kind !== 'Pod') return undefined;
  return { ...facts, ...(phase !== undefined && { phase }), ...(conditions && { conditions }) };
}

function mergeByType(before: readonly Condition[], wanted: readonly Condition[]): Condition[] {
  const merged = new Map(before.map((condition) => [condition.type, condition]));
  for (const condition of wanted) {
    merged.set(condition.type, { ...merged.get(condition.type), ...condition });
  }
  return [...merged.values()];
}
