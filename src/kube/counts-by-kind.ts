import { compareText } from './names.ts';

/** How many of each kind, the most first. */
export function kindCounts(kinds: Iterable<string>): [string, number][] {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || compareText(a, b));
}

/** `12 Pods, 1 Secret`: the most first. */
export function countsByKind(objects: readonly { readonly kind: string }[]): string {
  return kindCounts(objects.map(({ kind }) => kind))
    .map(([kind, count]) => counted(count, kind))
    .join(', ');
}

/** `1 Pod`, `3 Pods`, `2 NetworkPolicies`, `2 Endpoints`. */
export function counted(count: number, kind: string): string {
  if (count === 1 || kind === 'Endpoints') return `${count} ${kind}`;
  if (/(s|x|ch|sh)$/i.test(kind)) return `${count} ${kind}es`;
  if (/[^aeiou]y$/.test(kind)) return `${count} ${kind.slice(0, -1)}ies`;
  return `${count} ${kind}s`;
}

/** `a, b and 7 more`; `more` where `names` are not all of them. */
export function firstOf(names: readonly string[], most = 3, more = names.length - most): string {
  const shown = names.slice(0, most).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** `widgets.example.com`, `a, b and 7 more kinds`. */
export function kindsInWords(resources: readonly string[]): string {
  return firstOf(resources) + (resources.length > 3 ? ' kinds' : '');
}
