import { randomInt } from 'node:crypto';
import {
  decodeRecord,
  decodeSnapshotHeader,
  savedHeaderOf,
  savedObjectOf,
} from '../../files/saved-snapshot.ts';
import { type Json, jsonOf, textOf } from '../../kube/json-value.ts';
import { byContent } from '../../kube/object-record.ts';
import { decodeSettings, encodeSettings } from '../../settings/settings-facts.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { Evidence } from '../../snapshot/evidence.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { savedQueries } from '../../why/answer-from-snapshot.ts';
import { queryKey } from '../../why/inquiry.ts';
import { isWellKnownWord } from './well-known-words.ts';

/** Where in the file a string, or the names of fields, must be read as they are: they contain no name of the cluster. */
const readAsTheyAre: ReadonlySet<string> = new Set([
  // Of a bootstrap token: the reader takes a time, and nothing else.
  '/data/expiration',
  '/spec/schedule',
  '/spec/timeZone',
  '/evidence/answers/key',
  ...[
    'commandLine/flags/controllers',
    'commandLine/flags/feature-gates',
    'configuration/fields/featureGates',
  ].map((names) => `/evidence/settings/programs/${names}`),
]);

/**
 * The snapshot with pseudonyms for every name, of which rules find the same. What would be written to the file is
 * redacted as it stands there, and read again: a field that the reader does not know is left out, and in the
 * others no word stays that is not well known.
 */
export function redactSnapshot(snapshot: Snapshot, pseudonyms = new Pseudonyms()): Snapshot {
  const redact = (saved: object) => redacted(saved, '', (text) => pseudonyms.text(text)) as Json;
  const { coverage, failedGroupVersions, evidence, ...others } = savedHeaderOf(snapshot);
  const header = decodeSnapshotHeader(
    redact({
      ...others,
      coverage: { ...coverage, problems: coverage.problems.map(withoutSentence) },
      failedGroupVersions: failedGroupVersions.map((failed) => {
        const { group, version } = failed;
        const what = version === undefined ? group : `${group}/${version}`;
        return { ...failed, message: `discovery of ${what} failed` };
      }),
      evidence: evidence && publicEvidence(evidence),
    }),
  );
  const records = snapshot.records.map((record) =>
    decodeRecord(redact(savedObjectOf(record, snapshot.types)), header.types),
  );
  return { ...header, records: records.sort(byContent) };
}

/** Each string is replaced, and each name of a field: those of Kubernetes and of the format are well known. */
function redacted(value: unknown, path: string, text: (text: string) => string): unknown {
  const stays = readAsTheyAre.has(path);
  if (typeof value === 'string') {
    const isNumber = path === '/metadata/resourceVersion' && /^\d+$/.test(value);
    return stays || isNumber ? value : text(value);
  }
  if (Array.isArray(value)) {
    const list = value.map((entry) => redacted(entry, path, text));
    // Lists in the order of names get the order of the pseudonyms: the old order would reveal the names.
    return path === '/coverage/read/namespaces' ? list.sort() : list;
  }
  const json = jsonOf(value);
  if (!json) return value;
  const entries = Object.entries(json).map(
    ([name, entry]) =>
      [stays ? name : text(name), redacted(entry, `${path}/${name}`, text)] as const,
  );
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Its sentence quotes a server or a file, which may say anything: another takes its place. */
function withoutSentence(problem: CoverageProblem): CoverageProblem {
  const { reason, resource, apiVersion, namespace, path } = problem;
  const what = resource ?? apiVersion ?? path ?? 'a part of the input';
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return { ...problem, message: `${what}${where} could not be read: ${reason}` };
}

const savedKeys: ReadonlySet<string> = new Set(savedQueries.map(queryKey));

/**
 * Kept settings are those that rules use. Questions that every snapshot answers contain no name of the
 * cluster; others are left out. The reports of kubelets about images and containers are left out, too: their paths and
 * digests cannot be replaced consistently.
 */
function publicEvidence({ settings, nodes: _, answers, ...others }: Evidence): Evidence {
  return {
    ...others,
    ...(settings && { settings: encodeSettings(decodeSettings(settings)) }),
    ...(answers && { answers: answers.filter(({ key }) => savedKeys.has(textOf(key) ?? '')) }),
  };
}

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
const timestampPattern = /^\d{4}-\d\d-\d\dT/;
/** Ordinals, revisions, the minutes in the name of a CronJob's Job; longer ones may be an account's. */
const number = /^\d{1,9}$/;
/** As in `10m` and `512Mi`. */
const amount = /^(?:\d{1,9}(?:ns|us|ms|[smhd]|k|[KMGT]i?))+$/;

const letters = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const hex = '0123456789abcdef';
/** Of which random suffixes and hashes of pod templates are made (apimachinery's rand.SafeEncodeString). */
const random = 'bcdfghjklmnpqrstvwxz2456789';
const isRandom = new RegExp(`^(?:[${random}]{5}|[${random}]{8,10})$`);

function isKept(word: string): boolean {
  return number.test(word) || amount.test(word) || isWellKnownWord(word);
}

/**
 * Pseudonyms for words, drawn by chance: the same word has the same one as long as this lives, and no list of words
 * leads back. Names are replaced word by word, so that what is derived from a name stays derived
 * from it: `web-0` of `web`, `db-example-com` of `db.example.com`, an image of its program. What a rule may
 * ask of a word stays as well: its upper and lower case, the length of a short one, the look of a random suffix.
 */
export class Pseudonyms {
  /** Chooses a number from 0 on below another. */
  readonly #choose: (below: number) => number;
  readonly #known = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(choose: (below: number) => number = randomInt) {
    this.#choose = choose;
  }

  /** A name, a label, an image, a message: each word that is not Kubernetes' own is replaced. */
  text(text: string): string {
    return text.replace(tokens, (token) => this.#token(token));
  }

  #token(token: string): string {
    const lower = token.toLowerCase();
    if (uid.test(token)) return this.#of(lower);
    if (timestampPattern.test(token) || isKept(token)) return token;
    // A kind's list is asked for by this ending (GC-29c).
    if (/.List$/.test(token)) return `${this.#token(token.slice(0, -4))}List`;
    // `Database` and `database` are one word: a kind and its singular.
    return Array.from(this.#of(lower), (letter, at) =>
      token[at] === lower[at] ? letter : letter.toUpperCase(),
    ).join('');
  }

  /** Never the same for two words. */
  #of(word: string): string {
    const known = this.#known.get(word);
    if (known !== undefined) return known;
    let pseudonym: string;
    do pseudonym = this.#like(word);
    while (this.#taken.has(pseudonym) || isKept(pseudonym));
    this.#taken.add(pseudonym);
    this.#known.set(word, pseudonym);
    return pseudonym;
  }

  #like(word: string): string {
    if (uid.test(word)) {
      const [a, b, c, d, e] = [8, 4, 3, 3, 12].map((length) => this.#drawn(length, hex));
      return `${a}-${b}-4${c}-a${d}-${e}`;
    }
    if (isRandom.test(word)) return this.#drawn(word.length, random);
    if (/^[a-z]{1,4}$/.test(word)) return this.#drawn(word.length, letters);
    if (/^[a-z0-9]{1,4}$/.test(word)) {
      const drawn = this.#drawn(word.length, letters + digits);
      return /[a-z]/.test(drawn) && /\d/.test(drawn) ? drawn : this.#like(word);
    }
    // A vowel, as it must not look random.
    return this.#drawn(1, 'aeiou') + this.#drawn(9, letters);
  }

  #drawn(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet.charAt(this.#choose(alphabet.length))).join('');
  }
}
