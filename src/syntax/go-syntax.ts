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

/** A duration as Go's time.ParseDuration takes it: milliseconds, or Go's words for why it is none. */
function readGoDuration(text: string): { readonly value: number } | { readonly fault: string } {
  const written = JSON.stringify(text);
  const invalid = { fault: `time: invalid duration ${written}` };
  const sign = text.startsWith('-') ? -1 : 1;
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return { value: 0 };
  if (rest === '') return invalid;
  let sum = 0;
  while (rest !== '') {
    const [whole = '', amount, unit = ''] = /^(\d+\.?\d*|\.\d+)([^.\d]*)/.exec(rest) ?? [];
    if (amount === undefined) return invalid;
    if (unit === '') return { fault: `time: missing unit in duration ${written}` };
    const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
    if (factor === undefined) {
      return { fault: `time: unknown unit ${JSON.stringify(unit)} in duration ${written}` };
    }
    sum += Number(amount) * factor;
    rest = rest.slice(whole.length);
  }
  return { value: sign * sum };
}

/** Milliseconds of a Go duration (`2m`, `72h`, `1h30m`, `-1s`); undefined for anything else, `3d` too. */
export function parseGoDuration(text: string): number | undefined {
  const read = readGoDuration(text);
  return 'value' in read ? read.value : undefined;
}

/** Go's error for an invalid duration: `time: unknown unit "d" in duration "3d"`. */
export function goDurationFault(text: string): string | undefined {
  const read = readGoDuration(text);
  return 'fault' in read ? read.fault : undefined;
}

/** Milliseconds as Go prints them: `0s`, `2m0s`, `72h0m0s`, `1.5s`, `250ms`. */
export function formatGoDuration(milliseconds: number): string {
  if (milliseconds < 0) return `-${formatGoDuration(-milliseconds)}`;
  if (milliseconds === 0) return '0s';
  if (milliseconds < 1e-3) return `${Math.round(milliseconds * 1e6)}ns`;
  if (milliseconds < 1) return `${Math.round(milliseconds * 1e6) / 1e3}µs`;
  if (milliseconds < 1000) return `${Math.round(milliseconds * 1e6) / 1e6}ms`;
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = `${Math.round((milliseconds - minutes * 60_000) * 1e6) / 1e9}s`;
  if (minutes === 0) return seconds;
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes}m${seconds}` : `${hours}h${minutes % 60}m${seconds}`;
}

/** true or false as Go's strconv.ParseBool reads them; undefined for anything else. */
export function parseGoBool(text: string): boolean | undefined {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : undefined;
}

/** A whole number as Go's strconv.ParseInt reads it with base 0, as pflag has it; undefined for anything else. */
export function parseGoInt(text: string): number | undefined {
  const match = /^([+-]?)(0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO]?[0-7_]+|[1-9][\d_]*|0)$/.exec(text);
  if (!match) return undefined;
  const [, sign, digits = ''] = match;
  const plain = digits.replaceAll('_', '').replace(/^0(?=[0-7])/, '0o');
  return Number(plain) * (sign === '-' ? -1 : 1);
}

/** A decimal number as Go's strconv.ParseFloat reads it; undefined for anything else. */
export function parseGoFloat(text: string): number | undefined {
  return /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

/** The error of Go's strconv for a value that it cannot read. */
export function goSyntaxFault(
  parser: 'ParseBool' | 'ParseInt' | 'ParseFloat',
  text: string,
): string {
  return `strconv.${parser}: parsing ${JSON.stringify(text)}: invalid syntax`;
}

const suffixes: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

const shape = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:[eE]([+-]?\d+)|([a-zA-Z]*))$/;

/** The number that a Kubernetes quantity stands for (`100Mi`, `1.5G`, `1e9`); undefined for anything else. */
export function parseQuantity(text: string): number | undefined {
  const [, digits, exponent, suffix = ''] = shape.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const factor = exponent === undefined ? suffixes[suffix] : 10 ** Number(exponent);
  return factor === undefined ? undefined : Number(digits) * factor;
}
