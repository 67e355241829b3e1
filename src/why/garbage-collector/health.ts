import { conversionMessage, isConversionFailure } from '../../cluster/unlistable.ts';
import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { apiServiceType, crdType, eventType, leaseType } from '../../kube/core-types.ts';
import { counted, firstOf } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { conditionOf } from '../../kube/well-known-kinds.ts';
import { type ObjectEvent, objectEventOf } from '../../programs/object-event.ts';
import { garbageCollectorName } from '../../settings/enabled-controllers.ts';
import type { Link } from '../chain.ts';
import { accountOf } from '../controller-accounts.ts';
import {
  evidenceOf,
  type Inquiry,
  listEverywhere,
  type Reading,
  readAllWhole,
  valueIn,
} from '../inquiry.ts';
import { controllerManagerLink, runsHere } from '../links/program-links.ts';
import { backendsOf, conversionLink } from '../links/refusal-links.ts';
import { apiServiceLink, unlistableLinks } from '../links/unreadable-kind-links.ts';
import { admissionCheck, guardCheck, refusedAmong } from './admission-check.ts';
import { type CollectorHealth, collectorHealthOf, isExplainedBy } from './collector-health.ts';
import { garbageCheck, observed, storesObjects } from './garbage-check.ts';
import { type HealthCheck, healthCheck } from './health-check.ts';

/** Everything outside of the garbage collector that keeps it from collecting. */
export function garbageCollectorHealth(inquiry: Inquiry): HealthCheck[] {
  const conversion = conversionCheck(inquiry);
  const admission = admissionCheck(inquiry);
  return [
    leaderCheck(inquiry),
    discoveryCheck(inquiry),
    apiServicesCheck(inquiry),
    kindsCheck(inquiry, conversion.except),
    conversion,
    permissionsCheck(inquiry),
    admission,
    ...guardCheck(inquiry),
    eventsCheck(inquiry),
    explainedBy(garbageCheck(inquiry), admission),
  ];
}

/** Where the API server refuses what is overdue, neither logs nor flags show more. */
function explainedBy(garbage: HealthCheck, { id, except = [] }: HealthCheck): HealthCheck {
  if (except.length === 0 || !isExplainedBy(garbage, except)) return garbage;
  const because = `${garbage.because}; the API server refuses that, as the check ${id} shows`;
  return { ...garbage, state: 'degraded', because, next: '' };
}

/**
 * The health as far as garbage shows it that was found already, and without garbage whether anything leads: what else is checked may
 * say more.
 */
export function observedHealth(
  inquiry: Inquiry,
  garbage: readonly ObjectRecord[],
  records: readonly ObjectRecord[],
): CollectorHealth | undefined {
  const leader = leaderCheck(inquiry);
  if (garbage.length === 0) return leader.withoutLeader && collectorHealthOf([leader]);
  const admission = refusedAmong(inquiry, garbage);
  return collectorHealthOf([leader, ...admission, observed(inquiry, garbage, records)]);
}

function leaderCheck(inquiry: Inquiry): HealthCheck {
  const { state, cause, because, evidence, next } = controllerManagerLink(
    inquiry,
    garbageCollectorName,
  );
  // A leader runs the controllers that its --controllers names: it is no evidence that this one is among them.
  const runs = state === 'fine' && runsHere(inquiry, garbageCollectorName).runs;
  const own = state === 'blocked' ? 'failing' : runs ? 'ok' : 'unknown';
  const isDown = cause === 'controller-manager-down';
  const details = {
    rule: 'GC-78',
    evidence,
    next,
    ...(isDown && { withoutLeader: true as const }),
  };
  return healthCheck('leader', own, because, details);
}

const garbageCollectorUser = accountOf(garbageCollectorName);

/** What is not collected while the servers of these API groups do not answer (GC-80). */
function withoutGroups(groups: readonly string[]): {
  readonly state: 'warning' | 'degraded';
  readonly effect: string;
  readonly except: readonly string[];
} {
  const stored = [...new Set(groups)].filter(storesObjects);
  if (stored.length === 0) {
    const effect = 'metrics are not stored, so none of them are garbage';
    return { state: 'warning', effect, except: [] };
  }
  const effect = `objects of ${stored.join(', ')} might not be collected, and an object with an owner of it is not collected either`;
  return { state: 'degraded', effect, except: stored };
}

function discoveryCheck(inquiry: Inquiry): HealthCheck {
  const rule = 'GC-80';
  const links = inquiry.types.failed.map(({ group, version, message }) =>
    apiServiceLink(inquiry, group, version, message),
  );
  if (links.length === 0) {
    const because = `every API lists its kinds; the garbage collector watches ${inquiry.types.monitored().length}`;
    return healthCheck('discovery', 'ok', because, { rule });
  }
  const { state, effect, except } = withoutGroups(inquiry.types.failed.map(({ group }) => group));
  const because = `${links.length} API group ${links.length === 1 ? 'version does' : 'versions do'} not list ${links.length === 1 ? 'its' : 'their'} kinds: ${effect}`;
  return healthCheck('discovery', state, because, { rule, links, except });
}

function apiServicesCheck(inquiry: Inquiry): HealthCheck {
  const query = { ask: 'list', type: apiServiceType, namespace: undefined } as const;
  const reading = readAllWhole(inquiry.ask(query));
  if (reading.state !== 'read') return unreadCheck('api-services', 'APIServices', reading);
  const down = reading.value.filter((one) => conditionOf(one, 'Available')?.status !== 'True');
  const evidence = evidenceOf(
    reading,
    (list) => `${list.length} read, ${down.length} not available`,
  );
  const details = { rule: 'GC-80', evidence };
  if (down.length === 0) {
    return healthCheck('api-services', 'ok', 'every APIService is available', details);
  }
  const links = down.map((one) => {
    const { apiGroup = '', apiGroupVersion } = one.facts ?? {};
    const { message = '' } = conditionOf(one, 'Available') ?? {};
    return apiServiceLink(inquiry, apiGroup, apiGroupVersion, message);
  });
  const { state, effect, except } = withoutGroups(down.map(({ facts }) => facts?.apiGroup ?? ''));
  const because = `${down.length} ${down.length === 1 ? 'APIService is' : 'APIServices are'} not available: ${effect}`;
  return healthCheck('api-services', state, because, { ...details, links, except });
}

function unreadCheck(id: HealthCheck['id'], what: string, reading: Reading<unknown>): HealthCheck {
  const evidence = evidenceOf(reading, () => '');
  return healthCheck(id, 'unknown', `${what} could not be read`, { evidence });
}

/** `unconverted`: kinds whose conversion webhook has no server. */
function kindsCheck(inquiry: Inquiry, unconverted: readonly string[] = []): HealthCheck {
  const reading = inquiry.ask({ ask: 'content', namespace: undefined });
  const evidence = evidenceOf(
    reading,
    ({ records, unread }) =>
      `${counted(records.length, 'object')} read; ${counted(unread.length, 'kind')} could not be listed`,
  );
  if (reading.state !== 'read') {
    return healthCheck('kinds', 'unknown', 'the kinds could not be listed', { evidence });
  }
  const rule = 'GC-79';
  const failed = new Set(inquiry.types.failed.map(({ group }) => group));
  const unread = reading.value.unread.filter(
    ({ resource }) => !failed.has(resource.split('/')[0] ?? ''),
  );
  if (unread.length === 0 && unconverted.length > 0) {
    const because = `every kind can be listed, but ${firstOf(unconverted)} only as far as the API server converted the objects before: its conversion webhook does not answer`;
    return healthCheck('kinds', 'warning', because, { rule, evidence });
  }
  if (unread.length === 0) {
    return healthCheck('kinds', 'ok', 'every kind can be listed', { rule, evidence });
  }
  const { readAt } = reading;
  const all = [
    ...evidence,
    ...unread.map(({ resource, reason, message }) => {
      return { what: resource, readAt, couldNotRead: message, reason };
    }),
  ];
  const broken = unread.filter(({ reason }) => reason === 'unlistable');
  if (broken.length === 0) {
    const other = unread.find(({ reason }) => reason !== 'forbidden');
    const why = other?.message ?? 'you lack the permission';
    const because = `${counted(unread.length, 'kind')} could not be listed, which says nothing about the garbage collector: ${why}`;
    return healthCheck('kinds', 'unknown', because, { rule, evidence: all });
  }
  const because = `${broken.map(({ resource }) => resource).join(', ')} cannot be listed, so the garbage collector does not see ${broken.length === 1 ? 'its' : 'their'} objects and collects none of them`;
  const links = unlistableLinks(inquiry, broken);
  const except = broken.map(({ resource }) => resource);
  return healthCheck('kinds', 'degraded', because, { rule, evidence: all, links, except });
}

function conversionCheck(inquiry: Inquiry): HealthCheck {
  const id = 'conversion-webhooks';
  const reading = listEverywhere(inquiry, crdType);
  if (reading.state !== 'read') return unreadCheck(id, 'CustomResourceDefinitions', reading);
  const converted = reading.value.filter(({ facts }) => facts?.conversionStrategy === 'Webhook');
  const evidence = evidenceOf(
    reading,
    (list) =>
      `${counted(list.length, 'CustomResourceDefinition')} read, ${converted.length} converted by webhook`,
  );
  const links = converted.flatMap(({ name: crd, facts }) => {
    const { namespace = '', name } = facts?.conversionClient?.service ?? {};
    if (name !== undefined && backendsOf(inquiry, namespace, name).ready === false)
      return [conversionLink(inquiry, crd, 'nothing stands behind its Service')];
    return unconvertedLink(inquiry, crd);
  });
  const details = { rule: 'GC-79', evidence, links };
  if (links.length > 0) {
    const because = `${links.length} conversion ${links.length === 1 ? 'webhook does' : 'webhooks do'} not answer`;
    const except = links.map(({ object }) => object.name);
    return healthCheck(id, 'degraded', because, { ...details, except });
  }
  const because =
    converted.length === 0
      ? 'no kind is converted by a webhook'
      : 'every conversion webhook has a server, as far as its Service and one object of its kind show';
  return healthCheck(id, 'ok', because, details);
}

/**
 * The failure of a conversion webhook that only a single object shows: the API server answers a list from its watch cache, which may have
 * converted the objects long ago, and reads from etcd what is asked for by its name, or deleted.
 */
function unconvertedLink(inquiry: Inquiry, crd: string): Link[] {
  const content = valueIn(inquiry.ask({ ask: 'content', namespace: undefined }));
  const record = content?.records.find(({ type }) => groupResourceOf(type) === crd);
  if (!record || inquiry.origin !== 'cluster') return [];
  const { type, namespace, name } = record;
  const reading = inquiry.ask({ ask: 'object', type, namespace, name });
  if (reading.state !== 'unread' || !isConversionFailure(reading.message)) return [];
  return [conversionLink(inquiry, crd, conversionMessage(reading.message))];
}

/** What the garbage collector has to be allowed. */
export const permissionQueries = ['get', 'list', 'watch', 'patch', 'update', 'delete'].map(
  (verb) => ({ ask: 'access', user: garbageCollectorUser, verb }) as const,
);

function permissionsCheck(inquiry: Inquiry): HealthCheck {
  const readings = permissionQueries.map((query) => ({
    verb: query.verb,
    reading: inquiry.ask(query),
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
  const { name } = garbageCollectorUser;
  const details = { rule: 'GC-78', evidence };
  if (refused.length > 0) {
    const because = `${name} may not ${refused.map(({ verb }) => verb).join(', ')} everything`;
    const next =
      'Restore ClusterRole and ClusterRoleBinding system:controller:generic-garbage-collector; the API server does so when it starts.';
    return healthCheck('permissions', 'failing', because, { ...details, next });
  }
  if (readings.every(({ reading }) => reading.state === 'read')) {
    const because = `${name} may read, change and delete everything`;
    return healthCheck('permissions', 'ok', because, details);
  }
  const because = 'whether the garbage collector has its permissions could not be asked';
  return healthCheck('permissions', 'unknown', because, details);
}

/** Each leader reports again what it finds: older events may be about what was put right. Epoch milliseconds. */
function leadingSince(inquiry: Inquiry): number {
  const [namespace, name] = ['kube-system', 'kube-controller-manager'];
  const lease = valueIn(inquiry.ask({ ask: 'object', type: leaseType, namespace, name }));
  return Date.parse(lease?.facts?.acquireTime ?? '');
}

/** Does an object that an event is about not exist any more? An Event outlives its object by an hour. */
function deletedSince(inquiry: Inquiry) {
  const content = valueIn(inquiry.ask({ ask: 'content', namespace: undefined }));
  const unread = new Set(content?.unread.map(({ resource }) => resource));
  const unreadKinds = new Set(
    inquiry.types.all.flatMap((type) => (unread.has(groupResourceOf(type)) ? [type.kind] : [])),
  );
  const uids = new Set(content?.records.map(({ uid }) => uid));
  return ({ kind, uid }: ObjectEvent['about']): boolean =>
    content !== undefined && uid !== '' && !unreadKinds.has(kind) && !uids.has(uid);
}

function eventsCheck(inquiry: Inquiry): HealthCheck {
  const fields = 'reason=OwnerRefInvalidNamespace';
  const reading = inquiry.ask({ ask: 'events', type: eventType, namespace: undefined, fields });
  if (reading.state !== 'read') return unreadCheck('events', 'events', reading);
  const since = leadingSince(inquiry);
  const isDeleted = deletedSince(inquiry);
  const current = reading.value.filter((event) => {
    const { time, about } = objectEventOf(event);
    return !(Date.parse(time) < since) && !isDeleted(about);
  });
  const objects = new Set(
    current.map((event) => {
      const { kind, name, namespace } = objectEventOf(event).about;
      return `${kind}/${name} in ${namespace}`;
    }),
  );
  const named = [...objects].sort().slice(0, 5).join(', ');
  const evidence = evidenceOf(
    reading,
    (list) =>
      `${counted(list.length, 'event')}${named && ` about ${named}`}${list.length > current.length ? `; ${list.length - current.length} of an earlier leader or a deleted object` : ''}`,
  );
  const details = { rule: 'GC-46', evidence };
  if (objects.size === 0) {
    const because = 'the garbage collector warns of no reference into another namespace';
    return healthCheck('events', 'ok', because, details);
  }
  const because = `the garbage collector warns of references into another namespace: ${counted(objects.size, 'object')}`;
  return healthCheck('events', 'warning', because, {
    ...details,
    next: 'Such objects are deleted when no other owner keeps them.',
    command: suggested('To see them', shellCommand`kubectl gc invalid-ownerrefs -A`),
  });
}
