import { defaultControllerSettings } from '../../src/controllers/settings/controller-settings.ts';
import { parseLabelSelector } from '../../src/kube/label-selector.ts';
import { type KubeObject, recordOf } from '../../src/kube/record-codec.ts';
import { apiVersionOf, type ResourceType } from '../../src/kube/resource-type.ts';
import type { ResourceTypes } from '../../src/kube/resource-types.ts';
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
  return (query) => {
    switch (query.ask) {
      case 'object':
        return {
          readAt,
          value: of(query.type, query.namespace).find(
            ({ metadata }) => metadata.name === query.name,
          ),
        };
      case 'list':
        return {
          readAt,
          value: of(query.type, query.namespace).filter(
            ({ metadata }) =>
              (query.fields === undefined || query.fields === `metadata.name=${metadata.name}`) &&
              parseLabelSelector(query.labels ?? '')(recordOf({ metadata }, query.type).labels),
          ),
        };
      case 'records': {
        const { type, namespace } = query;
        return { readAt, value: of(type, namespace).map((object) => recordOf(object, type)) };
      }
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
          value: { settings: defaultControllerSettings, thresholdFrom: 'default' },
        };
    }
  };
}
