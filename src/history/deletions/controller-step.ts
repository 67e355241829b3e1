import type { OwnerReference } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import type { AuditedRequest } from '../audited-request.ts';
import { controllersOf } from '../compare/explain-ends.ts';
import { reportedOwner } from './event-step.ts';
import type { History, Lifetime } from './history.ts';
import { isJobsOwn } from './job-stop.ts';
import { ownersOf } from './known-owners.ts';
import { endOf, lifetimesAt } from './lifetimes.ts';
import { type Began, doubted, evidenceOf, type Step, timeOf, unknownLink } from './link.ts';
import { ownerByName } from './named-owner.ts';
import { ownersNextTime } from './owner-step.ts';
import type { RemovalLink } from './removal.ts';
import type { Place } from './request-index.ts';
import {
  controllerClientOf,
  kubeletNodeOf,
  reasonOf,
  requesterOf,
  type Trigger,
} from './requester.ts';
import { jobStopOf } from './stopped-by-job.ts';

/** A controller other than the garbage collector deleted it: by which rule, and after what? */
export function controllerStep(
  history: History,
  lifetime: Lifetime,
  { client, request, link }: Began & { readonly client: string },
): Step {
  const reason = reasonOf(client, request);
  const cause = 'controller';
  if (!reason) {
    return { links: [{ ...link, cause, controller: client, because: `${client} deleted it` }] };
  }
  const { trigger, because, controller } = reason;
  // What was read of this object and its owner says more than what the controller does at all.
  const known = lifetime.record && history.ruleOf(lifetime.record);
  const decided = known && controllersOf(known.collector).includes(controller) ? known : undefined;
  const { owner } = controllingOwner(history, lifetime);
  const stop = owner && jobStopOf(history, lifetime, owner, request.receivedAt);
  const rule = stop?.rule ?? decided?.rule ?? reason.rule;
  const setting = stop?.setting ?? reason.setting;
  const own: RemovalLink = {
    ...link,
    cause,
    controller,
    because: stop?.because ?? decided?.because ?? `${controller} ${because}`,
    ...(rule !== undefined && { rule }),
    ...(setting !== undefined && { setting }),
  };
  const isOwn = stop !== undefined && isJobsOwn(stop);
  const { links = [], ...rest } = triggers[isOwn ? 'none' : trigger](history, lifetime, request);
  return { links: [own, ...links], ...rest };
}

type FindTrigger = (history: History, lifetime: Lifetime, began: AuditedRequest) => Partial<Step>;

const triggers: Readonly<Record<Trigger, FindTrigger>> = {
  none: () => ({}),
  'owner-change': (history, lifetime, began) => {
    const { owner, isDoubtful } = controllingOwner(history, lifetime, controllerClientOf(began));
    const place = owner && history.placeOfOwner(lifetime.place, owner);
    if (!place) return { links: [unread(history, lifetime, 'its owner')] };
    const links = changeLinks(history, { place, owner }, began);
    return { links: isDoubtful ? links.map(doubted) : links };
  },
  'owner-or-node-change': (history, lifetime, began) => {
    const found = triggers['owner-change'](history, lifetime, began);
    return found.links?.length ? found : triggers.node(history, lifetime, began);
  },
  'owner-end': (history, lifetime, began) => {
    const { owner, isDoubtful } = controllingOwner(history, lifetime, controllerClientOf(began));
    const place = owner && history.placeOfOwner(lifetime.place, owner);
    return place ? { above: endOf(history, place, began, owner.uid), isDoubtful } : {};
  },
  node: (history, lifetime, began) => {
    const { above, links } = triggers['node-end'](history, lifetime, began);
    const name = lifetime.record && knownNodeOf(lifetime.record);
    if (above || links || name === undefined) return { above, links: links ?? [] };
    return { links: changeLinks(history, { place: nodeNamed(name) }, began) };
  },
  'node-end': (history, lifetime, began) => {
    const name = lifetime.record && knownNodeOf(lifetime.record);
    if (name === undefined) return { links: [unread(history, lifetime, 'its Node')] };
    return { above: endOf(history, nodeNamed(name), began) };
  },
  claim: (history, lifetime, began) => {
    const { namespace = '', name } = lifetime.record?.facts?.claimRef ?? {};
    if (name === undefined) return { links: [unread(history, lifetime, 'its claim')] };
    return {
      above: endOf(history, { resource: 'persistentvolumeclaims', namespace, name }, began),
    };
  },
  service: (history, { place, record }, began) => {
    const label = record?.labels?.['kubernetes.io/service-name'];
    const name = label ?? (place.resource === 'endpoints' ? place.name : undefined);
    if (name === undefined) return {};
    return { above: endOf(history, { ...place, resource: 'services', name }, began) };
  },
  'service-account': (history, lifetime, began) => {
    const { place, record } = lifetime;
    const name = record?.annotations?.['kubernetes.io/service-account.name'];
    if (name === undefined) return { links: [unread(history, lifetime, 'its ServiceAccount')] };
    return { above: endOf(history, { ...place, resource: 'serviceaccounts', name }, began) };
  },
};

function nodeNamed(name: string): Place {
  return { resource: 'nodes', namespace: '', name };
}

function unread(history: History, lifetime: Lifetime, what: string): RemovalLink {
  const because = `what was read does not name ${what}, which can be the reason`;
  return unknownLink(history, lifetime, because, ownersNextTime);
}

function controllingOwner(history: History, lifetime: Lifetime, client = '') {
  const { owners, mayHaveChanged } = ownersOf(history, lifetime);
  const known = owners.find(({ controller }) => controller === true);
  const owner = known ?? reportedOwner(history, lifetime);
  if (owner) return { owner, isDoubtful: known !== undefined && mayHaveChanged };
  const guess = owners.length > 0 ? undefined : ownerByName(history, lifetime, client);
  return { owner: guess, isDoubtful: true };
}

interface Changed {
  readonly place: Place;
  readonly owner?: OwnerReference;
}

/**
 * The last change of an object before a controller deleted another, and what that change followed in turn. Unless a body
 * shows the number of replicas, the change can have been any: an earlier one may have had the effect.
 */
function changeLinks(
  history: History,
  { place, owner }: Changed,
  before: Pick<AuditedRequest, 'receivedAt'>,
): readonly RemovalLink[] {
  const lifetime = lifetimesAt(history, place).findLast(
    ({ uid, creation }) =>
      (!owner?.uid || uid === '' || uid === owner.uid) &&
      (creation?.receivedAt ?? 0) <= before.receivedAt,
  );
  const change = lifetime?.changes.findLast(
    (request) => request.receivedAt <= before.receivedAt && !isBookkeeping(request),
  );
  if (!lifetime || !change) return [];
  const client = controllerClientOf(change);
  const replicas = change.body?.replicas;
  const link: RemovalLink = {
    object: history.referenceTo(place, lifetime.uid),
    cause: client === undefined ? 'change' : 'controller',
    certainty: replicas === undefined ? 'might be' : 'follows',
    at: timeOf(change),
    requester: requesterOf(change),
    ...(client !== undefined && { controller: client }),
    because: `changed by this request${replicas === undefined ? '' : ` to ${replicas} replicas`}`,
    evidence: [evidenceOf(change)],
  };
  const above =
    client === undefined ? undefined : controllingOwner(history, lifetime, client).owner;
  const next = above && history.placeOfOwner(place, above);
  return next ? [link, ...changeLinks(history, { place: next, owner: above }, change)] : [link];
}

/** Does a controller, or a kubelet, note its own progress there? */
function isBookkeeping(request: AuditedRequest): boolean {
  if (request.subresource === 'status' || kubeletNodeOf(request) !== undefined) return true;
  const client = controllerClientOf(request);
  return client !== undefined && ownKinds[client] === request.resource;
}

const ownKinds: Readonly<Record<string, string>> = {
  'cronjob-controller': 'cronjobs',
  'daemon-set-controller': 'daemonsets',
  'deployment-controller': 'deployments',
  'job-controller': 'jobs',
  'node-controller': 'nodes',
  'replicaset-controller': 'replicasets',
  'replication-controller': 'replicationcontrollers',
  'statefulset-controller': 'statefulsets',
};
