const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** `90s`, `1m30s`, `0` in milliseconds, as Go's time.ParseDuration takes them; undefined for anything else. */
export function goDurationOf(text: string): number | undefined {
  const [, sign = '', parts = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (parts === '0') return 0;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(parts)) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of parts.matchAll(/([\d.]+)([a-zµμ]+)/g)) {
    total += Number(amount) * (units[unit] ?? 0);
  }
  return sign === '-' ? -total : total;
}
