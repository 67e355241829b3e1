import { usageError } from '../errors.ts';
import { distance } from '../kube/type-argument.ts';

export function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  return refuse(`${what} is not a map of keys and values`);
}

export function asList(value: unknown, what: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(`${what} is not a list`);
}

export function asText(value: unknown, what: string): string {
  return typeof value === 'string' && value.trim() !== '' ? value : refuse(`${what} is not a text`);
}

/** A misspelt key would be ignored silently, and with it what it should have done. */
export function refuseOthers(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  prefix: string,
): void {
  const other = Object.keys(value).find((key) => !known.includes(key));
  if (other !== undefined) {
    const why = `there is no key ${prefix}${other}; known are ${known.join(', ')}`;
    refuse(why, nearest(other, known));
  }
}

export function refuse(why: string, hints: readonly string[] = []): never {
  throw usageError(
    'invalid-config',
    `the configuration is wrong: ${why}`,
    ...hints,
    'docs/commands/audit.md shows one that is right.',
  );
}

/** `Did you mean missing-owner?`, where one of the names is close to the word; else nothing. */
export function nearest(word: string, names: readonly string[]): string[] {
  const [best] = names
    .map((name) => ({ name, off: distance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.off - b.off);
  const isClose = best !== undefined && best.off <= Math.max(2, Math.floor(word.length / 3));
  return isClose ? [`Did you mean ${best.name}?`] : [];
}
