import { customResourceDefinitions } from '../../kube/well-known-kinds.ts';
import { controllersOf, type EndReason } from '../compare/explain-ends.ts';
import { eventStep } from './event-step.ts';
import type { History, Lifetime } from './history.ts';
import { ownersOf } from './known-owners.ts';
import { beganAt, endOf } from './lifetimes.ts';
import { afterOwners, type Step, unknownLink, withNamespace } from './link.ts';
import { endsOfOwners } from './owner-step.ts';
import type { RemovalCause, RemovalLink } from './removal.ts';
import type { Place } from './request-index.ts';
import { garbageCollector, namespaceController, settingOf } from './requester.ts';

/** An end that takes the object along, though no request in the log deleted it. */
interface Implied
  extends Pick<RemovalLink, 'cause' | 'controller' | 'rule' | 'because' | 'certainty'> {
  readonly above: Lifetime;
  /** Beside its rule. */
  readonly evidence?: RemovalLink['evidence'];
}

/**
 * No request in the log deleted the object: it was deleted with its CustomResourceDefinition, whose instances the API server
 * removes without a request (GC-66), or by a controller whose requests the policy leaves out.
 */
export function impliedStep(history: History, lifetime: Lifetime): Step {
  const [first] = [ofDefinition, ofNamespace, ofOwners, ofService]
    .flatMap((find) => find(history, lifetime) ?? [])
    .sort((a, b) => beganAt(a.above) - beganAt(b.above));
  if (!first) return eventStep(history, lifetime) ?? withoutRequest(history, lifetime);
  const { above, evidence = [], ...implied } = first;
  const { place, uid } = lifetime;
  const byRule = implied.rule === undefined ? [] : [{ kind: 'rule', rule: implied.rule } as const];
  const isLeftOut =
    history.index.requests.length > 0 &&
    clients.every((client) => !history.index.hasDeletionsBy(client));
  const link = {
    object: history.referenceTo(place, uid),
    ...implied,
    ...(implied.controller !== undefined && isLeftOut && { next: auditPolicyAdvice }),
    evidence: [...byRule, ...evidence],
  };
  return { links: [link], above, isDoubtful: implied.certainty === 'might be' };
}

/** Neither a request nor an Event: what a rule says of the object as it was, or our own backup. */
function withoutRequest(history: History, { place, uid, record, ...rest }: Lifetime): Step {
  const object = history.referenceTo(place, uid);
  const rule = record && history.ruleOf(record);
  if (rule) {
    const { collector, confidence, because } = rule;
    // Where several controllers follow the rules, the one is unknown.
    const [only, ...others] = controllersOf(collector);
    const controller = others.length === 0 ? only : undefined;
    const certainty = confidence === 'certain' ? 'follows' : 'might be';
    const evidence = [{ kind: 'rule', rule: rule.rule } as const];
    const setting = settingOf(rule.rule);
    return {
      links: [
        {
          object,
          cause: causeByController[collector] ?? 'controller',
          ...(controller !== undefined && { controller }),
          certainty,
          rule: rule.rule,
          ...(setting !== undefined && { setting }),
          because,
          evidence,
        },
      ],
    };
  }
  const saved = history.backups.of(object);
  if (saved) {
    const { path, at, mightBeAnother } = saved;
    const what = mightBeAnother ? 'an object of its name' : 'it';
    const because = `a backup was made of ${what} before its deletion`;
    return {
      links: [
        {
          object,
          cause: 'request',
          certainty: 'might be',
          at,
          because,
          evidence: [{ kind: 'backup', path, at }],
        },
      ],
    };
  }
  const isLogged = history.index.requests.length > 0;
  const because = isLogged ? 'no request that deleted it was read' : withoutLog(history, record);
  return {
    links: [
      unknownLink(history, { place, uid, record, ...rest }, because, isLogged ? nextTime : withLog),
    ],
  };
}

/** Only what an earlier snapshot shows of an object was held against the rules, and what changed after that was not. */
function withoutLog({ before, after }: History, record: Lifetime['record']): string {
  const isJudged = before !== undefined && after !== undefined && record !== undefined;
  return isJudged
    ? 'no controller rule explains it from what the snapshot shows, and no audit log was read'
    : 'nothing that was read shows the object before its deletion';
}

const causeByController: Readonly<Partial<Record<EndReason['collector'], RemovalCause>>> = {
  'garbage-collector': 'owner',
  namespace: 'namespace',
  customresourcedefinition: 'definition',
};

const clients = [garbageCollector, namespaceController];

/** Two rules: one with both fields matches a user who is in the group, and this one is not (ruleMatches, apiserver/pkg/audit/policy/checker.go). */
const auditPolicyAdvice =
  'The audit policy seems to leave out the requests of kube-controller-manager. Add two rules: {level: Metadata, verbs: [delete, deletecollection], users: ["system:kube-controller-manager"]} and {level: Metadata, verbs: [delete, deletecollection], userGroups: ["system:serviceaccounts:kube-system"]}.';

/** Where no log was read. */
export const withLog = 'An audit log names the request: give it with --audit-log.';

const nextTime =
  'Give the logs of all API servers and of the whole time, and log deletions of every user with level Metadata.';

function ofDefinition(history: History, { place, hasEnded }: Lifetime): Implied | undefined {
  const { resource } = place;
  const above = deletedAt(history, {
    resource: customResourceDefinitions,
    namespace: '',
    name: resource,
  });
  if (!above) return undefined;
  const because = 'the API server deletes the instances of a CustomResourceDefinition with it';
  const certainty = hasEnded || above.hasEnded ? 'follows' : 'might be';
  return { cause: 'definition', rule: 'GC-66', because, above, certainty };
}

/** No request names the objects of a namespace: somebody may have deleted this one before. */
function ofNamespace(history: History, { place }: Lifetime): Implied | undefined {
  const { namespace: name } = place;
  const above =
    name === '' ? undefined : deletedAt(history, { resource: 'namespaces', namespace: '', name });
  return above && { ...withNamespace, above, certainty: 'might be' };
}

function ofOwners(history: History, lifetime: Lifetime): Implied | undefined {
  const { owners, evidence, mayHaveChanged } = ownersOf(history, lifetime);
  const { last, isComplete, names } = endsOfOwners(history, lifetime, owners, anyTime);
  if (!last) return undefined;
  const isLeftOut = !history.index.hasDeletionsBy(garbageCollector);
  const isSure = isLeftOut && isComplete && !mayHaveChanged && lifetime.hasEnded;
  const certainty = isSure ? 'follows' : 'might be';
  return { ...afterOwners(names), above: last, certainty, evidence };
}

const anyTime = { receivedAt: Number.MAX_SAFE_INTEGER };

/** The API server deletes the Endpoints of a Service with it (pkg/registry/core/service/storage/storage.go, afterDelete). */
function ofService(history: History, { place, hasEnded }: Lifetime): Implied | undefined {
  if (place.resource !== 'endpoints') return undefined;
  const above = deletedAt(history, { ...place, resource: 'services' });
  if (!above) return undefined;
  const because = 'the API server deletes the Endpoints of a Service with it';
  const certainty = hasEnded || above.hasEnded ? 'follows' : 'might be';
  return { cause: 'controller', controller: 'kube-apiserver', because, above, certainty };
}

/** The object at a place, where it was deleted: one that never existed has not ended. */
function deletedAt(history: History, place: Place): Lifetime | undefined {
  const end = endOf(history, place, anyTime);
  return end && (end.deletions.length > 0 || end.record !== undefined) ? end : undefined;
}
