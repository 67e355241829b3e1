import { objectPath } from '../../cluster/api-path.ts';
import { type DamagedObject, damagedIn, isConversionFailure } from '../../cluster/unlistable.ts';
import { apiServiceType, crdType, serviceType } from '../../kube/core-types.ts';
import { firstOf } from '../../kube/counts-by-kind.ts';
import { bareRecord } from '../../kube/object-record.ts';
import { apiVersionOf } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { conditionOf } from '../../kube/well-known-kinds.ts';
import { type Link, link } from '../chain.ts';
import { deleteExactly } from '../fix-request.ts';
import {
  type Content,
  evidenceOf,
  type Inquiry,
  listEverywhere,
  readWhole,
  valueIn,
} from '../inquiry.ts';
import { backendsOf, conversionLink } from './refusal-links.ts';

/** All that could not be read, each with its reason where it shows: an API that is down, a webhook. */
export function unreadKindLinks(inquiry: Inquiry, unread: Content['unread']): Link[] {
  const failed = inquiry.types.failed.map(({ group, version, message }) =>
    apiServiceLink(inquiry, group, version, message),
  );
  return unread.length === 0 ? failed : [...failed, ...unlistableLinks(inquiry, unread)];
}

/** Kinds that are served but cannot be listed: one link for each broken webhook, one for the rest. */
export function unlistableLinks(inquiry: Inquiry, unread: Content['unread']): Link[] {
  const undiscovered = new Set(inquiry.types.failed.map(({ group }) => group));
  const served = unread.filter(({ resource }) => !undiscovered.has(resource.split('/')[0] ?? ''));
  const converted = served.filter(({ message }) => isConversionFailure(message));
  const damaged = served.filter(({ message }) => damagedIn(message).length > 0);
  const others = served.filter((one) => !converted.includes(one) && !damaged.includes(one));
  const links = [
    ...converted.map(({ resource, message }) => conversionLink(inquiry, resource, message)),
    ...damaged.flatMap(({ resource, message }) => damagedLinks(inquiry, resource, message)),
  ];
  const [first] = others;
  if (!first) return links;
  const type = inquiry.types.versions(first.resource)[0];
  const kinds = {
    apiVersion: type ? apiVersionOf(type) : '',
    kind: others.length === 1 ? (type?.kind ?? first.resource) : `${others.length} kinds`,
    namespace: '',
    name: '*',
    uid: '',
  };
  const names = firstOf(others.map(({ resource }) => resource));
  links.push(
    link(kinds, 'unknown', 'unknown', `${names} could not be read: ${first.message}`, {
      evidence: [],
      next:
        first.reason === 'forbidden'
          ? 'Ask as a user who may list them.'
          : inquiry.origin === 'files'
            ? 'Ask the cluster, or add --complete if the input is the whole cluster.'
            : 'Find out why they cannot be listed: the log of the API server says it. Where an object in etcd cannot be decoded, an API server with the feature gate AllowUnsafeMalformedObjectDeletion (on since v1.37) names it.',
    }),
  );
  return links;
}

export function damagedLinks(inquiry: Inquiry, resource: string, message: string): Link[] {
  return mayBeUnconverted(resource, message) && isConverted(inquiry, resource)
    ? [conversionLink(inquiry, resource, message)]
    : damagedIn(message).map((object) => damagedLink(inquiry, resource, object));
}

const notDecodable = 'object not decodable';

/**
 * An API server with the feature gate AllowUnsafeMalformedObjectDeletion says this also of objects that a conversion
 * webhook did not convert, and nothing is wrong with those. Their definition shows whether there is a webhook.
 */
export function mayBeUnconverted(resource: string, message: string): boolean {
  const group = resource.split('.').slice(1).join('.');
  return !isBuiltInGroup(group) && damagedIn(message).some(({ why }) => why === notDecodable);
}

/** Does a webhook convert objects of the kind, or could its definition not be read? */
function isConverted(inquiry: Inquiry, resource: string): boolean {
  const query = { ask: 'object', type: crdType, namespace: '', name: resource } as const;
  const reading = readWhole(inquiry.ask(query));
  return reading.state !== 'read' || reading.value?.facts?.conversionStrategy === 'Webhook';
}

function damagedLink(inquiry: Inquiry, resource: string, { key, why }: DamagedObject): Link {
  const type = inquiry.types.versions(resource)[0];
  const [namespace = '', name = ''] = key.split('/').slice(-2);
  const object = {
    apiVersion: type ? apiVersionOf(type) : '',
    kind: type?.kind ?? resource,
    namespace: type?.namespaced ? namespace : '',
    name,
    uid: '',
  };
  const restore =
    why === notDecodable
      ? `Restore ${key} in etcd from a backup.`
      : 'Give the API server the encryption key with which it was written.';
  const because = `the API server cannot read it from etcd (${why}): so no object of ${resource} in its namespace can be listed, and none of them deleted with the namespace`;
  return link(object, 'undecodable-object', 'blocked', because, {
    rule: 'GC-74',
    next: `${restore} Only if that is impossible: an administrator may send a DELETE with the option ignoreStoreReadErrorWithClusterBreakingPotential, for which the verb unsafe-delete-ignore-read-errors has to be permitted. It looks at no finalizer, owner or precondition: what the object stood for, as a disk or a running pod, stays and is known to nothing.`,
  });
}

/** A group version whose discovery fails: its APIService, and the backend of it. */
export function apiServiceLink(
  inquiry: Inquiry,
  group: string,
  version: string | undefined,
  message: string,
): Link {
  const listed = listEverywhere(inquiry, apiServiceType);
  const found = valueIn(listed)?.find(
    ({ facts }) =>
      facts?.apiGroup === group && (version === undefined || facts.apiGroupVersion === version),
  );
  const otherwise = `${version ?? 'v1'}.${group}`;
  const object = found ?? bareRecord({ type: apiServiceType, namespace: '', name: otherwise });
  const { name } = object;
  const condition = found && conditionOf(found, 'Available');
  const evidence = evidenceOf(listed, () =>
    condition
      ? `${name}: Available is ${condition.status}, ${condition.reason ?? ''}: ${condition.message ?? ''}`
      : `${name}: no condition Available`,
  );
  const { serviceNamespace = '', serviceName: service } = found?.facts ?? {};
  if (service === undefined) {
    const because = `which kinds ${group} serves could not be discovered: ${message}`;
    return link(object, 'discovery-failed', 'blocked', because, {
      rule: 'GC-74',
      evidence,
      next: `Bring the server of ${group} back; if it was uninstalled, delete APIService ${name}.`,
    });
  }
  const backends = backendsOf(inquiry, serviceNamespace, service);
  const where = `${serviceNamespace}/${service}`;
  const why =
    backends.exists === false
      ? `its Service ${where} does not exist`
      : backends.ready === false
        ? `its Service ${where} has no ready endpoint`
        : (condition?.message ?? message);
  return link(object, 'api-service-down', 'blocked', `the API ${name} does not answer: ${why}`, {
    rule: 'GC-74',
    evidence: [...evidence, ...backends.evidence],
    next: `Bring the server behind ${where} back; if it was uninstalled, delete the APIService.`,
    fix:
      backends.exists === false && condition?.status !== 'True'
        ? deleteExactly(
            object,
            `delete the APIService ${name}, whose server does not exist`,
            `the kinds of ${group} are not served until its server is installed again, which registers it again`,
            objectPath(serviceType, serviceNamespace, service),
          )
        : undefined,
  });
}
