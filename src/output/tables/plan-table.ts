import { goesThen, isOpen } from '../../deletion/plan/going.ts';
import type {
  Fate,
  FinalizerWait,
  KubeletWait,
  LeftAlone,
  Plan,
  PlannedObject,
  PlanRemark,
  Wait,
} from '../../deletion/plan/plan.ts';
import { unreadOf } from '../../deletion/plan/unread-content.ts';
import { counted, kindCounts, kindsInWords } from '../../kube/counts-by-kind.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { parseApiVersion, printedKindOf } from '../../kube/resource-type.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { printable } from '../printable.ts';
import { type Paint, type RenderOptions, styleOf } from '../style.ts';
import { type Cell, renderTable } from './table.ts';
import { countedResult } from './words.ts';

/** A plan as a preview: what it comes to, what to know, and every object wave by wave. */
export function planTable(plan: Plan, options: RenderOptions, wide: boolean): string {
  const headers = ['WAVE', 'KIND', 'NAMESPACE', 'NAME', 'RESULT'];
  if (wide) headers.push('UID', 'RULE', 'BLOCKED BY');
  headers.push('REASON');
  const rows = plan.objects.map((object): Cell[] => [
    String(object.wave),
    ...objectCells(object, options),
    {
      text: fateWords(object.fate, object.then, object.likely),
      paint: fatePaint(object.fate, options),
    },
    ...(wide ? wideCells(object) : []),
    object.because,
  ]);
  const summary = summaryLines(plan, options);
  const head = summary.length > 0 ? [...nothingGoes(plan), ...summary] : ['nothing to delete'];
  const parts = [head, refusalLines(plan, options), remarkLines(plan.remarks, options)].filter(
    ({ length }) => length > 0,
  );
  const blocks = parts.map((lines) => `${lines.join('\n')}\n`);
  if (rows.length > 0) blocks.push(renderTable(headers, rows, options));
  const { leftAlone = [] } = plan;
  if (leftAlone.length > 0) blocks.push(leftAloneTable(leftAlone, options));
  return blocks.join('\n');
}

function leftAloneTable(leftAlone: readonly LeftAlone[], options: RenderOptions): string {
  const rows = leftAlone.map(({ object, because }): Cell[] => [
    ...objectCells(object, options),
    because,
  ]);
  return renderTable(['KIND', 'NAMESPACE', 'LEFT ALONE', 'REASON'], rows, options);
}

/** KIND, NAMESPACE and NAME. */
export function objectCells(object: ObjectReference, options: RenderOptions): Cell[] {
  const { apiVersion, kind, namespace, name } = object;
  const group = parseApiVersion(apiVersion)?.group ?? '';
  const paint = namespace === '' ? styleOf(options).bold : undefined;
  return [{ text: printedKindOf({ group, kind }), paint }, namespaceCell(object, options), name];
}

/** What is in no namespace is marked, as more hangs on it. */
export function namespaceCell({ namespace }: ObjectReference, options: RenderOptions): Cell {
  return namespace === '' ? { text: '<cluster>', paint: styleOf(options).bold } : namespace;
}

function wideCells({ uid, rule, blockedBy }: PlannedObject): Cell[] {
  const blockers = blockedBy.slice(0, 3).map(({ kind, name }) => `${kind} ${name}`.trimEnd());
  const more = blockedBy.length - blockers.length;
  const text = blockers.join(', ') + (more > 0 ? ` and ${more} more` : '');
  return [uid, rule, text || '<none>'];
}

export const goingFates: ReadonlySet<Fate> = new Set(['deleted', 'recreated', 'terminating']);

/** In the order of a summary: what goes first. */
export const fatesInOrder: readonly Fate[] = [
  'deleted',
  'recreated',
  'terminating',
  'orphaned',
  'kept',
  'unknown',
];

/** Colours of fates. */
export function fatePaint(fate: Fate | 'untouched', options: RenderOptions): Paint | undefined {
  const style = styleOf(options);
  switch (fate) {
    case 'deleted':
    case 'recreated':
      return style.red;
    case 'terminating':
      return style.magenta;
    case 'orphaned':
      return style.yellow;
    case 'kept':
      return style.green;
    case 'unknown':
      return style.cyan;
    default:
      return undefined;
  }
}

/** What becomes of an object: nothing has happened yet. */
const resultOf: Readonly<Record<Fate | 'untouched', string>> = {
  deleted: 'will be deleted',
  recreated: 'will be recreated',
  terminating: 'will be stuck',
  orphaned: 'will be orphaned',
  kept: 'stays',
  unknown: 'unknown',
  untouched: 'untouched',
};

/** What becomes of it later, once the finalizers that others have set are removed. */
const laterOf: Readonly<Record<Fate, string>> = {
  deleted: 'deleted',
  recreated: 'recreated',
  terminating: 'still stuck',
  orphaned: 'orphaned',
  kept: 'stays',
  unknown: 'unknown',
};

/** `will be stuck`, or `will be stuck, then deleted`; `(likely)` where that depends on a program that may not run. */
export function fateWords(
  fate: Fate | 'untouched',
  then: Fate | undefined,
  likely: true | undefined,
): string {
  const words = then === undefined ? resultOf[fate] : `${resultOf[fate]}, then ${laterOf[then]}`;
  return likely ? `${words} (likely)` : words;
}

/** `12 will be deleted: 9 Pods, 2 ReplicaSets, 1 Deployment`, a line per fate, and how much of what goes is whole namespaces or in none. */
export function summaryLines(plan: Plan, options: RenderOptions): string[] {
  const kinds = new Map<Fate, Map<string, number>>();
  let namespaces = 0;
  let clusterScoped = 0;
  for (const object of plan.objects) {
    const { fate, kind, apiVersion, namespace } = object;
    const stays = (fate === 'kept' || fate === 'orphaned') && !goesThen(object);
    if (!stays && kind === 'Namespace' && apiVersion === 'v1') namespaces++;
    else if (!stays && namespace === '') clusterScoped++;
    // It does not stay: a line of its own says what it waits for.
    if (fate === 'kept' && !stays) continue;
    const counts = kinds.get(fate) ?? new Map<string, number>();
    kinds.set(fate, counts);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const { missing = [], unread = [] } = Object.groupBy(unreadOf(plan), ({ reason }) =>
    reason === 'not-in-input' ? 'missing' : 'unread',
  );
  const lines = fatesInOrder.flatMap((fate) => {
    const counts = kinds.get(fate);
    if (!counts) return [];
    const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const total = sorted.reduce((sum, [, count]) => sum + count, 0);
    const list = sorted.map(([kind, count]) => counted(count, printable(kind))).join(', ');
    const paint = fatePaint(fate, options) ?? String;
    const least = missing.length + unread.length > 0 && goingFates.has(fate) ? 'at least ' : '';
    return [`${paint(`${least}${countedResult(total, resultOf[fate])}`)}: ${list}`];
  });
  lines.push(...thenLines(plan));
  const wide = [
    ...(namespaces > 0
      ? [`${namespaces} whole ${namespaces > 1 ? 'namespaces' : 'namespace'}`]
      : []),
    ...(clusterScoped > 0 ? [`${clusterScoped} cluster-scoped`] : []),
  ];
  if (plan.requests.length > 0) {
    if (unread.length > 0) lines.push(`perhaps more: ${kindWords(unread)} could not be read`);
    if (missing.length > 0) lines.push(`perhaps more: the input has no ${kindWords(missing)}`);
  }
  if (wide.length > 0) lines.push(styleOf(options).bold(`among them ${wide.join(' and ')}`));
  return lines;
}

function kindWords(problems: readonly CoverageProblem[]): string {
  const kinds = problems.map(({ resource, apiVersion = 'something' }) => resource ?? apiVersion);
  return printable(kindsInWords([...new Set(kinds)]));
}

/** `3 objects will be deleted: 1 Db, 2 Pods; 2 of them only once ex.com/cleanup is removed from Db/prod`. */
function thenLines(plan: Plan): string[] {
  const late = plan.objects.filter(goesThen);
  if (late.length === 0) return [];
  const all = plan.objects.filter((object) => isGone(object.fate) || goesThen(object));
  const waits = late.flatMap(({ waitsFor = [] }) => waitsFor);
  const least = isOpen(plan) ? 'at least ' : '';
  const objects = `${all.length} ${all.length === 1 ? 'object' : 'objects'}`;
  const part = late.length === all.length ? '' : `${late.length} of them `;
  return [
    `${least}${objects} will be deleted: ${kindsOf(all)}; ${part}only once ${waitWords(waits)}`,
  ];
}

function isGone(fate: Fate): boolean {
  return fate === 'deleted' || fate === 'recreated';
}

function kindsOf(objects: readonly PlannedObject[]): string {
  const counts = kindCounts(objects.map(({ kind }) => kind));
  return counts.map(([kind, count]) => counted(count, printable(kind))).join(', ');
}

/** ` (not alive: 0 of 1 pods ready)`. */
function lifeWords(alive: FinalizerWait['alive'], because = ''): string {
  if (alive === undefined) return '';
  const words = { yes: 'alive', no: 'not alive', unknown: 'whether it is alive is not known' };
  return ` (${words[alive]}: ${because})`;
}

const shownWaits = 3;

/** `db-operator removes ex.com/cleanup from Db/prod and ex.com/data is removed from Db/test`. */
function waitWords(waits: readonly Wait[]): string {
  const removals = waits.filter((wait) => 'finalizer' in wait);
  const kubelets = waits.filter((wait) => 'kubelet' in wait);
  const nodes = Map.groupBy(kubelets, ({ kubelet }) => kubelet);
  const words = [...new Set(removals.map(removalWords)), ...[...nodes.values()].map(kubeletWords)];
  const more = words.length - shownWaits;
  const shown = words.slice(0, shownWaits);
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(' and ');
}

function removalWords({ finalizer, object, removedBy, alive, aliveBecause }: FinalizerWait) {
  const from = printable(`from ${object.kind}/${object.name}`);
  return removedBy === undefined
    ? `${printable(finalizer)} is removed ${from}`
    : `${printable(`${removedBy}${lifeWords(alive, aliveBecause)} removes ${finalizer}`)} ${from}`;
}

/** `the kubelet of Node worker-2 (not ready: …) confirms that Pod/web-1 has stopped`; all are of one Node. */
function kubeletWords(waits: readonly KubeletWait[]): string {
  const [first] = waits;
  if (!first) return '';
  const names = new Set(waits.map(({ object: { namespace, name } }) => `${namespace}/${name}`));
  const stopped =
    names.size === 1 ? `Pod/${first.object.name} has stopped` : `${names.size} Pods have stopped`;
  return printable(
    `the kubelet of Node ${first.kubelet} (not ready: ${first.aliveBecause}) confirms that ${stopped}`,
  );
}

/** Said first where the API server refuses all that was named. */
function nothingGoes({ requests, refusals = [] }: Plan): string[] {
  const isRefused = refusals.some(({ code }) => code === 'refused-by-server');
  return isRefused && requests.length === 0
    ? ['nothing will be deleted: the API server refuses it']
    : [];
}

/** `Would be refused: …`, and below it what allows it all the same. */
export function refusalLines({ refusals = [] }: Plan, options: RenderOptions): string[] {
  const { red } = styleOf(options);
  return refusals.flatMap(({ message, suggestions }) => [
    `${red('Would be refused:')} ${printable(message)}`,
    ...suggestions.map((suggestion) => `  ${printable(suggestion)}`),
  ]);
}

/** `Warning: …` and `Note: …`, warnings first. */
export function remarkLines(remarks: readonly PlanRemark[], options: RenderOptions): string[] {
  const style = styleOf(options);
  const warnings = remarks.filter(({ severity }) => severity === 'warning');
  const notes = remarks.filter(({ severity }) => severity === 'note');
  return [
    ...warnings.map(({ message }) => `${style.yellow('Warning:')} ${printable(message)}`),
    ...notes.map(({ message }) => `Note: ${printable(message)}`),
  ];
}
