import { createHmac } from 'node:crypto';
import { isWellKnownWord } from './well-known-words.ts';

/**
 * What is replaced as one: a uid, a time, an IPv4 address, a word. Signs between them stay.
 * @internal
 */
export const tokens = new RegExp(
  [
    '(?<![0-9A-Za-z])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Za-z])',
    '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[+-]\\d\\d:\\d\\d)',
    '(?<![0-9A-Za-z])\\d{1,3}([.-])\\d{1,3}\\1\\d{1,3}\\1\\d{1,3}(?![0-9A-Za-z])',
    '[0-9A-Za-z\\u0080-\\uffff]+',
  ].join('|'),
  'g',
);

const uid = /^[0-9A-Fa-f]{8}-/;
const time = /^\d{4}-\d\d-\d\dT/;
/** Ordinals, revisions, the minutes in the name of a CronJob's Job; longer ones may be an account's. */
const number = /^\d{1,9}$/;
/** As in `10m` and `512Mi`. */
const amount = /^(?:\d{1,9}(?:ns|us|ms|[smhd]|m|k|[KMGT]i?))+$/;

const letters = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
/** Of which random suffixes and hashes of pod templates are made (apimachinery's rand.SafeEncodeString). */
const random = 'bcdfghjklmnpqrstvwxz2456789';
const isRandom = new RegExp(`^(?:[${random}]{5}|[${random}]{8,10})$`);

function isKept(word: string): boolean {
  return number.test(word) || amount.test(word) || isWellKnownWord(word);
}

/** Words beyond that are not remembered: the same pseudonym is computed each time. */
const mostRemembered = 200_000;

/**
 * Stable pseudonyms for words: the same key and word give the same pseudonym, and without the key no
 * list of words leads back. Names are replaced word by word, so that what is derived from a name stays derived
 * from it: `web-0` of `web`, `db-example-com` of `db.example.com`, an image of its program. What a rule may
 * ask of a word stays as well: its upper and lower case, the length of a short one, the look of a random suffix.
 */
export class Pseudonyms {
  readonly #key: Uint8Array;
  readonly #words = new Map<string, string>();
  readonly #rounds = new Map<string, number>();

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** A name, a label, an image, a message: each word that is not Kubernetes' own is replaced. */
  text(text: string): string {
    return text.replace(tokens, (token) => this.#token(token));
  }

  #token(token: string): string {
    const known = this.#words.get(token);
    if (known !== undefined) return known;
    const pseudonym = this.#replace(token);
    if (this.#words.size >= mostRemembered) this.#words.clear();
    this.#words.set(token, pseudonym);
    return pseudonym;
  }

  #replace(token: string): string {
    if (uid.test(token)) return this.#uid(token.toLowerCase());
    if (time.test(token) || isKept(token)) return token;
    // A kind's list is asked for by this ending (GC-29c).
    if (/.List$/.test(token)) return `${this.#token(token.slice(0, -4))}List`;
    const lower = token.toLowerCase();
    const pseudonym = this.#word(lower);
    // `Database` and `database` are one word: a kind and its singular.
    return Array.from(pseudonym, (letter, at) =>
      token[at] === lower[at] ? letter : letter.toUpperCase(),
    ).join('');
  }

  #uid(text: string): string {
    const hex = this.#hash(`uid ${text}`).toString('hex');
    const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
    return [...parts, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
  }

  #word(word: string): string {
    if (isRandom.test(word)) return this.#shuffled(word, random, () => true);
    if (/^[a-z]{1,4}$/.test(word)) return this.#shuffled(word, letters, () => true);
    if (/^[a-z0-9]{1,4}$/.test(word)) {
      return this.#shuffled(word, letters + digits, (one) => /[a-z]/.test(one) && /\d/.test(one));
    }
    const hash = this.#hash(`word ${word}`);
    // A vowel, as it must not look random.
    return Array.from({ length: 10 }, (_, at) => {
      const from = at === 0 ? 'aeiou' : letters;
      return from.charAt((hash.readUInt16BE(2 * at) % from.length) | 0);
    }).join('');
  }

  /**
   * Another word of the same length and letters, and never the same for two words: so short ones do not
   * meet. A Feistel network with a keyed hash in its rounds, walked on until a word is allowed (Black and
   * Rogaway, Ciphers with Arbitrary Finite Domains, 2002).
   */
  #shuffled(word: string, alphabet: string, isAllowed: (word: string) => boolean): string {
    let shuffled = word;
    do shuffled = this.#permuted(shuffled, alphabet);
    while (!isAllowed(shuffled) || isKept(shuffled));
    return shuffled;
  }

  #permuted(word: string, alphabet: string): string {
    const half = word.length >> 1;
    const sizes = [alphabet.length ** half, alphabet.length ** (word.length - half)] as const;
    let left = numberOf(word.slice(0, half), alphabet);
    let right = numberOf(word.slice(half), alphabet);
    const kind = `${alphabet.length} ${word.length}`;
    for (let round = 0; round < 8; round += 2) {
      left = (left + this.#round(`${kind} ${round} ${right}`)) % sizes[0];
      right = (right + this.#round(`${kind} ${round + 1} ${left}`)) % sizes[1];
    }
    return wordOf(left, half, alphabet) + wordOf(right, word.length - half, alphabet);
  }

  #round(input: string): number {
    const known = this.#rounds.get(input);
    if (known !== undefined) return known;
    const value = this.#hash(`round ${input}`).readUInt32BE();
    if (this.#rounds.size >= mostRemembered) this.#rounds.clear();
    this.#rounds.set(input, value);
    return value;
  }

  #hash(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}

function numberOf(word: string, alphabet: string): number {
  let value = 0;
  for (const letter of word) value = value * alphabet.length + alphabet.indexOf(letter);
  return value;
}

function wordOf(value: number, length: number, alphabet: string): string {
  let word = '';
  for (let rest = value; word.length < length; rest = Math.floor(rest / alphabet.length)) {
    word = alphabet.charAt(rest % alphabet.length) + word;
  }
  return word;
}
