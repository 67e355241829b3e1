import { FOREGROUND, type ObjectRecord, ORPHAN } from '../kube/object-record.ts';
import { isEventType, type ResourceType } from '../kube/resource-type.ts';
import type { DeleteOptions } from './request.ts';

/**
 * The finalizers that a DELETE leaves on an object: custom ones as they are, of `orphan` and
 * `foregroundDeletion` at most one, at the end. The same list when the set does not change.
 * Mirrors deletionFinalizersForGarbageCollection, registry/generic/registry/store.go (GC-57).
 */
export function deletionFinalizers(
  record: ObjectRecord,
  options: DeleteOptions,
): readonly string[] {
  const winner = winningFinalizer(record, options);
  const custom = record.finalizers.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  const wanted = winner === undefined ? custom : [...custom, winner];
  const before = new Set(record.finalizers);
  const same = new Set(wanted).size === before.size && wanted.every((name) => before.has(name));
  return same ? record.finalizers : wanted;
}

function winningFinalizer(record: ObjectRecord, options: DeleteOptions): string | undefined {
  if (isEventType(record.type)) return undefined;
  if (options.orphanDependents !== undefined) return options.orphanDependents ? ORPHAN : undefined;
  switch (options.propagationPolicy) {
    case 'Orphan':
      return ORPHAN;
    case 'Foreground':
      return FOREGROUND;
    case 'Background':
      return undefined;
    default: {
      const present = record.finalizers.find((name) => name === ORPHAN || name === FOREGROUND);
      return present ?? (orphansByDefault(record.type) ? ORPHAN : undefined);
    }
  }
}

/** The two kinds whose dependents survive a DELETE that says nothing about them (GC-55). */
function orphansByDefault({ group, version, kind }: ResourceType): boolean {
  if (version !== 'v1') return false;
  return (
    (group === '' && kind === 'ReplicationController') || (group === 'batch' && kind === 'Job')
  );
}
