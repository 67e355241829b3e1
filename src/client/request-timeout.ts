import { usageError } from '../errors.ts';

const unitMilliseconds: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Reads kubectl's `--request-timeout`: whole seconds (`30`) or a Go duration (`1m30s`), in
 * milliseconds. 0 means no timeout. Throws a usage error for anything else.
 */
export function parseRequestTimeout(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  if (/^\+?\d+$/.test(text)) return Number(text) * 1000;
  const milliseconds = parseGoDuration(text);
  if (milliseconds === undefined) {
    throw usageError(
      'invalid-request-timeout',
      `--request-timeout "${text}" is not a length of time`,
      'Write whole seconds or a number with a unit: 30, 30s, 1m30s; 0 waits without limit.',
    );
  }
  return Math.max(0, milliseconds);
}

function parseGoDuration(text: string): number | undefined {
  const [, sign = '', parts = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (parts === '0') return 0;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(parts)) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of parts.matchAll(/([\d.]+)([a-zµμ]+)/g)) {
    total += Number(amount) * (unitMilliseconds[unit] ?? Number.NaN);
  }
  return sign === '-' ? -total : total;
}

/** Writes milliseconds as Go does: `300ms`, `1m30s`. */
export function goDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds}ms`;
  const seconds = milliseconds / 1000;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${Number((seconds % 60).toFixed(9))}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}
