import { usageError } from '../errors.ts';

export type Labels = Readonly<Record<string, string>> | undefined;
export type LabelMatcher = (labels: Labels) => boolean;

const term =
  /^\s*(?:(!)\s*([^\s=!,()<>]+)|([^\s=!,()<>]+)\s*(?:(==|=|!=|<|>)\s*([^\s=!,()<>]*)|\s(in|notin)\s*\(([^()]*)\))?)\s*$/;
const word = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const prefix = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const largestInteger = 2n ** 63n - 1n;

/**
 * kubectl's `-l`: `a=b`, `a==b`, `a!=b`, `a`, `!a`, `a in (x,y)`, `a notin (x,y)`, `a>1`, `a<1`, joined
 * by commas. `!=` and `notin` also match where the label is absent, as on the server. Keys and values
 * that no label can have are refused: they would match nothing, silently.
 */
export function parseLabelSelector(selector: string): LabelMatcher {
  const tests = splitTerms(selector).map((text) => matcherOf(text, selector));
  return (labels) => tests.every((test) => test(labels));
}

function matcherOf(text: string, selector: string): LabelMatcher {
  const refuse = (why: string): never => {
    throw usageError(
      'invalid-selector',
      `unable to parse requirement "${text.trim()}" of label selector "${selector}"${why}`,
      "Write it as kubectl does: -l 'app=web,tier in (a,b),!canary'.",
    );
  };
  const [, not, absent = '', key = '', operator, value = '', set, list = ''] =
    term.exec(text) ?? refuse('');
  if (!isKey(not ? absent : key)) refuse(`: "${not ? absent : key}" is no label key`);
  if (not) return (labels) => labels?.[absent] === undefined;
  const values = set ? list.split(',').map((entry) => entry.trim()) : [value];
  const odd = values.find((entry) => entry !== '' && !word.test(entry));
  if (odd !== undefined) refuse(`: "${odd}" is no label value`);
  if (set) {
    const wanted = new Set(values);
    return set === 'in'
      ? (labels) => labels?.[key] !== undefined && wanted.has(labels[key])
      : (labels) => labels?.[key] === undefined || !wanted.has(labels[key]);
  }
  switch (operator) {
    case undefined:
      return (labels) => labels?.[key] !== undefined;
    case '!=':
      return (labels) => labels?.[key] !== value;
    case '<':
    case '>': {
      const bound = integerOf(value) ?? refuse(`: "${value}" is no integer`);
      return (labels) => {
        const number = integerOf(labels?.[key]);
        return number !== undefined && (operator === '<' ? number < bound : number > bound);
      };
    }
    default:
      return (labels) => labels?.[key] === value;
  }
}
function isKey(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0) return word.test(key);
  return prefix.test(key.slice(0, slash)) && slash <= 253 && word.test(key.slice(slash + 1));
}

function integerOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const number = BigInt(text);
  return number > largestInteger ? undefined : number;
}

/** Splits at commas that are not within parentheses. */
function splitTerms(selector: string): string[] {
  return selector.trim() === '' ? [] : selector.split(/,(?![^()]*\))/);
}
