import type { ComparedFate } from '../../deletion/plan/compare-policies.ts';
import type {
  Fate,
  FinalizerWait,
  KubeletWait,
  Plan,
  PlannedObject,
  PlanRefusal,
  PlanRemark,
  Wait,
  WebhookWait,
} from '../../deletion/plan/plan.ts';
import {
  disappearsOnceReleased,
  mayDeleteMore,
  serverRefuses,
  unreadOf,
} from '../../deletion/plan/plan-totals.ts';
import { isOfContent } from '../../deletion/plan/play/blocking-finalizers.ts';
import { counted, firstOf, kindCounts, kindsInWords } from '../../kube/counts-by-kind.ts';
import {
  compareObjects,
  fullNameOf,
  type ObjectReference,
  objectKey,
  tableName,
} from '../../kube/object-reference.ts';
import { namesNamespace } from '../../kube/well-known-kinds.ts';
import type { Mark } from '../../output/pages/marks.ts';
import { printable } from '../../output/printable.ts';
import { type Paint, painted, type RenderOptions } from '../../output/style.ts';
import { commonReason, objectColumns } from '../../output/tables/alike-rows.ts';
import type { Column } from '../../output/tables/table.ts';
import { type CoverageProblem, lackingKinds } from '../../snapshot/coverage.ts';
import { countedResult } from '../words.ts';

/** How the fate of an object is printed: nothing has happened yet. */
interface FateStyle {
  readonly words: string;
  /** Beside another, as what it is before the finalizers that block it are removed, and afterwards. */
  readonly short: string;
  readonly mark: Mark;
  readonly paint?: Paint;
}

export const fateStyles: Readonly<Record<Fate | 'untouched', FateStyle>> = {
  deleted: { words: 'will be deleted', short: 'deleted', mark: 'goes', paint: 'red' },
  recreated: { words: 'will be recreated', short: 'recreated', mark: 'again', paint: 'red' },
  terminating: { words: 'will be stuck', short: 'stuck', mark: 'stuck', paint: 'magenta' },
  orphaned: { words: 'will be orphaned', short: 'orphaned', mark: 'left', paint: 'yellow' },
  kept: { words: 'stays', short: 'stays', mark: 'stays', paint: 'green' },
  unknown: { words: 'unknown', short: 'unknown', mark: 'unknown', paint: 'cyan' },
  untouched: { words: 'untouched', short: 'untouched', mark: 'plain' },
};

/** In the order of a summary: deleted objects first. */
export const fatesInOrder = (Object.keys(fateStyles) as (Fate | 'untouched')[]).filter(
  (fate) => fate !== 'untouched',
);

/** `will be stuck`, or `stuck, then deleted`; `likely deleted` where that depends on a program that may not run. */
export function fateWords({ fate, then, likely }: Omit<ComparedFate, 'because'>): string {
  const { words, short } = fateStyles[fate];
  if (then) return `${short}, ${likely ? 'likely' : 'then'} ${fateStyles[then].short}`;
  return likely ? `likely ${short}` : words;
}

/** `Would be refused: …`, and below it what allows it all the same. Where the server says the same of several objects, once. */
export function refusalLines({ refusals = [] }: Plan, options: RenderOptions): string[] {
  const groups = Map.groupBy(refusals, (refusal) => serverWordsOf(refusal) ?? refusal.message);
  return [...groups].map(([words, group]) => {
    const objects = group.flatMap(({ object }) => object ?? []).sort(compareObjects);
    const [{ message, suggestions }] = group as [PlanRefusal];
    const all = `${serverRefuses}: ${firstOf(objects.map(fullNameOf))}: ${words}`;
    return [
      `${painted('Would be refused:', 'red', options)} ${printable(objects.length > 1 ? all : message)}`,
      ...suggestions.map((suggestion) => `  ${printable(suggestion)}`),
    ].join('\n');
  });
}

/** The words of the API server on the deletion of an object. */
function serverWordsOf({ object, message }: PlanRefusal): string | undefined {
  const begin = object && `${serverRefuses}: ${fullNameOf(object)}: `;
  return begin !== undefined && message.startsWith(begin) ? message.slice(begin.length) : undefined;
}

/** `Warning: …` and `Note: …`, warnings first. */
export function remarkLines(remarks: readonly PlanRemark[], options: RenderOptions): string[] {
  const heads = { warning: painted('Warning:', 'yellow', options), note: 'Note:' };
  return (['warning', 'note'] as const).flatMap((severity) =>
    remarks
      .filter((remark) => remark.severity === severity)
      .map(({ message }) => `${heads[severity]} ${printable(message)}`),
  );
}

/** A plan as a table: a row for each object, or for what is alike. */
export function planColumns(letters: number): Column<readonly PlannedObject[]>[] {
  return [
    ['STEP', stepsIn],
    ...objectColumns((objects: readonly PlannedObject[]) => objects),
    [
      'RESULT',
      ([first]) => (first ? { text: fateWords(first), paint: fateStyles[first.fate].paint } : ''),
    ],
    ['UID', ([first]) => first?.uid ?? '', 'wide'],
    ['RULE', ([first]) => first?.rule ?? '', 'wide'],
    ['BLOCKED BY', ([first]) => blockersInWords(first) || '<none>', 'wide'],
    ['REASON', (objects) => commonReason(objects, letters)],
  ];
}

function stepsIn(objects: readonly PlannedObject[]): string {
  const waves = objects.map(({ wave }) => wave).sort((a, b) => a - b);
  const [first, last] = [waves[0], waves.at(-1)];
  return first === last ? String(first) : `${first}-${last}`;
}

function blockersInWords(object: PlannedObject | undefined): string {
  return firstOf((object?.blockedBy ?? []).map(({ kind, name }) => `${kind} ${name}`.trimEnd()));
}

/**
 * All that a deletion comes to, one fact a line: `79 objects will be deleted: 16 Pods, ….`, `4 blocked by ….`, `1 stays: 1 Secret.` A
 * line more where what was not read may hold more.
 */
export function summaryLines(plan: Plan, options: RenderOptions): string[] {
  const { objects, requests } = plan;
  const groups = Map.groupBy(objects, (object) => {
    if (willBeDeleted(object)) return 'deleted';
    return object.then ?? object.fate;
  });
  const of = (fate: Fate) => groups.get(fate) ?? [];
  const paint = (fate: Fate, text: string) => painted(text, fateStyles[fate].paint, options);
  const wordsFor = (fate: Fate, words: string): string[] => {
    const some = of(fate);
    return some.length === 0
      ? []
      : [`${paint(fate, countedResult(some.length, words))}: ${kindsIn(some, fewKinds)}`];
  };
  const clauses = [
    ...goingClauses(plan, of('deleted'), (text) => paint('deleted', text)),
    ...hangingClause(of('terminating'), (text) => paint('terminating', text)),
    ...wordsFor('orphaned', 'will be orphaned'),
    ...wordsFor('kept', 'stays'),
    ...wordsFor('unknown', 'might be deleted'),
  ];
  const lines = [...clauses.map((clause) => `${clause}.`), ...availabilityLines(plan)];
  if (requests.length === 0) return lines;
  const { missing = [], unread = [] } = Object.groupBy(unreadOf(plan), ({ reason }) =>
    reason === 'not-in-input' ? 'missing' : 'unread',
  );
  if (unread.length > 0) lines.push(`More may be deleted: ${kindWords(unread)} could not be read.`);
  if (missing.length > 0) lines.push(`More may be deleted: ${printable(lackingKinds(missing))}.`);
  return lines;
}

/** What stays and is affected: facts, and no judgement. */
function availabilityLines({ availability }: Plan): string[] {
  if (!availability) return [];
  const { servicesWithoutEndpoint, exceededBudgets, workloadsAtZero, singleWriterClaims } =
    availability;
  const named = (some: readonly ObjectReference[]) =>
    firstOf(some.map(({ kind, name }) => `${kind}/${name}`));
  const clauses = [
    ...(servicesWithoutEndpoint.length > 0
      ? [`no ready endpoint: ${named(servicesWithoutEndpoint)}`]
      : []),
    ...(workloadsAtZero.length > 0 ? [`no ready Pod: ${named(workloadsAtZero)}`] : []),
    ...(exceededBudgets.length > 0
      ? [
          `budget exceeded, which no deletion is refused for: ${firstOf(
            exceededBudgets.map(
              ({ object: { kind, name }, disruptionsAllowed, deleted }) =>
                `${kind}/${name} (allows ${disruptionsAllowed}, ${deleted} deleted)`,
            ),
          )}`,
        ]
      : []),
    ...(singleWriterClaims.length > 0
      ? [`volume of a single writer: ${named(singleWriterClaims)}`]
      : []),
  ];
  return [`Availability: ${printable(clauses.join('; '))}.`];
}

const manyKinds = 6;
const fewKinds = 3;

export function willBeDeleted(object: PlannedObject): boolean {
  return object.fate === 'deleted' || object.fate === 'recreated' || disappearsOnceReleased(object);
}

function goingClauses(
  plan: Plan,
  going: readonly PlannedObject[],
  paint: (text: string) => string,
): string[] {
  if (going.length === 0) return [];
  const namespaces = going.filter(namesNamespace).length;
  const clusterScoped = going.filter(({ namespace }) => namespace === '').length - namespaces;
  const wide = [
    ...(namespaces > 0 ? [counted(namespaces, 'whole namespace')] : []),
    ...(clusterScoped > 0 ? [`${clusterScoped} cluster-scoped`] : []),
  ].join(', ');
  const total = paint(`${countedFrom(going.length, mayDeleteMore(plan))} will be deleted`);
  const clauses = [`${total}${wide === '' ? '' : ` (${wide})`}: ${kindsIn(going, manyKinds)}`];
  const late = going.filter(disappearsOnceReleased);
  if (late.length > 0) {
    const waits = late.flatMap(({ waitsFor = [] }) => waitsFor);
    const who =
      late.length < going.length ? `${late.length} of them` : late.length === 1 ? 'It' : 'All';
    clauses.push(`${who} ${late.length === 1 ? 'waits' : 'wait'} for ${waitWords(waits)}`);
  }
  const again = going.filter(({ fate, then }) => (then ?? fate) === 'recreated');
  if (again.length > 0) {
    const are = again.length === 1 ? 'is' : 'are';
    clauses.push(`${again.length} ${are} recreated: ${kindsIn(again, fewKinds)}`);
  }
  return clauses;
}

/** `1 object`, `9 or more objects` */
function countedFrom(count: number, mayDeleteMore: boolean): string {
  return mayDeleteMore ? `${count} or more objects` : counted(count, 'object');
}

/** `4 blocked by finalizer ex.com/drain of Pod/web-1: 2 Pods, 1 Namespace`: the blocker, not what waits for it. The rows have the reasons. */
function hangingClause(
  hanging: readonly PlannedObject[],
  paint: (text: string) => string,
): string[] {
  if (hanging.length === 0) return [];
  const holders = new Set(hanging.flatMap(holdersOf));
  const all = paint(`${hanging.length} blocked`);
  const kinds = kindsIn(hanging, fewKinds);
  const by = holders.size > 0 ? ` by ${printable(firstOf([...holders]))}` : '';
  return [`${all}${by}: ${kinds}`];
}

function holdersOf(object: PlannedObject): string[] {
  return object.blockedBy.flatMap(({ kind, name }) => {
    if (kind === 'finalizer') return [`finalizer ${name} of ${tableName(object)}`];
    return kind === 'kubelet' ? [`the kubelet of Node ${name}`] : [];
  });
}

function kindsIn(objects: readonly PlannedObject[], most: number): string {
  const counts = kindCounts(objects.map(({ kind }) => kind));
  const shown = counts.slice(0, most).map(([kind, count]) => counted(count, printable(kind)));
  const more = counts.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${counted(more, 'more kind')}` : '');
}

function kindWords(problems: readonly CoverageProblem[]): string {
  const kinds = problems.map(({ resource, apiVersion = 'something' }) => resource ?? apiVersion);
  return printable(kindsInWords([...new Set(kinds)]));
}

/** `, running`, `, not running: 0 of 1 pods ready`. */
function lifeWords({ alive, aliveBecause = '' }: FinalizerWait): string {
  if (alive === undefined) return '';
  if (alive === 'yes') return ', running';
  const words = {
    no: 'not running',
    elsewhere: 'running for other namespaces',
    leaving: 'deleted as well',
    unknown: 'unknown whether it runs',
  };
  return `, ${words[alive]}: ${aliveBecause}`;
}

/** `finalizer ex.com/cleanup of Db/prod (db-operator, running), finalizer ex.com/data of Db/test`. */
function waitWords(waits: readonly Wait[]): string {
  const removals = waits.filter((wait) => 'finalizer' in wait);
  const kubelets = waits.filter((wait) => 'kubelet' in wait);
  const judges = new Set(waits.flatMap((wait) => ('webhook' in wait ? acceptedWords(wait) : [])));
  const apis = new Set(waits.flatMap((wait) => ('api' in wait ? [wait.api] : [])));
  const nodes = Map.groupBy(kubelets, ({ kubelet }) => kubelet);
  // One finalizer of many objects is one cause.
  const causes = Map.groupBy(removals, (wait) =>
    JSON.stringify([wait.finalizer, wait.removedBy, wait.object.kind, lifeWords(wait)]),
  );
  return firstOf([
    ...[...causes.values()].map(removalWords),
    ...[...nodes.values()].map(kubeletWords),
    ...[...judges].map((judge) => printable(judge)),
    ...[...apis].map((api) => printable(`the API ${api} to answer again`)),
  ]);
}

/** `the webhook x`, `the ValidatingAdmissionPolicy y`, `the conversion webhook of widgets.example.com` */
export function judgeWords({ webhook, configuration }: WebhookWait): string {
  if (configuration.kind === 'CustomResourceDefinition')
    return `the conversion webhook of ${webhook}`;
  return `the ${isPolicy(configuration) ? configuration.kind : 'webhook'} ${webhook}`;
}

function isPolicy({ kind }: WebhookWait['configuration']): boolean {
  return kind.endsWith('Policy');
}

function acceptedWords(wait: WebhookWait): string {
  const does = isPolicy(wait.configuration) ? 'accept the deletion' : 'answer again';
  return `${judgeWords(wait)} to ${does}`;
}

/** All are of one finalizer and one kind. */
function removalWords(waits: readonly FinalizerWait[]): string {
  const [first] = waits;
  if (!first) return '';
  const { finalizer, object, removedBy } = first;
  const names = new Map(waits.map((wait) => [objectKey(wait.object), tableName(wait.object)]));
  const whose =
    names.size > 2 ? counted(names.size, object.kind) : [...names.values()].join(' and ');
  if (isOfContent(finalizer)) return printable(`${whose} to be empty`);
  const by = removedBy === undefined ? '' : ` (${removedBy}${lifeWords(first)})`;
  return printable(`finalizer ${finalizer} of ${whose}${by}`);
}

/** `the kubelet of Node worker-2 (not ready: …) to confirm that Pod/web-1 stopped`; all are of one Node. */
function kubeletWords(waits: readonly KubeletWait[]): string {
  const [first] = waits;
  if (!first) return '';
  const names = new Set(waits.map(({ object: { namespace, name } }) => `${namespace}/${name}`));
  const stopped =
    names.size === 1 ? `Pod/${first.object.name} stopped` : `${names.size} Pods stopped`;
  return printable(
    `the kubelet of Node ${first.kubelet} (not ready: ${first.aliveBecause}) to confirm that ${stopped}`,
  );
}
