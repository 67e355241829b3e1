import type { WritingVerb } from '../audited-request.ts';

/** An event's first fields, in the order in which the API server writes them. */
const firstFields =
  /^\{(?:"kind":"Event","apiVersion":"audit\.k8s\.io\/v1(?:beta1)?",)?"level":"\w+","auditID":"[^"\\]*","stage":"(\w+)","requestURI":"([^"\\]*(?:\\.[^"\\]*)*)","verb":"(\w+)",/;

/** So many bytes of a line contain these fields, except with URIs of unusual length. */
export const firstFieldsLength = 512;

const writingVerbs: ReadonlySet<string> = new Set<WritingVerb>([
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
]);

export function isWritingVerb(verb: unknown): verb is WritingVerb {
  return typeof verb === 'string' && writingVerbs.has(verb);
}

/** Most writes in a log are of these kinds, and no controller deletes anything because of them. */
const unneededWrites = new RegExp(
  [
    String.raw`^/apis/coordination\.k8s\.io/\w+/namespaces/[^/?]+/leases(?:[/?]|$)`,
    String.raw`^/(?:api|apis/events\.k8s\.io)/\w+/namespaces/[^/?]+/events(?:[/?]|$)`,
    String.raw`^/apis/auth(?:entication|orization)\.k8s\.io/`,
    String.raw`^/api/v1/namespaces/[^/?]+/(?:pods/[^/?]+/binding|serviceaccounts/[^/?]+/token)(?:\?|$)`,
  ].join('|'),
);

/** An object may be named `status`: this is the path of the subresource alone. */
const statusWrite =
  /^\/(?:api|apis\/[^/?]+)\/[^/?]+\/(?:namespaces\/[^/?]+\/[^/?]+|(?!namespaces\/)[^/?]+)\/[^/?]+\/status(?:\?|$)/;

/**
 * Do the first fields of an event show that nothing is kept of it? They are read as JSON from the event's first byte
 * on, so no value of another field (a user agent, an annotation, a body) can pass for one of them. In doubt the answer
 * is no, and the event is parsed. `namesFinalizers`: does the event have this word anywhere?
 */
export function isUnneeded(start: string, namesFinalizers: () => boolean): boolean {
  const [, stage, uri = '', verb] = firstFields.exec(start) ?? [];
  if (stage === undefined) return false;
  if (stage !== 'ResponseComplete' || !isWritingVerb(verb)) return true;
  if (verb === 'delete' || verb === 'deletecollection') return false;
  return unneededWrites.test(uri) || (statusWrite.test(uri) && !namesFinalizers());
}

const reviewGroups: ReadonlySet<string> = new Set([
  'authentication.k8s.io',
  'authorization.k8s.io',
]);

/** The same of an event whose fields were read, where its subresource is not the one of a status. */
export function isUnneededResource(group: string, resource: string): boolean {
  if (resource === 'events') return group === '' || group === 'events.k8s.io';
  if (resource === 'leases') return group === 'coordination.k8s.io';
  return reviewGroups.has(group);
}
