/**
 * The flags in the text of a component's /flagz, by name without dashes; undefined: it is none.
 * Upstream separates names and values at random, by one of `:`, `: `, `=` and a space.
 */
export function parseFlagz(text: string): ReadonlyMap<string, string> | undefined {
  const flags = new Map<string, string>();
  for (const line of text.split('\n')) {
    const match = /^\s*(?:--)?([a-z][a-z\d-]*)(?:: ?| ?= ?| )(.*?)\s*$/.exec(line);
    // The heading: `kube-apiserver flagz`.
    if (!match || match[2] === 'flagz') continue;
    flags.set(match[1] ?? '', match[2] ?? '');
  }
  return flags.size === 0 ? undefined : flags;
}
