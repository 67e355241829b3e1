import type { Fate, Plan, PlanRemark } from '../../deletion/plan/plan.ts';
import { kindsInWords, unreadOf } from '../../deletion/plan/unread-content.ts';
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

const goingFates: ReadonlySet<Fate> = new Set(['deleted', 'recreated', 'terminating']);

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

/** `12 deleted: 9 Pod, 2 ReplicaSet, 1 Deployment`, a line per fate, and how much of what goes is whole namespaces or in none. */
export function summaryLines(plan: Plan, options: RenderOptions): string[] {
  const kinds = new Map<Fate, Map<string, number>>();
  let namespaces = 0;
  let clusterScoped = 0;
  for (const { fate, kind, apiVersion, namespace } of plan.objects) {
    const counts = kinds.get(fate) ?? new Map<string, number>();
    kinds.set(fate, counts);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (fate === 'kept' || fate === 'orphaned') continue;
    if (kind === 'Namespace' && apiVersion === 'v1') namespaces++;
    else if (namespace === '') clusterScoped++;
  }
  const unread = unreadOf(plan).map(
    ({ resource, apiVersion = 'something' }) => resource ?? apiVersion,
  );
  const lines = fatesInOrder.flatMap((fate) => {
    const counts = kinds.get(fate);
    if (!counts) return [];
    const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const total = sorted.reduce((sum, [, count]) => sum + count, 0);
    const list = sorted.map(([kind, count]) => `${count} ${printable(kind)}`).join(', ');
    const paint = fatePaint(fate, options) ?? String;
    const least = unread.length > 0 && goingFates.has(fate) ? 'at least ' : '';
    return [`${paint(`${least}${total} ${fate}`)}: ${list}`];
  });
  const wide = [
    ...(namespaces > 0
      ? [`${namespaces} whole ${namespaces > 1 ? 'namespaces' : 'namespace'}`]
      : []),
    ...(clusterScoped > 0 ? [`${clusterScoped} cluster-scoped`] : []),
  ];
  if (unread.length > 0 && plan.requests.length > 0) {
    lines.push(`perhaps more: ${printable(kindsInWords([...new Set(unread)]))} could not be read`);
  }
  if (wide.length > 0) lines.push(styleOf(options).bold(`among them ${wide.join(' and ')}`));
  return lines;
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
