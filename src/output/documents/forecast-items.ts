import type {
  Decision,
  DecisionConfidence,
  DeletionOptions,
  PatchRequest,
} from '../../controllers/controller.ts';
import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import type { ObjectRecord, OwnerReference } from '../../kube/object-record.ts';
import { type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import { timestampOf } from '../../kube/time.ts';
import type { Due } from '../../simulator/controllers/periodic-controller.ts';
import type { ForecastStep } from './forecast-steps.ts';

export interface ForecastItem {
  readonly collector: string;
  readonly action: 'delete' | 'patch';
  readonly object: ObjectReference;
  /** RFC 3339. */
  readonly notBefore: string;
  /** RFC 3339; unset when how long it takes is unknown. */
  readonly notAfter?: string;
  readonly confidence: DecisionConfidence;
  /** Where a kubelet removes it. */
  readonly node?: string;
  /** Of an image, as the runtime counts. */
  readonly sizeBytes?: number;
  /** What went before and led to it. */
  readonly follows?: ObjectReference;
  /** When the object is gone; unset when it stays, or when that is not known. */
  readonly gone?: { readonly notBefore: string; readonly notAfter?: string };
  /** What keeps the object from going, as far as it is known. */
  readonly held?: string;
  readonly options?: ForecastDeleteOptions;
  readonly patch?: PatchRequest;
  readonly finalizers: readonly string[];
  readonly because: string;
  readonly rule: string;
}

/** The garbage collector also says `Orphan`, for objects with that finalizer (GC-22.13). */
export type ForecastDeleteOptions = Omit<DeletionOptions, 'propagationPolicy'> & {
  readonly propagationPolicy?: PropagationPolicy;
};

/** What one controller does with one object; times in epoch milliseconds. */
export interface ForecastAction extends TimeRange {
  readonly collector: string;
  readonly action: 'delete' | 'patch';
  readonly object: ObjectRecord;
  readonly follows: ObjectRecord | undefined;
  /** What a controller other than the garbage collector had found. */
  readonly due: Due | undefined;
  confidence: DecisionConfidence;
  options: ForecastDeleteOptions | undefined;
  patch: PatchRequest | undefined;
  because: string;
  readonly rule: string;
  gone: TimeRange | undefined;
  held: string | undefined;
}

export interface TimeRange {
  readonly from: number;
  readonly to: number | undefined;
}

/** A decision that no simulation carries out. */
export function forecastActionOf(
  decision: Decision,
  { from, to }: TimeRange,
  due?: Due,
): ForecastAction {
  const { collector, action, object, options, patch, confidence, because, rule } = decision;
  const end = { follows: undefined, due, gone: undefined, held: undefined };
  return {
    collector,
    action,
    object,
    options,
    patch,
    confidence,
    because,
    rule,
    from,
    to,
    ...end,
  };
}

/** A step of the simulation as an action of its controller. */
export function forecastActionOfStep(
  told: ForecastStep,
  collector: string,
  references: () => readonly OwnerReference[],
): ForecastAction {
  const { step, record, due, doubt, cause, from, to } = told;
  const decision = due?.decision;
  const action = decision?.action ?? (step.verb === 'delete' ? 'delete' : 'patch');
  const isOwn = cause === undefined || cause.record.uid === record.uid;
  const reason = decision?.because ?? step.because;
  return {
    collector,
    action,
    object: record,
    from,
    to,
    follows: isOwn ? undefined : cause.record,
    due,
    confidence: doubt === undefined ? 'certain' : 'unknown',
    options: decision ? decision.options : optionsOf(told),
    patch: decision ? decision.patch : patchOf(told, references),
    because: doubt === undefined || doubt === reason ? reason : `${reason}; but ${doubt}`,
    rule: step.rule,
    gone: undefined,
    held: undefined,
  };
}

function optionsOf({ step }: ForecastStep): ForecastDeleteOptions | undefined {
  if (step.verb !== 'delete') return undefined;
  if (step.actor === 'kubelet') return { gracePeriodSeconds: 0 };
  const policy = policies.find((one) => one === step.policy);
  return { uid: step.object.uid, ...(policy && { propagationPolicy: policy }) };
}

const policies: readonly PropagationPolicy[] = ['Background', 'Foreground', 'Orphan'];

/**
 * Only what the garbage collector writes into references; the removal of finalizers belongs to the
 * deletion.
 */
function patchOf(
  { step, record, finishes }: ForecastStep,
  references: () => readonly OwnerReference[],
): PatchRequest | undefined {
  if (step.verb !== 'patch' || step.actor !== 'garbage-collector-controller' || finishes) {
    return undefined;
  }
  const ownerReferences =
    step.rule === 'GC-32'
      ? record.ownerReferences.map((one) => ({ ...one, blockOwnerDeletion: false }))
      : references();
  return { body: { metadata: { ownerReferences } } };
}

/** As documents have it. */
export function forecastItemOf(told: ForecastAction): ForecastItem {
  const { object, from, to, follows, gone, held, options, patch } = told;
  return {
    collector: told.collector,
    action: told.action,
    object: referenceTo(object),
    ...timesOf({ from, to }),
    confidence: told.confidence,
    ...(follows && { follows: referenceTo(follows) }),
    ...(gone && { gone: timesOf(gone) }),
    ...(held !== undefined && { held }),
    ...(options && { options }),
    ...(patch && { patch }),
    finalizers: object.finalizers,
    because: told.because,
    rule: told.rule,
  };
}

/** Whole seconds, within which it is. */
function timesOf({ from, to }: TimeRange): {
  readonly notBefore: string;
  readonly notAfter?: string;
} {
  return {
    notBefore: timestampOf(from),
    ...(to !== undefined && { notAfter: timestampOf(Math.ceil(to / 1000) * 1000) }),
  };
}
