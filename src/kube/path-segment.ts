import { usageError } from '../errors.ts';

/** What a name is the name of, in kubectl's words. */
export type SegmentRole = 'resource name' | 'namespace' | 'path segment';

/**
 * What keeps a string from being one segment of an API path; empty when nothing does. Mirrors
 * IsValidPathSegmentName, apimachinery pkg/api/validate/content/path.go: `..` would lead to the parent.
 */
function segmentFaults(segment: string): string[] {
  if (segment === '.' || segment === '..') return [`may not be '${segment}'`];
  const faults = ['/', '%']
    .filter((part) => segment.includes(part))
    .map((part) => `may not contain '${part}'`);
  // No URL can spell half of a pair; Go has no such strings.
  return segment.isWellFormed() ? faults : [...faults, 'must be valid Unicode'];
}

/** Could an object have this name? An empty string is not a name. */
export function isPathSegment(name: string): boolean {
  return name !== '' && !leadsElsewhere(name);
}

/** kubectl's words for a name that no path can hold: `invalid resource name "..": [may not be '..']`. */
export function segmentFault(role: SegmentRole, segment: string): string | undefined {
  if (!leadsElsewhere(segment)) return undefined;
  return `invalid ${role} ${JSON.stringify(segment)}: [${segmentFaults(segment).join(' ')}]`;
}

/** Throws a usage error for a name or namespace of the command line or the kubeconfig that no path can hold. */
export function refuseInvalid(role: SegmentRole, segment: string): void {
  const fault = segmentFault(role, segment);
  if (fault !== undefined) throw usageError(fault, [], invalidPath);
}

/** Would a request for this name go to another path than that of one object? */
export function leadsElsewhere(name: string): boolean {
  return name === '.' || name === '..' || /[/%]/.test(name) || !name.isWellFormed();
}

/** Why the target of a reference with such a name is unknown. */
export function notAName(kind: string, name: string): string {
  return `no object can be called ${JSON.stringify(name)}: the collector's request for this ${kind} goes to another path, and what it meets there was not read`;
}

/** The code of the error for a path that cannot be made. */
export const invalidPath = 'invalid-path';
