import { isDeepStrictEqual } from 'node:util';
import type { Decision } from '../../src/controllers/controller.ts';
import type { AuditedRequest } from './collector-audit.ts';

type Json = Readonly<Record<string, unknown>>;

/** How a request differs from the one that was foretold; undefined when it does not. */
export function sentAsForetold(
  decision: Decision,
  requests: readonly AuditedRequest[],
  first: AuditedRequest,
): string | undefined {
  const { action, patch, options = {}, confidence } = decision;
  if (action === 'delete') {
    const sent = optionsOf(first.sent ?? {});
    const wanted = withoutUnset(options as Json);
    if (!isDeepStrictEqual(sent, wanted)) {
      return `deleted with ${JSON.stringify(sent)} and not ${JSON.stringify(wanted)}`;
    }
    if (!patch) {
      const patched = requests.find(
        ({ verb, received }) => verb === 'patch' && received < first.received,
      );
      return patched && 'it was patched first';
    }
  }
  if (!patch) return undefined;
  const before =
    action === 'delete' ? requests.filter(({ received }) => received < first.received) : requests;
  const written = before.filter(({ verb }) => verb !== 'delete');
  if (written.some(({ answer }) => answer && holds(answer, patch.body))) return undefined;
  // It may not come to that, or not yet.
  if (confidence !== 'certain') return undefined;
  const last = written.at(-1);
  return `${JSON.stringify(patch.body)} was not written, but ${JSON.stringify(last?.sent ?? last?.verb)}`;
}

function optionsOf({ propagationPolicy, gracePeriodSeconds, preconditions = {} }: Json): Json {
  return withoutUnset({ propagationPolicy, gracePeriodSeconds, ...(preconditions as Json) });
}

function withoutUnset(json: Json): Json {
  return Object.fromEntries(Object.entries(json).filter(([, value]) => value !== undefined));
}

/** Is everything in `wanted` in `found`? Conditions and taints are found by their names. */
function holds(found: unknown, wanted: unknown): boolean {
  if (isEmpty(wanted)) return isEmpty(found);
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found)) return false;
    if (typeof wanted[0] !== 'object') return isDeepStrictEqual(found, wanted);
    return wanted.every((entry) => found.some((one) => holds(one, entry)));
  }
  if (typeof wanted !== 'object' || wanted === null) return found === wanted;
  if (typeof found !== 'object' || found === null) return false;
  return Object.entries(wanted).every(([key, value]) => {
    const own = (found as Json)[key];
    if (key === 'finalizers') return isWithin(own, value);
    if (key === 'lastTransitionTime' || key === 'timeAdded') return isAbout(own, value);
    return holds(own, value);
  });
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** Several controllers take theirs off, in any order. */
function isWithin(found: unknown, wanted: unknown): boolean {
  return isEmpty(found) || (found as string[]).every((one) => (wanted as string[]).includes(one));
}

/** Times that are kept are equal; those of the write itself lie in the range that is checked elsewhere. */
function isAbout(found: unknown, wanted: unknown): boolean {
  return Math.abs(Date.parse(`${found}`) - Date.parse(`${wanted}`)) < 120_000;
}
