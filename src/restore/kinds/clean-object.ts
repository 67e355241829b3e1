import { textOrEmpty, textsOf } from '../../kube/json-value.ts';
import {
  CRD_CLEANUP,
  FOREGROUND,
  ORPHAN,
  PV_PROTECTION,
  PVC_PROTECTION,
} from '../../kube/object-record.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { parseApiVersion } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';

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
 * an object whose controller did not get its finalizer back may later be deleted without its clean-up.
 */
const comeBackByThemselves: ReadonlySet<string> = new Set([
  FOREGROUND,
  ORPHAN,
  'batch.kubernetes.io/job-tracking',
  CRD_CLEANUP,
  PV_PROTECTION,
  PVC_PROTECTION,
  'service.kubernetes.io/load-balancer-cleanup',
]);

/**
 * The object as a manifest that creates it: without fields that the server sets, and without the status of built-in
 * kinds, which controllers write again. That of a custom resource without a status subresource is its user's; with one,
 * the server drops what a creation says of it (PrepareForCreate, apiextensions-apiserver, customresource/strategy.go).
 * Owner references stay as they are: which owners they lead to is decided when the object is restored.
 */
export function cleanObject(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, status, ...others } = object;
  const rest = status === undefined || isOfBuiltInKind(object) ? others : { ...others, status };
  const kept: Record<string, unknown> = { ...metadata };
  for (const field of serverSet) delete kept[field];
  kept.finalizers = ownFinalizers(textsOf(metadata.finalizers));
  for (const field of ['finalizers', 'ownerReferences']) {
    if (Array.isArray(kept[field]) && kept[field].length === 0) delete kept[field];
  }
  return { apiVersion, kind, metadata: kept, ...rest };
}

/** Do controllers of Kubernetes write its status? */
export function isOfBuiltInKind({ apiVersion }: KubeObject): boolean {
  return isBuiltInGroup(parseApiVersion(textOrEmpty(apiVersion))?.group ?? '');
}

/** Finalizers that a controller or a user added, and that a restored object gets again. */
export function ownFinalizers(finalizers: readonly string[]): string[] {
  return finalizers.filter((finalizer) => !comeBackByThemselves.has(finalizer));
}
