/** Plain scalars that begin otherwise are strings. */
const mayBeOtherThanText = /^(?:$|[-+.0-9yYnNtTfFoO~])/;

const scalarWords: ReadonlyMap<string, string | boolean | number | null> = new Map<
  string,
  string | boolean | number | null
>([
  ...entries(true, 'y Y yes Yes YES true True TRUE on On ON'),
  ...entries(false, 'n N no No NO false False FALSE off Off OFF'),
  ...entries(null, '~ null Null NULL'),
  ['', null],
  ...entries(Number.NaN, '.nan .NaN .NAN'),
  ...entries(Number.POSITIVE_INFINITY, '.inf .Inf .INF +.inf +.Inf +.INF'),
  ...entries(Number.NEGATIVE_INFINITY, '-.inf -.Inf -.INF'),
]);

/** Of these words. */
const longestWord = 5;

const mayBeNumber = /^[-+.0-9][-+.0-9_a-fA-FoOxX]*$/;
const integers: readonly (readonly [RegExp, number])[] = [
  [/^[-+]?(?:0|[1-9][0-9]*)$/, 10],
  [/^[-+]?0[oO]?[0-7]+$/, 8],
  [/^[-+]?0[xX][0-9a-fA-F]+$/, 16],
  [/^[-+]?0[bB][01]+$/, 2],
];
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/**
 * What an unquoted scalar means to Kubernetes. Mirrors resolve() of go.yaml.in/yaml/v2, which
 * sigs.k8s.io/yaml uses: YAML 1.1, but no base 60, and timestamps stay as they are written.
 */
export function yamlScalar(text: string): string | boolean | number | null {
  if (!mayBeOtherThanText.test(text)) return text;
  const word = text.length <= longestWord ? scalarWords.get(text) : undefined;
  if (word !== undefined) return word;
  if (!mayBeNumber.test(text)) return text;
  const digits = text.includes('_') ? text.replaceAll('_', '') : text;
  for (const [pattern, base] of integers) {
    if (pattern.test(digits)) return integer(digits, base);
  }
  const number = float.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(number) ? number : text;
}

function integer(digits: string, base: number): number {
  if (base === 10) return Number(digits);
  const sign = digits.startsWith('-') ? -1 : 1;
  return sign * Number.parseInt(digits.replace(/^[-+]?0[oOxXbB]?(?=.)/, ''), base);
}

function entries<T>(value: T, spellings: string): [string, T][] {
  return spellings.split(' ').map((spelling) => [spelling, value]);
}
