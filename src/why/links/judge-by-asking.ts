import { type Judgement, judge } from '../../controllers/garbage-collector/judge.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { asRecord } from '../../kube/seen-object.ts';
import { timestampOf } from '../../kube/time.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { Inquiry } from '../inquiry.ts';
import { type Evidence, evidenceOf } from '../inquiry.ts';

/** How the garbage collector judges an object, and the evidence for it. */
export interface JudgedObject {
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
  const evidence: Evidence[] = [];
  const asked: { resource: string; namespace: string; name: string }[] = [];
  for (const { apiVersion, kind, name, uid } of record.ownerReferences) {
    const mapping = inquiry.types.mapKind(apiVersion, kind);
    if (mapping.kind !== 'served' || (mapping.type.namespaced && !record.type.namespaced)) continue;
    const { type } = mapping;
    if (!type.verbs.includes('get')) continue;
    const namespace = type.namespaced ? record.namespace : '';
    const reading = inquiry.ask({ ask: 'object', type, namespace, name });
    const owner =
      reading.state === 'read' && reading.value ? asRecord(reading.value, type) : undefined;
    evidence.push(
      ...evidenceOf(reading, () =>
        owner
          ? `uid ${owner.uid}${owner.uid === uid ? '' : ', not the one that the reference names'}${owner.deletionTimestamp === undefined ? '' : ', being deleted'}`
          : 'does not exist',
      ),
    );
    if (owner && !owners.some((known) => known.uid === owner.uid)) owners.push(owner);
    if (reading.state === 'read') asked.push({ resource: groupResourceOf(type), namespace, name });
  }
  const snapshot: Snapshot = {
    records: [record, ...owners.filter(({ uid }) => uid !== record.uid)],
    types: inquiry.types,
    coverage: { read: [], asked, problems: [] },
    observedAt: timestampOf(inquiry.now),
    serverVersion: undefined,
    origin: { kind: 'cluster', server: '' },
  };
  return { judgement: judge(buildGraph(snapshot), record), owners, evidence };
}
