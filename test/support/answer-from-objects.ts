import { factFieldsOf } from '../../src/kube/facts/object-facts.ts';
import { matchesSelector } from '../../src/kube/label-selector.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { type KubeObject, recordOf } from '../../src/kube/record-codec.ts';
import { apiVersionOf, type ResourceType } from '../../src/kube/resource-type.ts';
import type { ResourceTypes } from '../../src/kube/resource-types.ts';
import { defaultControllerSettings } from '../../src/settings/controller-settings.ts';
import type { Answer, Query } from '../../src/why/inquiry.ts';

/** Answers a diagnosis from whole objects, as a cluster that holds nothing else would. */
export function answerFromObjects(
  objects: readonly KubeObject[],
  types: ResourceTypes,
  readAt: string,
): (query: Query) => Answer {
  const of = (type: ResourceType, namespace?: string) =>
    objects.filter(
      ({ apiVersion, kind, metadata }) =>
        kind === type.kind &&
        apiVersion === apiVersionOf(type) &&
        (namespace === undefined || (metadata.namespace ?? '') === namespace),
    );
  const inFull = (object: KubeObject, type: ResourceType): ObjectRecord => {
    const record = recordOf(object, type);
    return record.facts || !factFieldsOf(type) ? record : { ...record, facts: {} };
  };
  /** What lives in a namespace shows that it exists. */
  const homeOf = (name: string): KubeObject | undefined =>
    objects.some(({ metadata }) => metadata.namespace === name)
      ? { apiVersion: 'v1', kind: 'Namespace', metadata: { name, uid: `of-${name}` } }
      : undefined;
  return (query) => {
    switch (query.ask) {
      case 'object': {
        const { type, namespace, name } = query;
        const found =
          of(type, namespace).find(({ metadata }) => metadata.name === name) ??
          (type.kind === 'Namespace' ? homeOf(name) : undefined);
        const managedFields = found?.metadata.managedFields;
        return { readAt, value: found && { ...inFull(found, type), managedFields } };
      }
      case 'list': {
        const { type, namespace, labels = {} } = query;
        const records = of(type, namespace).map((object) => inFull(object, type));
        return {
          readAt,
          value: records.filter((record) =>
            matchesSelector({ matchLabels: labels }, record.labels),
          ),
        };
      }
      case 'events':
        return { readAt, value: [] };
      case 'content': {
        const { namespace } = query;
        const records = types
          .preferred()
          .filter((type) => namespace === undefined || type.namespaced)
          .flatMap((type) => of(type, namespace).map((object) => recordOf(object, type)));
        return { readAt, value: { records, unread: [] } };
      }
      case 'rehearsal':
        return { readAt, value: { accepted: true, status: 200, message: '' } };
      case 'access':
        return { readAt, value: { allowed: true, reason: '' } };
      case 'settings':
        return {
          readAt,
          value: {
            settings: defaultControllerSettings,
            thresholdFrom: 'default',
            controllersFrom: 'default',
          },
        };
    }
  };
}
