import { NINE, ZERO } from '../../kube/ascii.ts';
import { bytesOf } from './byte-sets.ts';

/** Plain scalars that begin otherwise are strings. */
const mayBeOtherThanText = /^(?:$|[-+.0-9yYnNtTfFoO~])/;

const words: ReadonlyMap<string, string | boolean | number | null> = new Map<
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
  const word = text.length <= longestWord ? words.get(text) : undefined;
  if (word !== undefined) return word;
  if (!mayBeNumber.test(text)) return text;
  const digits = text.includes('_') ? text.replaceAll('_', '') : text;
  for (const [pattern, base] of integers) {
    if (pattern.test(digits)) return integer(digits, base);
  }
  const number = float.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(number) ? number : text;
}

/** Whole numbers of so many digits are written as JavaScript writes them. */
const mostExactDigits = 15;

/** By their bytes: what scalars begin with that may be other than text, of these what numbers begin with, and what is in them. */
const startsOther = bytesOf(mayBeOtherThanText);
const startsNumber = bytesOf(/[-+.0-9]/);
const isInNumber = bytesOf(/[-+.0-9_a-fA-FoOxX]/);
const isDigit = bytesOf(/[0-9]/);
const jsonWords = ['null', 'true', 'false'].map((word) => Buffer.from(word));
const wordNumbers = new Set(
  [...words.keys()].map((word) => numberOfWord(Buffer.from(word), 0, word.length)),
);

/** May yamlScalar make anything but a string of these bytes, which are not empty? */
export function isOddScalar(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start] as number;
  if (startsOther[first] === 0) return false;
  if (end - start <= longestWord && wordNumbers.has(numberOfWord(bytes, start, end))) return true;
  if (startsNumber[first] === 0) return false;
  let hasDigit = false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (isInNumber[byte] === 0) return false;
    hasDigit ||= byte >= ZERO && byte <= NINE;
  }
  return hasDigit;
}

/** A number of its own for each few bytes. */
function numberOfWord(bytes: Uint8Array, start: number, end: number): number {
  let number = 1;
  for (let at = start; at < end; at++) number = number * 256 + (bytes[at] as number);
  return number;
}

/** A whole number or word that JSON writes alike. */
export function isJsonScalar(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > mostExactDigits) return false;
  if (isDigit[bytes[start] as number] === 0)
    return jsonWords.some((word) => isWord(word, bytes, start, end));
  if (bytes[start] === ZERO) return end === start + 1;
  for (let at = start; at < end; at++) if (isDigit[bytes[at] as number] === 0) return false;
  return true;
}

function isWord(word: Buffer, bytes: Uint8Array, start: number, end: number): boolean {
  if (word.length !== end - start) return false;
  for (let at = 0; at < word.length; at++) if (bytes[start + at] !== word[at]) return false;
  return true;
}

function integer(digits: string, base: number): number {
  if (base === 10) return Number(digits);
  const sign = digits.startsWith('-') ? -1 : 1;
  return sign * Number.parseInt(digits.replace(/^[-+]?0[oOxXbB]?(?=.)/, ''), base);
}

function entries<T>(value: T, spellings: string): [string, T][] {
  return spellings.split(' ').map((spelling) => [spelling, value]);
}
