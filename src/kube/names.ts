import { usageError } from '../errors.ts';

/** By code units: the same order on every machine, whatever its locale. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The text without these characters at its end: what a pattern such as `/x+$/` finds in quadratic time. */
export function trimmedRight(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The name that was probably meant: the one spelt most alike, whatever its case; undefined where none is close. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const [best] = names
    // A word that is much longer is never close; it may be as long as a file.
    .filter((name) => word.length <= 2 * name.length + 2)
    .map((name) => ({ name, off: distance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.off - b.off);
  if (best && best.off <= Math.max(2, Math.floor(word.length / 3))) return best.name;
  // Of a name of several words, one word may be all that was typed.
  const most = Math.floor(word.length / 4);
  return word.length > 2 && word.length < 64
    ? names.find((name) =>
        name
          .split(/[-.:/]/)
          .some((part) => part !== '' && distance(word.toLowerCase(), part) <= most),
      )
    : undefined;
}

/** `Did you mean missing-owner?`, or nothing. */
export function didYouMean(word: string, names: readonly string[]): string[] {
  const near = nearestName(word, names);
  return near === undefined ? [] : [`Did you mean ${near}?`];
}

/** Levenshtein distance. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, change));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/**
 * Does a name fit a pattern in which `*` stands for anything? Takes time in proportion to the name: one is
 * long enough that a regular expression of many stars would be slow.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === text;
  if (!text.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

const wordFormat = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelFormat = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomainFormat = `${labelFormat}(\\.${labelFormat})*`;
const word = new RegExp(`^${wordFormat}$`);
const subdomain = new RegExp(`^${subdomainFormat}$`);
const consistOf =
  "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const wordRule = `must ${consistOf} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${wordFormat}')`;
const valueRule = `a valid label must be an empty string or ${consistOf} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${wordFormat})?')`;
const subdomainRule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomainFormat}')`;

/** What is wrong with a qualified name, in the API server's words. Mirrors content.IsLabelKey. */
export function qualifiedNameFaults(text: string): string[] {
  const [name = '', prefix, more] = text.split('/').reverse();
  if (more !== undefined) {
    return [
      `a valid label key ${wordRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const faults: string[] = [];
  if (prefix === '') faults.push('prefix part must be non-empty');
  else if (prefix !== undefined) {
    if (prefix.length > 253) faults.push('prefix part must be no more than 253 bytes');
    if (!subdomain.test(prefix)) faults.push(`prefix part ${subdomainRule}`);
  }
  if (name === '') faults.push('name part must be non-empty');
  else if (name.length > 63) faults.push('name part must be no more than 63 bytes');
  if (!word.test(name)) faults.push(`name part ${wordRule}`);
  return faults;
}

/** The same for a label's value. Mirrors content.IsLabelValue. */
export function labelValueFaults(text: string): string[] {
  const faults: string[] = [];
  if (text.length > 63) faults.push('must be no more than 63 bytes');
  if (text !== '' && !word.test(text)) faults.push(valueRule);
  return faults;
}

/** A field selector of these values, escaped as EscapeValue of fields/selector.go of apimachinery does: RBAC names have these characters. */
export function fieldSelectorOf(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([field, value]) => `${field}=${value.replace(/[\\,=]/g, '\\$&')}`)
    .join(',');
}

export function selectorOfName(name: string): string {
  return fieldSelectorOf({ 'metadata.name': name });
}

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
