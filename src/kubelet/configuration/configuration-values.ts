import { formatGoDuration, parseGoDuration } from '../../kube/go-syntax.ts';

/** Reads the fields of a KubeletConfiguration that was decoded, with upstream's defaults filled in. */
export class ConfigurationValues {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  isSet(field: string): boolean {
    const value = this.#fields[field];
    return value !== undefined && value !== null;
  }

  /** `fallback` is used if the field is not set. */
  number(field: string, fallback: number): number {
    const value = this.#fields[field];
    return typeof value === 'number' ? value : fallback;
  }

  /** The same where 0 counts as not set. */
  numberOr(field: string, fallback: number): number {
    return this.number(field, fallback) || fallback;
  }

  text(field: string, fallback = ''): string {
    const value = this.#fields[field];
    return typeof value === 'string' && value !== '' ? value : fallback;
  }

  flag(field: string, fallback: boolean): boolean {
    const value = this.#fields[field];
    return typeof value === 'boolean' ? value : fallback;
  }

  /** Milliseconds. */
  duration(field: string, fallback = 0): number {
    const value = this.#fields[field];
    return (typeof value === 'string' ? parseGoDuration(value) : undefined) ?? fallback;
  }

  texts(field: string, fallback: readonly string[] = []): readonly string[] {
    const value = this.#fields[field];
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : fallback;
  }

  count(field: string): number {
    const value = this.#fields[field];
    return Array.isArray(value) ? value.length : 0;
  }

  /** The fields of a field. */
  inside(field: string): ConfigurationValues {
    const value = this.#fields[field];
    const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
    return new ConfigurationValues(isMapping ? (value as Record<string, unknown>) : {});
  }
}

/** As Go prints a metav1.Duration: `{30s}`. */
export function printedDuration(milliseconds: number): string {
  return `{${formatGoDuration(milliseconds)}}`;
}
