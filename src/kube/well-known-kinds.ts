import type { ObjectRecord } from './object-record.ts';

export function isPod({ type }: ObjectRecord): boolean {
  return type.group === '' && type.kind === 'Pod';
}

export function isNamespace({ type }: ObjectRecord): boolean {
  return type.group === '' && type.kind === 'Namespace';
}

export function isNode({ type }: ObjectRecord): boolean {
  return type.group === '' && type.kind === 'Node';
}

export function isCustomResourceDefinition({ type }: ObjectRecord): boolean {
  return type.group === 'apiextensions.k8s.io' && type.kind === 'CustomResourceDefinition';
}

/**
 * A namespace's spec.finalizers. Where they were not read, and on one that nobody deletes, the
 * finalizer that every namespace is created with is assumed (GC-70).
 */
export function specFinalizersOf({ facts, deletionTimestamp }: ObjectRecord): readonly string[] {
  const read = facts?.specFinalizers;
  if (read === undefined || (read.length === 0 && deletionTimestamp === undefined)) return created;
  return read;
}

const created: readonly string[] = Object.freeze(['kubernetes']);

/** spec.terminationGracePeriodSeconds, which the API server sets to 30 where nobody did. */
export function gracePeriodOf({ facts }: ObjectRecord): number {
  return facts?.terminationGracePeriodSeconds ?? 30;
}
