import type { AuditedRequest } from '../../history/audited-request.ts';
import type { HistorySources } from '../../history/deletions/history.ts';
import type { Place } from '../../history/deletions/request-index.ts';
import { controllerClientOf } from '../../history/deletions/requester.ts';
import { Pseudonyms, redactSnapshot } from '../../shell/redact/redact-snapshot.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';

/** What was read, with pseudonyms for every name: the chain is found in it as it was, without addresses and Events. */
export function redactHistory({ requests = [], before, after, settings }: HistorySources) {
  const pseudonyms = new Pseudonyms();
  const text = (name: string) => pseudonyms.text(name);
  const sources: HistorySources = {
    requests: requests.map((request) => redactedRequest(request, text)),
    before: before && redactSnapshot(before, pseudonyms),
    after: after && redactSnapshot(after, pseudonyms),
    ...(settings && { settings }),
  };
  const placeOf = ({ resource, namespace, name }: Place): Place => ({
    resource: text(resource),
    namespace: text(namespace),
    name: text(name),
  });
  const problemOf = (one: CoverageProblem) => redactedProblem(one, text);
  return { sources, placeOf, namespaceOf: text, problemOf };
}

/** Its sentence may quote anything. */
function redactedProblem(problem: CoverageProblem, text: (name: string) => string) {
  const { reason, resource, namespace } = problem;
  return {
    reason,
    message: `not read: ${reason}`,
    ...(resource !== undefined && { resource: text(resource) }),
    ...(namespace !== undefined && { namespace: text(namespace) }),
  } satisfies CoverageProblem;
}

function redactedRequest(request: AuditedRequest, text: (name: string) => string): AuditedRequest {
  const ifAny = (name: string | undefined) => (name === undefined ? undefined : text(name));
  // Controllers of Kubernetes are known by their accounts and user agents.
  const isController = controllerClientOf(request) !== undefined;
  const { receivedAt, answeredAt, verb, subresource, status, body } = request;
  const { isRemoval, isDryRun, hasBody, propagationPolicy } = request;
  return {
    ...{ receivedAt, answeredAt, verb, subresource, status },
    ...{ isRemoval, isDryRun, hasBody, propagationPolicy },
    auditId: text(request.auditId),
    user: isController ? request.user : text(request.user),
    impersonated: ifAny(request.impersonated),
    userAgent: isController ? request.userAgent : text(request.userAgent),
    sourceIps: [],
    // It names kinds in words.
    guard: undefined,
    group: text(request.group),
    resource: text(request.resource),
    namespace: text(request.namespace),
    name: text(request.name),
    uid: ifAny(request.uid),
    labelSelector: ifAny(request.labelSelector),
    fieldSelector: ifAny(request.fieldSelector),
    body: body && {
      ...body,
      finalizers: body.finalizers?.map(text),
      // No pseudonym begins with another one.
      generateName: undefined,
      owners: body.owners?.map((owner) => ({
        ...owner,
        apiVersion: text(owner.apiVersion),
        kind: text(owner.kind),
        name: text(owner.name),
        uid: text(owner.uid),
      })),
    },
  };
}
