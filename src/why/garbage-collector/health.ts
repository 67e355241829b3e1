import { apiServiceType, crdType, eventType } from '../../kube/core-types.ts';
import { conditionOf, fieldAt, textAt } from '../../kube/field-at.ts';
import type { Link } from '../chain.ts';
import {
  type Content,
  type Evidence,
  evidenceOf,
  type Inquiry,
  type ReviewedUser,
  readAllWhole,
} from '../inquiry.ts';
import { controllerManagerLink } from '../links/program-links.ts';
import { backendsOf, conversionLink } from '../links/refusal-links.ts';
import { apiServiceLink, unlistableLinks } from '../links/unreadable-kind-links.ts';
import { admissionCheck } from './admission-check.ts';
import { type HealthCheck, healthCheck } from './health-check.ts';

/** Who the garbage collector is to the API server (GC-78). */
const garbageCollectorUser: ReviewedUser = {
  name: 'system:serviceaccount:kube-system:generic-garbage-collector',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
};

/** Everything outside of the garbage collector that keeps it from collecting. */
export function garbageCollectorHealth(inquiry: Inquiry): HealthCheck[] {
  return [
    leaderCheck(inquiry),
    discoveryCheck(inquiry),
    apiServicesCheck(inquiry),
    kindsCheck(inquiry),
    conversionCheck(inquiry),
    permissionsCheck(inquiry),
    admissionCheck(inquiry, garbageCollectorUser),
    eventsCheck(inquiry),
  ];
}

function leaderCheck(inquiry: Inquiry): HealthCheck {
  const { state, because, evidence, next } = controllerManagerLink(inquiry, 'garbage collector');
  const own = state === 'blocked' ? 'failing' : state === 'unknown' ? 'unknown' : 'ok';
  return healthCheck('leader', own, because, { rule: 'GC-78', evidence, next });
}

function discoveryCheck(inquiry: Inquiry): HealthCheck {
  const links = inquiry.types.failed.map(({ group, version, message }) =>
    apiServiceLink(inquiry, group, version, message),
  );
  if (links.length === 0) {
    const kinds = inquiry.types.monitored().length;
    return healthCheck(
      'discovery',
      'ok',
      `every API tells its kinds; the collector watches ${kinds}`,
      {
        rule: 'GC-80',
      },
    );
  }
  return healthCheck(
    'discovery',
    'failing',
    `${links.length} API group ${links.length === 1 ? 'version does' : 'versions do'} not tell its kinds: what they serve is not collected, and references to it freeze their objects`,
    { rule: 'GC-80', links },
  );
}

function apiServicesCheck(inquiry: Inquiry): HealthCheck {
  const reading = readAllWhole(
    inquiry.ask({ ask: 'list', type: apiServiceType, namespace: undefined }),
  );
  if (reading.state !== 'read') {
    return healthCheck('api-services', 'unknown', 'APIServices could not be read', {
      evidence: evidenceOf(reading, () => ''),
    });
  }
  const down = reading.value.filter(
    (one) => textAt(conditionOf(one, 'Available'), 'status') !== 'True',
  );
  const evidence = evidenceOf(
    reading,
    (list) => `${list.length} read, ${down.length} not available`,
  );
  if (down.length === 0)
    return healthCheck('api-services', 'ok', 'every APIService is available', {
      rule: 'GC-80',
      evidence,
    });
  const links = down.map((one) =>
    apiServiceLink(
      inquiry,
      textAt(one, 'spec.group'),
      textAt(one, 'spec.version'),
      textAt(conditionOf(one, 'Available'), 'message'),
    ),
  );
  return healthCheck(
    'api-services',
    'failing',
    `${down.length} ${down.length === 1 ? 'APIService is' : 'APIServices are'} not available`,
    { rule: 'GC-80', evidence, links },
  );
}

function kindsCheck(inquiry: Inquiry): HealthCheck {
  const reading = inquiry.ask({ ask: 'content', namespace: undefined });
  const evidence = evidenceOf(
    reading,
    ({ records, unread }) =>
      `${records.length} objects read; ${unread.length} kinds could not be listed`,
  );
  if (reading.state !== 'read') {
    return healthCheck('kinds', 'unknown', 'the kinds could not be listed', { evidence });
  }
  const failed = new Set(inquiry.types.failed.map(({ group }) => group));
  const unread = reading.value.unread.filter(
    ({ resource }) => !failed.has(resource.split('/')[0] ?? ''),
  );
  if (unread.length === 0)
    return healthCheck('kinds', 'ok', 'every kind can be listed', { rule: 'GC-79', evidence });
  const forbidden = unread.filter(({ reason }) => reason === 'forbidden');
  if (forbidden.length === unread.length) {
    return healthCheck(
      'kinds',
      'unknown',
      `${forbidden.length} kinds could not be listed because you may not: that says nothing about the collector`,
      { rule: 'GC-79', evidence: [...evidence, ...untold(forbidden, reading.readAt)] },
    );
  }
  const broken = unread.filter((one) => !forbidden.includes(one));
  return healthCheck(
    'kinds',
    'failing',
    `${broken.map(({ resource }) => resource).join(', ')} cannot be listed, so the collector does not know ${broken.length === 1 ? 'its' : 'their'} objects and collects none of them`,
    {
      rule: 'GC-79',
      evidence: [...evidence, ...untold(unread, reading.readAt)],
      links: unlistableLinks(inquiry, broken),
    },
  );
}

function untold(unread: Content['unread'], readAt: string): Evidence[] {
  return unread.map(({ resource, reason, message }) => ({
    what: resource,
    readAt,
    couldNotRead: message,
    reason,
  }));
}

function conversionCheck(inquiry: Inquiry): HealthCheck {
  const reading = readAllWhole(inquiry.ask({ ask: 'list', type: crdType, namespace: undefined }));
  if (reading.state !== 'read') {
    return healthCheck(
      'conversion-webhooks',
      'unknown',
      'CustomResourceDefinitions could not be read',
      {
        evidence: evidenceOf(reading, () => ''),
      },
    );
  }
  const converted = reading.value.filter(
    (crd) => textAt(crd, 'spec.conversion.strategy') === 'Webhook',
  );
  const evidence = evidenceOf(
    reading,
    (list) =>
      `${list.length} CustomResourceDefinitions read, ${converted.length} convert by webhook`,
  );
  const links: Link[] = [];
  for (const crd of converted) {
    const service = fieldAt(crd, 'spec.conversion.webhook.clientConfig.service');
    const name = textAt(service, 'name');
    if (name === '') continue;
    const { ready } = backendsOf(inquiry, textAt(service, 'namespace'), name);
    if (ready !== false) continue;
    const crdName = textAt(crd, 'metadata.name');
    links.push(conversionLink(inquiry, crdName, 'nothing stands behind its Service'));
  }
  return links.length > 0
    ? healthCheck(
        'conversion-webhooks',
        'failing',
        `${links.length} conversion ${links.length === 1 ? 'webhook has' : 'webhooks have'} no server`,
        { rule: 'GC-79', evidence, links },
      )
    : healthCheck(
        'conversion-webhooks',
        'ok',
        converted.length === 0
          ? 'no kind is converted by a webhook'
          : 'every conversion webhook has a server, as far as its Service tells',
        { rule: 'GC-79', evidence },
      );
}

function permissionsCheck(inquiry: Inquiry): HealthCheck {
  const verbs = ['get', 'list', 'watch', 'patch', 'update', 'delete'];
  const readings = verbs.map((verb) => ({
    verb,
    reading: inquiry.ask({ ask: 'access', user: garbageCollectorUser, verb }),
  }));
  const evidence = readings.flatMap(({ reading }) =>
    evidenceOf(
      reading,
      ({ allowed, reason }) => `${allowed ? 'yes' : 'no'}${reason && `: ${reason}`}`,
    ),
  );
  const refused = readings.filter(
    ({ reading }) => reading.state === 'read' && !reading.value.allowed,
  );
  if (refused.length > 0) {
    return healthCheck(
      'permissions',
      'failing',
      `${garbageCollectorUser.name} may not ${refused.map(({ verb }) => verb).join(', ')} everything`,
      {
        rule: 'GC-78',
        evidence,
        next: 'Restore ClusterRole and ClusterRoleBinding system:controller:generic-garbage-collector; the API server does so when it starts.',
      },
    );
  }
  return readings.every(({ reading }) => reading.state === 'read')
    ? healthCheck(
        'permissions',
        'ok',
        `${garbageCollectorUser.name} may read, change and delete everything`,
        {
          rule: 'GC-78',
          evidence,
        },
      )
    : healthCheck(
        'permissions',
        'unknown',
        'whether the collector has its permissions could not be asked',
        { rule: 'GC-78', evidence },
      );
}

function eventsCheck(inquiry: Inquiry): HealthCheck {
  const fields = 'reason=OwnerRefInvalidNamespace';
  const reading = readAllWhole(
    inquiry.ask({ ask: 'list', type: eventType, namespace: undefined, fields }),
  );
  if (reading.state !== 'read') {
    return healthCheck('events', 'unknown', 'events could not be read', {
      evidence: evidenceOf(reading, () => ''),
    });
  }
  const objects = new Set(
    reading.value.map(
      (event) =>
        `${textAt(event, 'involvedObject.kind')}/${textAt(event, 'involvedObject.name')} in ${textAt(event, 'involvedObject.namespace')}`,
    ),
  );
  const evidence = evidenceOf(
    reading,
    (list) =>
      `${list.length} events${objects.size > 0 ? ` about ${[...objects].sort().slice(0, 5).join(', ')}` : ''}`,
  );
  return objects.size === 0
    ? healthCheck('events', 'ok', 'the collector warns of no reference into another namespace', {
        rule: 'GC-46',
        evidence,
      })
    : healthCheck(
        'events',
        'warning',
        `the collector warns of references into another namespace: ${objects.size} ${objects.size === 1 ? 'object' : 'objects'}`,
        {
          rule: 'GC-46',
          evidence,
          next: 'kubectl gc invalid-ownerrefs -A shows them; such objects are deleted when no other owner keeps them.',
        },
      );
}
