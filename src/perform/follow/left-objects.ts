import { inParallel } from '../../cluster/in-parallel.ts';
import { getObject } from '../../cluster/list/get-objects.ts';
import { pause } from '../../cluster/pacing.ts';
import type { Fate } from '../../deletion/plan/plan.ts';
import { disappears } from '../../deletion/plan/plan-totals.ts';
import { bareRecord, FOREGROUND, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import {
  type ObjectLocation,
  type ObjectReference,
  referenceTo,
} from '../../kube/object-reference.ts';
import { isNamespace } from '../../kube/well-known-kinds.ts';
import { failuresOf, reportInWords, reportsOf } from '../../programs/reports.ts';
import {
  type Blocker,
  deletionBlockers,
  dependentsThatBlock,
} from '../../snapshot/graph/blockers.ts';
import { blockersInWords, blockersOf, type Link, stateOf } from '../../why/chain.ts';
import type { Ending, Happening, Observation } from '../progress-event.ts';
import type { Execution } from '../run-context.ts';
import type { TrackedObject, TrackedObjects } from './tracked-objects.ts';

type Left = Extract<Happening, { type: 'left' }>;

/** Is it expected to be deleted, or to be terminating, and was not seen to be removed? */
export function isLeft({ expected, present }: TrackedObject): boolean {
  return present !== false && disappears(expected);
}

interface LeftContext {
  readonly tracked: TrackedObjects;
  /** What was read of an object just now, or that it could not be; without an entry, what was followed is all there is. */
  readonly records: ReadonlyMap<string, ObjectRecord | undefined>;
  /** uids of objects whose requests were not accepted. */
  readonly unaccepted: ReadonlySet<string>;
  /** uids of objects that were not read after an interruption: a watch that has said nothing yet may be late. */
  readonly unread: ReadonlySet<string>;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What `why` finds to block them, by uid. */
  readonly diagnosed?: ReadonlyMap<string, string>;
}

/** Says of each object why it is still there. */
export function leftEvents(objects: readonly TrackedObject[], context: LeftContext): Left[] {
  const blocking = blockingDependents(context.tracked);
  return objects.map((object) => {
    const { uid } = object.planned;
    const dependents = (blocking.get(uid) ?? []).map((dependent) => dependent.object);
    const blockedBy = remainingBlockers(object, context.records.get(uid), dependents);
    return {
      type: 'left',
      object: referenceTo(object.planned),
      because: becauseOf(object, context, blockedBy),
      blockedBy,
    };
  });
}

/** `record`: undefined where it was not read just now. What a namespace still contains is what it reports. */
function remainingBlockers(
  { finalizers, terminating, planned, type }: TrackedObject,
  record: ObjectRecord | undefined,
  dependents: readonly ObjectReference[],
): Blocker[] {
  if (!terminating || !type) return [];
  const content =
    record && isNamespace(record)
      ? reportsOf(record).map(({ what, message }) => message || what)
      : [];
  const end = { ...(record ?? bareRecord({ ...planned, type })), finalizers };
  return deletionBlockers(end, { dependents, content });
}

function becauseOf(
  object: TrackedObject,
  { unaccepted, unread, records, tracked, now, diagnosed }: LeftContext,
  blockedBy: readonly Blocker[],
): string {
  const { uid } = object.planned;
  if (object.unobservable !== undefined)
    return `unknown whether it was deleted: ${object.unobservable}`;
  if (object.present === undefined) return 'unknown whether it was deleted';
  if (object.kept !== undefined) return object.kept;
  const found = diagnosed?.get(uid);
  if (!object.terminating) {
    if (unaccepted.has(uid)) return 'no request to delete it was accepted';
    const isUnread = unread.has(uid) || (records.has(uid) && !records.get(uid));
    if (isUnread) return 'unknown whether it was deleted: not read since';
    if (found !== undefined) return found;
    return tracked.isCollectable(object)
      ? 'its owners were deleted, but it is not collected yet; why --gc reports whether the garbage collector runs'
      : 'it is not marked for deletion';
  }
  if (found !== undefined) return found;
  const record = records.get(uid);
  // What a namespace reports is among its blockers.
  const failures = record && !isNamespace(record) ? failuresOf(record) : [];
  const reported = failures.map((failure) => reportInWords(failure, now));
  return [...blockedBy.map(spell), ...reported].join('; ') || 'it is terminating';
}

function spell({ kind, name }: Blocker): string {
  switch (kind) {
    case 'finalizer':
      if (name === FOREGROUND) return 'the garbage collector still deletes its dependents';
      if (name === ORPHAN) return 'the garbage collector still releases its dependents';
      return `its finalizer ${name} was not removed`;
    case 'dependent':
      return `it waits for its dependent ${name}`;
    case 'kubelet':
      return `the kubelet of node ${name} has not confirmed that it has stopped`;
    case 'content':
      return name;
  }
}

/** What is there and has a blocking reference, by the owner's uid. */
function blockingDependents({ all }: TrackedObjects) {
  return dependentsThatBlock(
    [...all].flatMap(({ planned, present, owners }) =>
      present === true ? [{ object: referenceTo(planned), ownerReferences: owners }] : [],
    ),
  );
}

/** More objects than this are explained by what was followed alone. */
const mostReads = 200;

/**
 * Looks again at what is left: what went meanwhile is noted, and the fields are read that say what an object waits for. Ends when `pace.evidence` is over; failures say nothing.
 */
export async function readLeft(
  { client, pace }: Execution,
  left: readonly TrackedObject[],
  tracked: TrackedObjects,
): Promise<Map<string, ObjectRecord | undefined>> {
  const records = new Map<string, ObjectRecord | undefined>();
  const signal = AbortSignal.timeout(pace.evidence);
  const read = async ({ planned, type }: TrackedObject) => {
    const { namespace, name, uid } = planned;
    records.set(uid, undefined);
    if (!type || signal.aborted) return;
    const at = { type, namespace, name };
    const { record, problem } = await getObject(client, at, { facts: 'all', signal });
    if (problem) return;
    if (!record) return tracked.gone(uid);
    tracked.see(record);
    if (record.uid === uid) records.set(uid, record);
  };
  const quietly = (object: TrackedObject) => read(object).catch(() => undefined);
  await inParallel(left.slice(0, mostReads), 4, quietly);
  return records;
}

type Difference = Extract<Happening, { type: 'difference' }>;

/** What each fate looks like when it has come true. */
const observationsOf: Readonly<Record<Fate, readonly Observation[]>> = {
  deleted: ['gone'],
  recreated: ['gone', 'recreated'],
  orphaned: ['orphaned'],
  kept: ['kept', 'orphaned'],
  terminating: ['terminating'],
  unknown: ['gone', 'terminating', 'orphaned', 'kept', 'recreated'],
};

/**
 * Where the end is not what was predicted. What has not happened yet is no difference when the run
 * was interrupted, or when it was never asked for (`expectedUids` does not have it).
 */
export function differences(
  objects: Iterable<TrackedObject>,
  ended: Ending,
  expectedUids: ReadonlySet<string>,
): Difference[] {
  const found: Difference[] = [];
  for (const object of objects) {
    const observed = observationOf(object);
    const { planned, expected } = object;
    if (observed === 'unknown' || observationsOf[expected.fate].includes(observed)) continue;
    if (observed === 'recreated' ? expected.mayBeRecreated : expected.mayStay) continue;
    // Why it is kept is said where it is left.
    if (object.kept !== undefined) continue;
    // The plan says that it waits for the removal of its blocker.
    const isThen =
      planned.then && [...observationsOf[planned.then], 'terminating'].includes(observed);
    if (isThen) continue;
    if (observed === 'gone' && waitedForFinalizers(object)) continue;
    const isLate = observed === 'kept' || observed === 'terminating';
    const wasAsked = ended !== 'interrupted' && expectedUids.has(planned.uid);
    if (isLate && expected.fate !== 'kept' && !wasAsked) continue;
    found.push({ type: 'difference', object: planned, predicted: expected.fate, observed });
  }
  return found;
}

/** Whose finalizers others remove: that they did is what the plan says it waits for. */
function waitedForFinalizers({
  expected: { fate },
  planned: { blockedBy },
}: TrackedObject): boolean {
  const finalizers = blockedBy.filter(({ kind }) => kind === 'finalizer').length;
  return fate === 'terminating' && finalizers > 0 && finalizers === blockedBy.length;
}

function observationOf({ unobservable, present, observation }: TrackedObject): Observation {
  if (unobservable !== undefined || present === undefined) return 'unknown';
  return observation ?? 'kept';
}

/** The maximum number of objects to diagnose: a diagnosis may lead through everything in a namespace. */
const mostDiagnosed = 20;

/**
 * What blocks objects that a deletion has left, as `why` finds it: a sentence each, by uid. Objects whose controllers are still at work
 * are left out, as are those that could not be read in time.
 */
export async function whyLeft(
  { client, types, pace, options }: Execution,
  left: readonly ObjectLocation[],
): Promise<ReadonlyMap<string, string>> {
  const diagnosed = left.slice(0, mostDiagnosed);
  if (diagnosed.length === 0) return new Map();
  const [{ diagnose }, { investigate }, { answerFromCluster }] = await Promise.all([
    import('../../why/diagnose.ts'),
    import('../../why/investigate.ts'),
    import('../../why/ask/answer-from-cluster.ts'),
  ]);
  const cluster = { client, types, serverVersion: undefined };
  const known = { ...cluster, origin: 'cluster', isCurrent: true } as const;
  const investigated = investigate(
    known,
    (inquiry) => diagnosed.map((at) => diagnose(inquiry, at)),
    answerFromCluster(cluster),
  ).then(
    ({ finding }) => finding,
    () => [],
  );
  // At the timeout nothing more is sent, and the answer may still come.
  const answered = new AbortController();
  const { signal = answered.signal } = options;
  const timeout = pause(pace.evidence, AbortSignal.any([signal, answered.signal]));
  const chains = await Promise.race([investigated, timeout.then(() => [])]);
  answered.abort();
  return new Map(
    chains.flatMap((chain) => {
      const words = wordsOf(chain);
      return words === undefined ? [] : [[chain.object.uid, words] as const];
    }),
  );
}

function wordsOf(chain: Link): string | undefined {
  const state = stateOf(chain);
  if (state === 'overdue') return chain.because;
  return state === 'stuck' ? blockersInWords(chain.object.uid, blockersOf(chain)) : undefined;
}
