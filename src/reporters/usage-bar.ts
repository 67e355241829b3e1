const width = 20;

/** A bar of 20 signs: `#` used, `-` free, `|` where the high threshold is. */
export function usageBar(usedPercent: number, highThresholdPercent: number): string {
  const used = Math.round((Math.min(100, Math.max(0, usedPercent)) * width) / 100);
  const mark = Math.min(width - 1, Math.floor((highThresholdPercent * width) / 100));
  const signs: string[] = Array.from({ length: width }, (_, at) => (at < used ? '#' : '-'));
  signs[mark] = '|';
  return `[${signs.join('')}]`;
}
