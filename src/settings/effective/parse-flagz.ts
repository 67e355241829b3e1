/** The flags in the text of a component's /flagz, by name without dashes; undefined: it is none. */
export function parseFlagz(text: string): ReadonlyMap<string, string> | undefined {
  const flags = new Map<string, string>();
  for (const line of text.split('\n')) {
    const match = /^\s*(?:--)?([a-z][a-z\d-]+)\s*=\s?(.*?)\s*$/.exec(line);
    if (match) flags.set(match[1] ?? '', match[2] ?? '');
  }
  return flags.size === 0 ? undefined : flags;
}
