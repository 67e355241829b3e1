import { goesThen, isOpen } from '../../deletion/plan/going.ts';
import type {
  Fate,
  FinalizerWait,
  Plan,
  PlannedObject,
  PlanRemark,
} from '../../deletion/plan/plan.ts';
import { kindCounts } from '../../kube/counts-by-kind.ts';
import { printable } from '../printable.ts';
import { type RenderOptions, styleOf } from '../style.ts';

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
export function fatePaint(
  fate: Fate | 'untouched',
  options: RenderOptions,
): ((text: string) => string) | undefined {
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

/** `terminating`, or `terminating, then deleted`; `(likely)` where that depends on a program that may not run. */
export function fateWords(
  fate: Fate | 'untouched',
  then: Fate | undefined,
  likely: true | undefined,
): string {
  const words = then === undefined ? fate : `${fate}, then ${then}`;
  return likely ? `${words} (likely)` : words;
}

/** `12 deleted: 9 Pod, 2 ReplicaSet, 1 Deployment`, a line per fate, and what is not within a namespace. */
export function summaryLines(plan: Plan, options: RenderOptions): string[] {
  const { objects } = plan;
  const kinds = new Map<Fate, Map<string, number>>();
  let namespaces = 0;
  let clusterScoped = 0;
  for (const object of objects) {
    const { fate, kind, apiVersion, namespace } = object;
    if (kind === 'Namespace' && apiVersion === 'v1') namespaces++;
    else if (namespace === '') clusterScoped++;
    // It does not stay: a line of its own says what it waits for.
    if (fate === 'kept' && goesThen(object)) continue;
    const counts = kinds.get(fate) ?? new Map<string, number>();
    kinds.set(fate, counts);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const lines = fatesInOrder.flatMap((fate) => {
    const counts = kinds.get(fate);
    if (!counts) return [];
    const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const total = sorted.reduce((sum, [, count]) => sum + count, 0);
    const list = sorted.map(([kind, count]) => `${count} ${printable(kind)}`).join(', ');
    const paint = fatePaint(fate, options) ?? String;
    return [`${paint(`${total} ${fate}`)}: ${list}`];
  });
  lines.push(...thenLines(plan));
  const wide = [
    ...(namespaces > 0
      ? [`${namespaces} whole ${namespaces > 1 ? 'namespaces' : 'namespace'}`]
      : []),
    ...(clusterScoped > 0 ? [`${clusterScoped} cluster-scoped`] : []),
  ];
  if (wide.length > 0) lines.push(styleOf(options).bold(`among them ${wide.join(' and ')}`));
  return lines;
}

/** `3 objects will be deleted: 1 Db, 2 Pod; 2 of them once ex.com/cleanup is removed from Db/prod`. */
function thenLines(plan: Plan): string[] {
  const late = plan.objects.filter(goesThen);
  if (late.length === 0) return [];
  const all = plan.objects.filter((object) => isGone(object.fate) || goesThen(object));
  // What is marked at once waits, too; what is reached only then is what the words are about.
  const reached = late.filter(({ fate }) => fate !== 'terminating');
  const waiting = reached.length > 0 ? reached : late;
  const waits = waiting.flatMap(({ waitsFor = [] }) => waitsFor);
  const least = isOpen(plan) ? 'at least ' : '';
  const objects = `${all.length} ${all.length === 1 ? 'object' : 'objects'}`;
  const part = waiting.length === all.length ? '' : `${waiting.length} of them `;
  return [`${least}${objects} will be deleted: ${kindsOf(all)}; ${part}once ${waitWords(waits)}`];
}

function isGone(fate: Fate): boolean {
  return fate === 'deleted' || fate === 'recreated';
}

function kindsOf(objects: readonly PlannedObject[]): string {
  const counts = kindCounts(objects.map(({ kind }) => kind));
  return counts.map(([kind, count]) => `${count} ${printable(kind)}`).join(', ');
}

const shownWaits = 3;

/** `db-operator removes ex.com/cleanup from Db/prod and ex.com/data is removed from Db/test`. */
function waitWords(waits: readonly FinalizerWait[]): string {
  const words = [
    ...new Set(
      waits.map(({ finalizer, object: { kind, name }, removedBy }) => {
        const from = printable(`from ${kind}/${name}`);
        return removedBy === undefined
          ? `${printable(finalizer)} is removed ${from}`
          : `${printable(removedBy)} removes ${printable(finalizer)} ${from}`;
      }),
    ),
  ];
  const more = words.length - shownWaits;
  const shown = words.slice(0, shownWaits);
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(' and ');
}

/** `warning: …` and `note: …`, warnings first. */
export function remarkLines(remarks: readonly PlanRemark[], options: RenderOptions): string[] {
  const style = styleOf(options);
  const warnings = remarks.filter(({ severity }) => severity === 'warning');
  const notes = remarks.filter(({ severity }) => severity === 'note');
  return [
    ...warnings.map(({ message }) => `${style.yellow('warning:')} ${printable(message)}`),
    ...notes.map(({ message }) => `note: ${printable(message)}`),
  ];
}
