import { usageError } from '../errors.ts';
import { at, labels, list, object, type Shape, text } from './facts/shape.ts';

type Labels = Readonly<Record<string, string>> | undefined;
type LabelMatcher = (labels: Labels) => boolean;

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

/** Does spec.selector select these labels? An empty selector selects everything, a missing one nothing. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels?.[key] === value) &&
    matchExpressions.every((requirement) => meets(requirement, labels))
  );
}

function meets({ key, operator, values = [] }: LabelRequirement, labels: Labels): boolean {
  const value = labels?.[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** spec.selector of what controls pods; the plain map of older kinds is kept as matchLabels. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelRequirement[];
}

export interface LabelRequirement {
  readonly key: string;
  /** In, NotIn, Exists or DoesNotExist. */
  readonly operator: string;
  readonly values?: readonly string[];
}

export const labelSelector = object<LabelSelector>({
  matchLabels: at('matchLabels', '1', labels),
  matchExpressions: at(
    'matchExpressions',
    '2',
    list(
      object<LabelRequirement>({
        key: at('key', '1', text, ''),
        operator: at('operator', '2', text, ''),
        values: at('values', '3', list(text)),
      }),
    ),
  ),
});

/** The map of a ReplicationController or a Service. */
export const plainSelector: Shape<LabelSelector> = { form: 'plain-selector' };
