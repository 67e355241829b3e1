import type { PageData, PageObject } from '../output/pages/page-data.ts';

/** The facts that are searched. The others are sentences that name other objects: a search for those would find this one. */
const searched = new Set(['Severity', 'Rule', 'Status']);

/** The objects that have all of these words in their kind, name, namespace, uid, state or findings; undefined without words. */
export function matchesOf({ objects }: PageData, text: string): PageObject[] | undefined {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return undefined;
  return objects.filter(({ kind, name, namespace, uid, state, facts }) => {
    const texts = facts.flatMap(([label, text]) => (searched.has(label) ? text : []));
    const all = [`${kind}/${name}`, namespace, uid, state.words, ...texts].join('\n').toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
