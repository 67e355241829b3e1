import type { ObjectRecord } from '../kube/object-record.ts';
import { seenObjectOf } from '../kube/record-codec.ts';
import { groupResourceOf, isEventType, type ResourceType } from '../kube/resource-type.ts';
import { CoverageIndex } from '../snapshot/coverage.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Answer, Content, Query } from './inquiry.ts';

/** Answers what a file can tell; every other question is answered as unread. */
export function answerFromSnapshot(snapshot: Snapshot): (query: Query) => Answer {
  const { records, types, observedAt: readAt } = snapshot;
  const coverage = new CoverageIndex(snapshot.coverage);
  let byResource: Map<string, ObjectRecord[]> | undefined;
  const of = (type: ResourceType): readonly ObjectRecord[] => {
    byResource ??= Map.groupBy(records, (record) => groupResourceOf(record.type));
    return byResource.get(groupResourceOf(type)) ?? [];
  };
  const untold = (because: string): Answer => ({ readAt, because });

  return (query) => {
    switch (query.ask) {
      case 'object': {
        const { type, namespace, name } = query;
        const found = of(type).find(
          (record) => record.name === name && record.namespace === namespace,
        );
        if (found) return { readAt, value: seenObjectOf(found) };
        return coverage.covers(type, namespace, name)
          ? { readAt, value: undefined }
          : untold('the input does not say');
      }
      case 'list': {
        const { type, namespace } = query;
        const [label, wanted] = query.labels?.split('=') ?? [];
        if (query.fields !== undefined || !coverage.coversKind(type, namespace ?? ''))
          return untold('the input does not say');
        const value = of(type)
          .filter((record) => namespace === undefined || record.namespace === namespace)
          .filter((record) => label === undefined || record.labels?.[label] === wanted)
          .map(seenObjectOf);
        return { readAt, value };
      }
      case 'content':
        return { readAt, value: contentOf(query.namespace) };
      case 'rehearsal':
      case 'access':
        return untold('a file cannot be asked');
    }
  };

  function contentOf(namespace: string | undefined): Content {
    const wanted = types
      .preferred()
      .filter((type) => type.verbs.includes('delete') && type.verbs.includes('list'))
      .filter((type) => !isEventType(type) && (namespace === undefined || type.namespaced));
    const missing = wanted.filter((type) => !coverage.coversKind(type, namespace ?? ''));
    const unread = missing.map((type) => ({
      resource: groupResourceOf(type),
      because: 'the input holds none, and does not say that there are none',
    }));
    return {
      records: records.filter(
        (record) =>
          !isEventType(record.type) && (namespace === undefined || record.namespace === namespace),
      ),
      unread,
    };
  }
}
