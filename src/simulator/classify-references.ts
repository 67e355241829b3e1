import {
  isDeletingDependents,
  type ObjectRecord,
  type OwnerReference,
} from '../kube/object-record.ts';
import type { AbsentOwnerCache } from './absent-owner-cache.ts';
import type { Task } from './clock.ts';
import type { Lookup, OwnerLookup } from './owner-lookup.ts';
import { type Identity, identityOfReference } from './ownership-node.ts';

export interface ClassifiedReferences {
  readonly solid: readonly OwnerReference[];
  readonly dangling: readonly OwnerReference[];
  readonly waiting: readonly OwnerReference[];
  /** The lookup that made the collector give up on the whole object (GC-30, GC-45). */
  readonly failed: Lookup | undefined;
  /** One clause per reference. */
  readonly because: readonly string[];
}

/**
 * Asks for each owner in turn; each question takes a request's time, so the answers are of
 * different moments. Mirrors classifyReferences and isDangling, garbagecollector.go (GC-27).
 */
export function* classifyReferences(
  item: Identity,
  references: readonly OwnerReference[],
  lookup: OwnerLookup,
  absentOwners: AbsentOwnerCache,
  request: () => number,
): Task<ClassifiedReferences> {
  const solid: OwnerReference[] = [];
  const dangling: OwnerReference[] = [];
  const waiting: OwnerReference[] = [];
  const because: string[] = [];
  for (const reference of references) {
    const { kind, name, uid } = reference;
    const key = identityOfReference(reference, '');
    const keyInNamespace = identityOfReference(reference, item.namespace);
    if (absentOwners.has(key) || absentOwners.has(keyInNamespace)) {
      dangling.push(reference);
      because.push(`${kind} ${name} is gone`);
      continue;
    }
    if (isLookedUp(lookup, reference)) yield request();
    const found = lookup.find(reference, item.namespace);
    if (found.kind === 'absent') {
      absentOwners.add(found.namespaced ? keyInNamespace : key);
      dangling.push(reference);
      because.push(found.because);
    } else if (found.kind !== 'found') {
      return { solid, dangling, waiting, failed: found, because: [...because, found.because] };
    } else if (found.record.uid !== uid) {
      absentOwners.add(found.record.type.namespaced ? keyInNamespace : key);
      dangling.push(reference);
      because.push(`the ${kind} ${name} that exists has another uid`);
    } else if (isDeletingDependents(found.record)) {
      waiting.push(reference);
      because.push(`${kind} ${name} is being deleted in the foreground`);
    } else {
      solid.push(reference);
      because.push(`${kind} ${name} exists${isTerminating(found.record)}`);
    }
  }
  return { solid, dangling, waiting, failed: undefined, because };
}

/** A kind that maps to nothing is not asked for. */
function isLookedUp(lookup: OwnerLookup, { apiVersion, kind }: OwnerReference): boolean {
  const mapping = lookup.types.mapKind(apiVersion, kind).kind;
  return mapping === 'served' || mapping === 'list-kind';
}

function isTerminating({ deletionTimestamp, finalizers }: ObjectRecord): string {
  if (deletionTimestamp === undefined) return '';
  return ` until ${finalizers.join(', ') || 'its grace period'} lets it go`;
}
