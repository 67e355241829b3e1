import { type Json, jsonOf } from '../../kube/json-value.ts';
import { FOREGROUND, ORPHAN } from '../../kube/object-record.ts';
import type { KubeObject } from '../../kube/record-codec.ts';

/** What the API server sets itself, and refuses or ignores in a new object. */
const serverSet = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
];

/**
 * Finalizers that a deletion adds, or that the control plane adds by itself. All others are kept:
 * an object whose controller did not get its finalizer back may later go without its clean-up.
 */
const comeBackByThemselves: ReadonlySet<string> = new Set([
  FOREGROUND,
  ORPHAN,
  'batch.kubernetes.io/job-tracking',
  'customresourcecleanup.apiextensions.k8s.io',
  'kubernetes.io/pv-protection',
  'kubernetes.io/pvc-protection',
  'service.kubernetes.io/load-balancer-cleanup',
]);

/**
 * The object as a manifest that creates it: without status and fields that the server sets. The
 * status is what controllers found out, and they find it out again. Owner references stay as they
 * are: which owners they lead to is decided when the object is restored.
 */
export function cleanObject(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, status: _, ...rest } = object;
  const kept: Record<string, unknown> = { ...metadata };
  for (const field of serverSet) delete kept[field];
  const finalizers = cleanFinalizers(metadata.finalizers);
  if (finalizers.length > 0) kept.finalizers = finalizers;
  else delete kept.finalizers;
  if (isEmpty(kept.ownerReferences)) delete kept.ownerReferences;
  return { apiVersion, kind, metadata: kept, ...rest };
}

/** Finalizers that a controller or a user added, and that a restored object gets again. */
export function ownFinalizers(finalizers: readonly string[]): string[] {
  return finalizers.filter((finalizer) => !comeBackByThemselves.has(finalizer));
}

function cleanFinalizers(value: unknown): string[] {
  return Array.isArray(value) ? ownFinalizers(value) : [];
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** status.phase, or the condition with which a Job has finished. */
export function phaseOf(object: Json): string | undefined {
  const status = jsonOf(object.status);
  if (object.kind === 'Job') return finishOf(status?.conditions);
  return typeof status?.phase === 'string' ? status.phase : undefined;
}

function finishOf(conditions: unknown): string | undefined {
  if (!Array.isArray(conditions)) return undefined;
  const finished = conditions
    .map((condition) => jsonOf(condition))
    .find(
      (condition) =>
        condition?.status === 'True' &&
        (condition.type === 'Complete' || condition.type === 'Failed'),
    );
  return finished && String(finished.type);
}
