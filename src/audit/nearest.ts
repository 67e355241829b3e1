import { distance } from '../kube/type-argument.ts';

/** `Did you mean missing-owner?`, where one of the names is close to the word; else nothing. */
export function nearest(word: string, names: readonly string[]): string[] {
  const [best] = names
    .map((name) => ({ name, off: distance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.off - b.off);
  const isClose = best !== undefined && best.off <= Math.max(2, Math.floor(word.length / 3));
  return isClose ? [`Did you mean ${best.name}?`] : [];
}
