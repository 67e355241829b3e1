import { noFinalizers, noReferences, type ObjectRecord } from '../object-record.ts';
import type { BlockColumns } from './block-columns.ts';
import { timestampAt } from './timestamps.ts';
import { uidWords, unpackUid } from './uids.ts';

/** The objects of a block. */
export function recordsOf(columns: BlockColumns): ObjectRecord[] {
  return Array.from({ length: columns.rows }, (_, row) => recordAt(columns, row));
}

function recordAt(columns: BlockColumns, row: number): ObjectRecord {
  const more = columns.more?.get(row);
  const type = columns.types[columns.typeAt[row] as number] as ObjectRecord['type'];
  const { references, uids } = columns;
  const created = columns.created?.at(row);
  return {
    type,
    namespace: type.namespaced
      ? (columns.namespaces[columns.namespaceAt[row] as number] ?? '')
      : '',
    name: more?.name ?? columns.names.at(row),
    uid: more?.uid ?? (uids ? unpackUid(uids, row * uidWords) : ''),
    resourceVersion: more?.resourceVersion ?? columns.versions?.at(row)?.toString(),
    creationTimestamp:
      more?.creationTimestamp ?? (created === undefined ? undefined : timestampAt(created)),
    deletionTimestamp: more?.deletionTimestamp,
    deletionGracePeriodSeconds: more?.deletionGracePeriodSeconds,
    ownerReferences: references?.isSet(row)
      ? references.at(row)
      : (more?.ownerReferences ?? noReferences),
    finalizers: columns.finalizers?.at(row) ?? noFinalizers,
    labels: more?.labels ?? columns.labels?.at(row),
    annotations: more?.annotations ?? columns.annotations?.at(row),
    writers: columns.writers?.at(row),
    facts: columns.facts?.at(row, type),
    place: columns.places.at(row),
  };
}
