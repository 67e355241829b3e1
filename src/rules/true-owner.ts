import type { ClassifiedReference } from '../graph/classify-reference.ts';
import type { ObjectRecord, OwnerReference } from '../kube/object-record.ts';
import { apiVersionOf, groupResourceOf } from '../kube/resource-type.ts';
import type { Repair, Subject } from './rule.ts';

/** In which coordinate a dangling reference differs from the object that does have its uid. */
export interface TrueOwner {
  readonly owner: ObjectRecord;
  readonly differs: 'namespace' | 'kind' | 'name';
}

/** The object with the reference's uid, when the reference's other fields lead elsewhere (GC-28). */
export function trueOwner(
  { graph, record }: Subject,
  { class: cls, reference }: ClassifiedReference,
): TrueOwner | undefined {
  if (cls !== 'dangling') return undefined;
  const owner = graph.withUid(reference.uid);
  if (!owner) return undefined;
  // A cluster-scoped object has no namespace that could differ; only the reference's kind misleads.
  if (record.type.namespaced && owner.type.namespaced && owner.namespace !== record.namespace) {
    return { owner, differs: 'namespace' };
  }
  const mapping = graph.snapshot.types.mapKind(reference.apiVersion, reference.kind);
  const sameKind =
    mapping.kind === 'served' && groupResourceOf(mapping.type) === groupResourceOf(owner.type);
  return { owner, differs: sameKind ? 'name' : 'kind' };
}

/** Names the object with the reference's uid as it is; undefined when there is none that could own this one. */
export function pointAtOwner(
  { graph, record }: Subject,
  reference: OwnerReference,
  index: number,
): Repair | undefined {
  const owner = graph.withUid(reference.uid);
  if (!owner || (owner.type.namespaced && owner.namespace !== record.namespace)) return undefined;
  const { name, type } = owner;
  const to = { ...reference, apiVersion: apiVersionOf(type), kind: type.kind, name };
  return { summary: `name the owner as ${describe(owner)}`, edits: [{ index, to }] };
}

/** `apps/v1 Deployment shop/web`. */
export function describe(record: ObjectRecord): string {
  const where = record.namespace === '' ? '' : `${record.namespace}/`;
  return `${apiVersionOf(record.type)} ${record.type.kind} ${where}${record.name}`;
}
