import { usageError } from '../errors.ts';
import { at, type KeptBy, labels, list, object, type Shape, text } from './facts/shape.ts';
import { labelValueFaults, qualifiedNameFaults } from './names.ts';

type Labels = Readonly<Record<string, string>> | undefined;
type LabelMatcher = (labels: Labels) => boolean;

const term =
  /^(?:(!)\s*([^\s=!,()<>]+)|([^\s=!,()<>]+)(?:\s*(==|=|!=|<|>)\s*([^\s=!,()<>]*)|\s+(in|notin)\s*\(([^()]*)\))?)$/;
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
      `unable to parse requirement "${text.trim()}" of label selector "${selector}"${why}`,
      ["Write it as kubectl does: -l 'app=web,tier in (a,b),!canary'."],
    );
  };
  const [, not, absent = '', key = '', operator, value = '', set, list = ''] =
    term.exec(text.trim()) ?? refuse('');
  const name = not ? absent : key;
  if (qualifiedNameFaults(name).length > 0) refuse(`: "${name}" is no label key`);
  const values = set ? list.split(',').map((entry) => entry.trim()) : [value];
  const odd = values.find((entry) => labelValueFaults(entry).length > 0);
  if (odd !== undefined) refuse(`: "${odd}" is no label value`);
  if (operator === '<' || operator === '>') {
    const bound = integerOf(value) ?? refuse(`: "${value}" is no integer`);
    return (labels) => {
      const number = integerOf(labelIn(labels, key));
      return number !== undefined && (operator === '<' ? number < bound : number > bound);
    };
  }
  const unset = not ? 'DoesNotExist' : 'Exists';
  const wanted = operator === '!=' || set === 'notin' ? 'NotIn' : 'In';
  const requirement = { key: name, operator: operator || set ? wanted : unset, values };
  return (labels) => meets(requirement, labels);
}

function integerOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const number = BigInt(text);
  return number > largestInteger ? undefined : number;
}

/** Splits at commas that are not within parentheses. */
function splitTerms(selector: string): string[] {
  if (selector.trim() === '') return [];
  const terms: string[] = [];
  let isWithin = false;
  let start = 0;
  for (const { 0: sign, index } of selector.matchAll(/[(),]/g)) {
    if (sign !== ',') isWithin = sign === '(';
    else if (!isWithin) {
      terms.push(selector.slice(start, index));
      start = index + 1;
    }
  }
  return [...terms, selector.slice(start)];
}

/**
 * Does a selector of the API match these labels? One that is not there matches nothing, an empty one
 * everything. Mirrors metav1.LabelSelectorAsSelector. For what a controller of pods adopts, ask
 * `workloadSelects`.
 */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labelIn(labels, key) === value) &&
    matchExpressions.every((requirement) => meets(requirement, labels))
  );
}

/** True of a selector that is not there, too: on a Service the API server stores both as none. */
export function isEmptySelector(selector: LabelSelector | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

/**
 * Does a Deployment, ReplicaSet, ReplicationController, StatefulSet or DaemonSet with this selector take
 * an object with these labels? An empty selector takes nothing: the API server refuses it (ValidateDeploymentSpec
 * and its siblings), and deployment-controller and daemonset-controller do not act on it.
 */
export function workloadSelects(selector: LabelSelector | undefined, labels: Labels): boolean {
  return !isEmptySelector(selector) && matchesSelector(selector, labels);
}

function meets({ key, operator, values = [] }: LabelRequirement, labels: Labels): boolean {
  const value = labelIn(labels, key);
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

/** The selector of the objects that have these labels: `a=b,c=d`. */
export function selectorOfLabels(labels: Readonly<Record<string, string>> = {}): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** `constructor` is a label key like any other. */
function labelIn(labels: Labels, key: string): string | undefined {
  return labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

const labelRequirement = object({
  key: at('key', '1', text, ''),
  /** In, NotIn, Exists or DoesNotExist. */
  operator: at('operator', '2', text, ''),
  values: at('values', '3', list(text)),
});
type LabelRequirement = KeptBy<typeof labelRequirement>;

/** metav1.LabelSelector, as spec.selector of what controls pods; the plain map of older kinds is kept as matchLabels. */
export const labelSelector = object({
  matchLabels: at('matchLabels', '1', labels),
  matchExpressions: at('matchExpressions', '2', list(labelRequirement)),
});
export type LabelSelector = KeptBy<typeof labelSelector>;

/** The map of a ReplicationController or a Service. */
export const plainSelector: Shape<LabelSelector> = { form: 'plain-selector' };
