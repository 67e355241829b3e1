import { usageError } from '../errors.ts';

export type Labels = Readonly<Record<string, string>> | undefined;
export type LabelMatcher = (labels: Labels) => boolean;

const term =
  /^\s*(?:(!)\s*([^\s=!,()]+)|([^\s=!,()]+)\s*(?:(==|=|!=)\s*([^\s=!,()]*)|\s(in|notin)\s*\(([^()]*)\))?)\s*$/;

/**
 * kubectl's `-l`: `a=b`, `a==b`, `a!=b`, `a`, `!a`, `a in (x,y)`, `a notin (x,y)`, joined by commas.
 * `!=` and `notin` also match where the label is absent, as on the server.
 */
export function parseLabelSelector(selector: string): LabelMatcher {
  const tests = splitTerms(selector).map((text) => matcherOf(text, selector));
  return (labels) => tests.every((test) => test(labels));
}

function matcherOf(text: string, selector: string): LabelMatcher {
  const parts = term.exec(text);
  if (!parts) {
    throw usageError(
      'invalid-selector',
      `unable to parse requirement "${text.trim()}" of label selector "${selector}"`,
      "Write it as kubectl does: -l 'app=web,tier in (a,b),!canary'.",
    );
  }
  const [, not, absent = '', key = '', operator, value = '', set, values = ''] = parts;
  if (not) return (labels) => labels?.[absent] === undefined;
  if (set) {
    const wanted = new Set(values.split(',').map((entry) => entry.trim()));
    return set === 'in'
      ? (labels) => labels?.[key] !== undefined && wanted.has(labels[key])
      : (labels) => labels?.[key] === undefined || !wanted.has(labels[key]);
  }
  if (operator === '!=') return (labels) => labels?.[key] !== value;
  if (operator) return (labels) => labels?.[key] === value;
  return (labels) => labels?.[key] !== undefined;
}

/** Splits at commas that are not within parentheses. */
function splitTerms(selector: string): string[] {
  return selector.trim() === '' ? [] : selector.split(/,(?![^()]*\))/);
}
