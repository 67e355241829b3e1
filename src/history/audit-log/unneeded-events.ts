import type { WritingVerb } from '../audited-request.ts';

/** Of JSON (RFC 8259): the characters of a text without escapes, and of any text. */
export const plain = String.raw`[ !#-[\]-\uffff]*`;
const escapes = String.raw`(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})${plain})*`;
export const characters = plain + escapes;

/** An event's first fields, in the order in which the API server writes them. */
const firstFields = new RegExp(
  [
    String.raw`\{(?:"kind":"Event","apiVersion":"audit\.k8s\.io/v1(?:beta1)?",)?"level":"(\w+)",`,
    String.raw`"auditID":"(${plain})","stage":"(\w+)","requestURI":"(${plain})(${escapes})","verb":"(\w+)",`,
  ].join(''),
  'y',
);

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

export interface FirstFields {
  readonly level: string;
  readonly auditId: string;
  readonly uri: string;
  readonly verb: string;
  /** Is anything kept of the event, in doubt? */
  readonly isNeeded: boolean;
  /** Where the further fields begin. */
  readonly end: number;
}

/**
 * Undefined where a text does not begin with these fields. They are read as JSON from the first byte on, so no value of another
 * field (a user agent, an annotation, a body) can pass for one of them.
 */
export function firstFieldsOf(line: string): FirstFields | undefined {
  firstFields.lastIndex = 0;
  const found = firstFields.exec(line);
  if (!found) return undefined;
  const [, level = '', auditId = '', stage, path = '', escaped = '', verb = ''] = found;
  const uri = escaped === '' ? path : JSON.parse(`"${path}${escaped}"`);
  const isNeeded =
    stage === 'ResponseComplete' && isWritingVerb(verb) && mayBeNeeded(line, verb, uri);
  return { level, auditId, uri, verb, isNeeded, end: firstFields.lastIndex };
}

function mayBeNeeded(line: string, verb: WritingVerb, uri: string): boolean {
  if (verb === 'delete' || verb === 'deletecollection') return true;
  if (unneededWrites.test(uri)) return false;
  return !(uri.includes('/status') && statusWrite.test(uri)) || line.includes('finalizers"');
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
