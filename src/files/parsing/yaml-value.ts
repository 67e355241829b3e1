// Named one by one, the rest of the package is not in the bundle.
import {
  type AliasEvent,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from 'js-yaml';
import { linesBefore, ParseFailure } from './parse-json.ts';
import { yamlScalar } from './yaml-scalar.ts';
import { isCutDifferently, withPlainTokens } from './yaml-tokens.ts';

const missing = 'a missing quote, bracket, comma, colon or space';
/** In our words: the parser's own messages quote the document. */
const faults: readonly (readonly [RegExp, string])[] = [
  [/^tab characters/, 'a tab in the indentation'],
  [/escape sequence|hexadecimal/, 'a bad escape in a double-quoted string'],
  [/^nesting exceeded/, 'it is nested too deeply'],
  [/within a |comma|':'|whitespace|line break/, missing],
  [/multiline key/, 'a key that spans lines'],
  [/indentation/, 'wrong indentation, or a sign that is not allowed there'],
];

function failureOf(text: string, { reason, mark }: YAMLException): ParseFailure {
  const at = mark?.position ?? 0;
  // What ends too early misses something.
  const isCut = reason.includes('indentation') && at >= text.trimEnd().length;
  const fault = isCut ? missing : faults.find(([words]) => words.test(reason))?.[1];
  const message = fault === undefined ? 'invalid YAML' : `invalid YAML: ${fault}`;
  return new ParseFailure(message, linesBefore(text, at));
}

/** Kubernetes' objects are far from it; each level takes some of the stack. */
const maxDepth = 500;

/** Also in quotes, where the parser takes them: yaml_parser_update_buffer, readerc.go of go.yaml.in/yaml/v2. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no document may contain.
const unprintable = /[\0-\x08\v\f\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/** Reads one document as Kubernetes does; what follows it is refused, or left unread where only the first counts. Throws ParseFailure. */
export function yamlValue(text: string, only?: 'first'): unknown {
  const at = text.search(unprintable);
  if (at >= 0) throw new ParseFailure('invalid YAML: a control character', linesBefore(text, at));
  const isOther = text.length <= longestOther && isCutDifferently.test(text);
  const usual = isOther ? withPlainTokens(text) : text;
  try {
    return valueIn(usual, only);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const other = valueOfOtherTokens(text, only);
    if (other === undefined) throw failureOf(usual, error);
    return other;
  }
}

/** No object is longer; of longer text that does not parse, the second attempt would take seconds. */
const longestOther = 2 * 1024 * 1024;

/** What kubectl reads and YAML 1.2 forbids; undefined for what neither reads. */
function valueOfOtherTokens(text: string, only: 'first' | undefined): unknown {
  if (text.length > longestOther) return undefined;
  try {
    return valueIn(withPlainTokens(text), only);
  } catch (error) {
    if (error instanceof YAMLException || error instanceof ParseFailure) return undefined;
    throw error;
  }
}

function valueIn(text: string, only: 'first' | undefined): unknown {
  const events = parseEvents(text, { maxDepth });
  const isDocument = ({ type }: Event) => type === EVENT_ID.DOCUMENT;
  if (only !== 'first' && events.filter(isDocument).length > 1) {
    throw unusableDocument('invalid YAML: a second document');
  }
  const value = events.length === 0 ? null : new DocumentReader(text, events).read();
  // The parser's strings are slices that would keep the whole document in memory: copy them.
  return JSON.parse(JSON.stringify(value));
}

/** The document means nothing, or too much; the message does not quote it. */
function unusableDocument(message: string): ParseFailure {
  return new ParseFailure(message, 0);
}

/** Tags of plain scalars that are no strings; what the API server does with timestamps and binary is its business. */
const scalarTag = /^!(?:!|<tag:yaml\.org,2002:)(?:int|float|bool|null)>?$/;

/**
 * The value of a parsed document, as go.yaml.in/yaml/v2 and sigs.k8s.io/yaml build it: keys become
 * strings, and of equal keys the last counts, merged ones included. A document whose aliases would
 * grow too far is refused before they do.
 */
class DocumentReader {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #limit: number;
  readonly #anchors = new Map<string, { readonly value: unknown; readonly size: number }>();
  /** The first event begins the document. */
  #at = 1;
  /** How large what was read is with all aliases written out. */
  #size = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
    this.#limit = 1_000_000 + 20 * text.length;
  }

  /** The value of the next node. */
  read(): unknown {
    const event = this.#events[this.#at++];
    const before = this.#size;
    const value = this.#contentOf(event);
    if (this.#size > this.#limit) throw unusableDocument('YAML whose aliases expand too far');
    if (event && 'tagStart' in event && event.anchorStart >= 0) {
      this.#anchors.set(this.#anchorOf(event), { value, size: this.#size - before });
    }
    return value;
  }

  #contentOf(event: Event | undefined): unknown {
    this.#size++;
    if (event?.type === EVENT_ID.ALIAS) return this.#aliased(event);
    if (event?.type === EVENT_ID.SCALAR) return this.#scalar(event);
    if (event?.type !== EVENT_ID.MAPPING && event?.type !== EVENT_ID.SEQUENCE) {
      throw unusableDocument('invalid YAML');
    }
    // The content of an anchored node cannot refer to its anchor yet.
    this.#anchors.delete(this.#anchorOf(event));
    return event.type === EVENT_ID.MAPPING ? this.#mapping() : this.#sequence();
  }

  #anchorOf({ anchorStart, anchorEnd }: Pick<AliasEvent, 'anchorStart' | 'anchorEnd'>): string {
    return this.#text.slice(anchorStart, anchorEnd);
  }

  #aliased(event: AliasEvent): unknown {
    const target = this.#anchors.get(this.#anchorOf(event));
    if (!target) throw unusableDocument('invalid YAML: an alias without its anchor');
    this.#size += target.size;
    return target.value;
  }

  #scalar(event: ScalarEvent): unknown {
    const written = scalarText(this.#text, event);
    const isPlain =
      event.tagStart < 0
        ? event.style === SCALAR_STYLE.PLAIN
        : scalarTag.test(this.#text.slice(event.tagStart, event.tagEnd));
    const value = isPlain ? yamlScalar(written) : written;
    if (typeof value === 'string') this.#size += value.length;
    return value;
  }

  #sequence(): unknown[] {
    const value: unknown[] = [];
    while (!this.#hasEnded()) value.push(this.read());
    return value;
  }

  #mapping(): Record<string, unknown> {
    // Without a prototype __proto__ is a key like any other.
    const into: Record<string, unknown> = Object.create(null);
    while (!this.#hasEnded()) {
      const isMerge = this.#isMergeKey(this.#events[this.#at]);
      const key = this.read();
      const value = this.read();
      const isKey = typeof key === 'string' || typeof key === 'number' || typeof key === 'boolean';
      if (isMerge) mergeInto(value, into);
      else if (isKey) into[String(key)] = value;
      else throw unusableDocument('invalid YAML: a key that is not a string');
    }
    return into;
  }

  #hasEnded(): boolean {
    if (this.#events[this.#at]?.type !== EVENT_ID.POP) return false;
    this.#at += 1;
    return true;
  }

  #isMergeKey(event: Event | undefined): boolean {
    return (
      event?.type === EVENT_ID.SCALAR &&
      event.style === SCALAR_STYLE.PLAIN &&
      this.#text.slice(event.valueStart, event.valueEnd) === '<<'
    );
  }
}

/** The parser adds a line break to a literal or folded scalar that ends with the text, and without one. */
function scalarText(text: string, event: ScalarEvent): string {
  const written = getScalarValue(text, event);
  const isBlock =
    event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
  const isCut = isBlock && event.valueEnd >= text.length && !/[\r\n]$/.test(text);
  return isCut && written.endsWith('\n') ? written.slice(0, -1) : written;
}

function mergeInto(value: unknown, into: Record<string, unknown>): void {
  // Earlier sources take precedence.
  const sources: readonly unknown[] = Array.isArray(value) ? value.toReversed() : [value];
  for (const source of sources) {
    if (typeof source !== 'object' || source === null || Array.isArray(source)) {
      throw unusableDocument('invalid YAML: a merge key without a mapping');
    }
    Object.assign(into, source);
  }
}
