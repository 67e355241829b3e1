import { usageError } from '../errors.ts';
import { jsonOf } from '../kube/json-value.ts';
import { didYouMean } from '../kube/names.ts';

export function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  return jsonOf(value) ?? refuse(`${what} is not a map of keys and values`);
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
    refuse(why, didYouMean(other, known));
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
