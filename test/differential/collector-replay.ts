import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { recordOf } from '../../src/kube/record-codec.ts';
import { groupResourceOf } from '../../src/kube/resource-type.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import type { AuditedRequest } from './collector-audit.ts';

/** How the garbage collector wants to be answered. */
const metadataOnly = 'PartialObjectMetadata';

/** The cluster as it was at a time: what was seen at first, and every write since then. */
export function clusterAt(
  before: Snapshot,
  requests: readonly AuditedRequest[],
  time: number,
): Snapshot {
  const types = new Map(before.types.all.map((type) => [groupResourceOf(type), type]));
  const records = new Map(before.records.map((record) => [keyOf(record), record]));
  // Answers may overtake each other.
  const gone = new Set<string>();
  const remove = (key: string) => {
    gone.add(records.get(key)?.uid ?? '');
    records.delete(key);
  };
  for (const request of requests) {
    if (request.answered > time) break;
    if (request.code >= 300 || request.verb === 'deletecollection') continue;
    const type = types.get(request.resource);
    if (!type) continue;
    const key = `${request.resource} ${request.namespace} ${request.name}`;
    const { answer } = request;
    if (!answer || (answer.kind !== type.kind && answer.kind !== metadataOnly)) {
      if (request.verb === 'delete') remove(key);
      continue;
    }
    const whole = recordOf(answer, type);
    const record =
      answer.kind === metadataOnly ? { ...whole, facts: records.get(key)?.facts } : whole;
    if (isGone(request, record)) remove(keyOf(record));
    else if (!gone.has(record.uid)) records.set(keyOf(record), record);
  }
  return { ...before, records: [...records.values()] };
}

/** The answer to the last request shows what was deleted by it. */
function isGone({ verb }: AuditedRequest, record: ObjectRecord): boolean {
  if (record.finalizers.length > 0) return false;
  if (verb !== 'delete') {
    return record.deletionTimestamp !== undefined && !record.deletionGracePeriodSeconds;
  }
  return record.deletionTimestamp === undefined || !record.deletionGracePeriodSeconds;
}

export function keyOf({ type, namespace, name }: ObjectRecord): string {
  return `${groupResourceOf(type)} ${namespace} ${name}`;
}
