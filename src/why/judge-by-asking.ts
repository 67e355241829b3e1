import { type Judgement, judge } from '../controllers/garbage-collector/judge.ts';
import { leadsElsewhere } from '../kube/names.ts';
import type { ObjectRecord, OwnerReference } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { buildGraph } from '../snapshot/graph/graph.ts';
import { ownerPlaceOf } from '../snapshot/graph/owner-place.ts';
import { type Evidence, evidenceOf, type Inquiry, snapshotOf, valueIn } from './inquiry.ts';

/** How the garbage collector judges an object, and the evidence for it. */
interface JudgedObject {
  readonly judgement: Judgement;
  /** The owners that were found, in the order of the references. */
  readonly owners: readonly ObjectRecord[];
  readonly evidence: readonly Evidence[];
}

/**
 * Looks each owner up as the garbage collector does, by GETs alone, and judges the object by them.
 */
export function judgeByAsking(inquiry: Inquiry, record: ObjectRecord): JudgedObject {
  const owners: ObjectRecord[] = [];
  const elsewhere: ObjectRecord[] = [];
  const evidence: Evidence[] = [];
  const asked: { resource: string; namespace: string; name: string }[] = [];
  for (const reference of record.ownerReferences) {
    const { name, uid } = reference;
    const place = ownerPlaceOf(inquiry.types, record, reference);
    if (place.end !== 'at') {
      // An owner that orphans its dependents removes also a reference that leads nowhere.
      noteElsewhere(reference, inOtherVersion(inquiry, record, reference));
      continue;
    }
    const { type, namespace } = place;
    const reading = inquiry.ask({ ask: 'object', type, namespace, name });
    const owner = valueIn(reading);
    evidence.push(
      ...evidenceOf(reading, () =>
        owner
          ? `uid ${owner.uid}${owner.uid === uid ? '' : ', not the one that the reference names'}${owner.deletionTimestamp === undefined ? '' : ', being deleted'}`
          : 'does not exist',
      ),
    );
    if (owner && !owners.some((known) => known.uid === owner.uid)) owners.push(owner);
    // A uid belongs to one object only: known elsewhere, it is not where it could not be looked for.
    if (!owner) noteElsewhere(reference);
    if (reading.state === 'read') asked.push({ resource: groupResourceOf(type), namespace, name });
  }
  function noteElsewhere({ uid }: OwnerReference, other = inquiry.withUid(uid)): void {
    if (other?.uid === uid && !elsewhere.includes(other)) elsewhere.push(other);
  }
  const others = [...owners, ...elsewhere].filter(({ uid }) => uid !== record.uid);
  const graph = buildGraph(snapshotOf(inquiry, [record, ...others], asked));
  return { judgement: judge(graph, record), owners, evidence };
}

/** The owner may exist, although the garbage collector never tries another version than that of the reference. */
function inOtherVersion(
  inquiry: Inquiry,
  record: ObjectRecord,
  { apiVersion, kind, name }: OwnerReference,
): ObjectRecord | undefined {
  const mapping = inquiry.types.mapKind(apiVersion, kind);
  const [type] = mapping.kind === 'unserved' ? mapping.otherVersions : [];
  if (!type || leadsElsewhere(name) || (type.namespaced && !record.type.namespaced))
    return undefined;
  const namespace = type.namespaced ? record.namespace : '';
  return valueIn(inquiry.ask({ ask: 'object', type, namespace, name }));
}
