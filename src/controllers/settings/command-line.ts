/** The flags that a program was started with, of those that a setting is about. */
export interface CommandLine {
  /** What was written, by the name of the flag without dashes; several values when it was repeated. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** Why some flags may have been missed; undefined: all were read. */
  readonly unclear: string | undefined;
}

/** A switch may stand alone, as in `--leader-elect`; undefined: no setting is about it. */
export type FlagKind = 'switch' | 'value' | undefined;

/** Reads arguments as upstream does: `--flag=value`, `--flag value`, `--switch`, `_` for `-`. */
export function parseCommandLine(
  words: readonly string[],
  kindOf: (flag: string) => FlagKind,
): CommandLine {
  const flags = new Map<string, string[]>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') break;
    const [, written = '', given] = /^--([^=\s]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
    const flag = written.replaceAll('_', '-');
    const kind = kindOf(flag);
    if (kind === undefined) continue;
    // Upstream takes what follows for the value, whatever it looks like.
    const value = given ?? (kind === 'switch' ? 'true' : words[++at]);
    if (value !== undefined) flags.set(flag, [...(flags.get(flag) ?? []), value]);
  }
  return { flags, unclear: undefined };
}
