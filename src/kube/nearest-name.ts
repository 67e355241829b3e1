/** The name that was probably meant: the one spelt most alike, whatever its case; undefined where none is close. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, off: distance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.off - b.off);
  return best && best.off <= Math.max(2, Math.floor(word.length / 3)) ? best.name : undefined;
}

/** `Did you mean missing-owner?`, or nothing. */
export function didYouMean(word: string, names: readonly string[]): string[] {
  const near = nearestName(word, names);
  return near === undefined ? [] : [`Did you mean ${near}?`];
}

/** Levenshtein distance. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, change));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
