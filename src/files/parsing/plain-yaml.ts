import {
  BACKSLASH,
  COLON,
  DASH,
  HASH,
  NEWLINE,
  NINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from '../../kube/ascii.ts';
import { longestWord, mayBeOtherThanText, yamlScalar } from './yaml-scalar.ts';

const APOSTROPHE = 0x27;
const PIPE = 0x7c;

/** Deeper than any object of Kubernetes. */
const maxDepth = 100;
/** YAML allows 1,024 characters for a key. */
const longestKey = 1000;

const startsKey = charactersOf(/[A-Za-z0-9_./]/);
/** What an unquoted value cannot begin with; a dash can, where no space follows. */
const isIndicator = charactersOf(/[?:,[\]{}#&*!|>'"%@`]/);
const startsOther = charactersOf(mayBeOtherThanText);

const needsEscape = /["\\]/;
/** In double quotes, escapes that mean the same in JSON; surrogates are left to the parser. */
const jsonString = /^"(?:[^"\\]|\\(?:["\\/bfnrt]|u(?![dD])[0-9a-fA-F]{4}))*"$/;
/** An entry of a list in brackets: in double quotes, or a word. */
const flowEntry = /"[^"\\]*"|[A-Za-z0-9_.][A-Za-z0-9_./-]*/g;
const flowEnd = ' *(?: #.*)?$';
const emptyObject = new RegExp(`^\\{\\}${flowEnd}`);
const flowList = new RegExp(
  `^\\[ *((?:${flowEntry.source})(?: *, *(?:${flowEntry.source}))*)? *\\]${flowEnd}`,
);
/** Characters that YAML allows, and that mean nothing but themselves; a tab does so within a block of text. */
const printable = /^[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/;

/** The text is not plain: the YAML parser has to say what it means, or what is wrong with it. */
class NotPlain extends Error {
  override readonly name = 'NotPlain';
}
const notPlain = new NotPlain('not plain YAML');

/**
 * A YAML document as JSON, where it is in the plain form in which kubectl, Helm and Kustomize print objects: mappings
 * and sequences as blocks, each value on its line, text also as a block behind `|`. Undefined for everything else, and
 * for all that is wrong: the YAML parser reads it, which takes several times as long.
 */
export function jsonOfPlainYaml(text: string): string | undefined {
  if (!printable.test(text)) return undefined;
  try {
    return new PlainYaml(text).json();
  } catch (error) {
    if (error === notPlain) return undefined;
    throw error;
  }
}

/** Goes through the lines once, and writes JSON as it goes. */
class PlainYaml {
  readonly #text: string;
  #json = '';
  #depth = 0;
  /** How far the line is indented that is read now; -1 behind the last one. */
  #indent = -1;
  /** Where what is read of the line begins, and where the line ends. */
  #at = 0;
  #end = -1;
  /** Is the key that was looked at last text, and the same in JSON? */
  #keyIsText = false;

  constructor(text: string) {
    this.#text = text;
  }

  json(): string {
    this.#nextLine();
    if (this.#indent === 0 && this.#text.startsWith('---', this.#at)) {
      this.#at += 3;
      if (this.#skipSpaces() !== 'end') throw notPlain;
      this.#nextLine();
    }
    if (this.#indent < 0) throw notPlain;
    this.#block();
    if (this.#indent >= 0) throw notPlain;
    return this.#json;
  }

  /** Goes to the next line that holds more than spaces or a comment. */
  #nextLine(): void {
    const text = this.#text;
    let start = this.#end + 1;
    while (start < text.length) {
      const at = behindSpaces(text, start);
      const end = endOfLine(text, at);
      const first = text.charCodeAt(at);
      if (at < end && first !== HASH) {
        this.#indent = at - start;
        this.#at = at;
        this.#end = end;
        return;
      }
      start = end + 1;
    }
    this.#indent = -1;
    this.#end = text.length;
  }

  /** The mapping or sequence that begins here, up to a line that is indented less. */
  #block(): void {
    if (++this.#depth > maxDepth) throw notPlain;
    if (this.#isEntry()) this.#sequence();
    else this.#mapping();
    this.#depth--;
  }

  #isEntry(): boolean {
    if (this.#text.charCodeAt(this.#at) !== DASH) return false;
    const next = this.#at + 1;
    return next === this.#end || this.#text.charCodeAt(next) === SPACE;
  }

  #sequence(): void {
    const indent = this.#indent;
    let separator = '[';
    do {
      this.#json += separator;
      separator = ',';
      this.#at++;
      if (this.#skipSpaces() === 'end') {
        this.#nextLine();
        this.#nested(indent, false);
      } else {
        // What stands behind the dash is indented as far as it stands there.
        const lineStart = this.#text.lastIndexOf('\n', this.#at) + 1;
        if (this.#isEntry() || this.#endOfKey() >= 0) {
          this.#indent = this.#at - lineStart;
          this.#block();
        } else this.#value(indent);
      }
    } while (this.#indent === indent && this.#isEntry());
    if (this.#indent > indent) throw notPlain;
    this.#json += ']';
  }

  #mapping(): void {
    const indent = this.#indent;
    let separator = '{';
    do {
      this.#json += separator;
      separator = ',';
      this.#key();
      if (this.#skipSpaces() === 'end') {
        this.#nextLine();
        this.#nested(indent, true);
      } else this.#value(indent);
    } while (this.#indent === indent && !this.#isEntry());
    if (this.#indent > indent) throw notPlain;
    this.#json += '}';
  }

  /** What belongs to a key or a dash without a value on its line. A key's sequence may be indented no further. */
  #nested(indent: number, ofKey: boolean): void {
    if (this.#indent > indent || (ofKey && this.#indent === indent && this.#isEntry()))
      this.#block();
    else this.#json += 'null';
  }

  /** Writes the key, and goes behind its colon. */
  #key(): void {
    const colon = this.#endOfKey();
    if (colon < 0) throw notPlain;
    const key = this.#text.slice(this.#at, colon);
    const isText = this.#keyIsText && key.length > longestWord;
    this.#json += isText ? `"${key}":` : `${JSON.stringify(textOfKey(key))}:`;
    this.#at = colon + 1;
  }

  /** Where the colon stands behind the key that begins here; -1: none begins here. */
  #endOfKey(): number {
    const text = this.#text;
    const end = Math.min(this.#end, this.#at + longestKey);
    const first = text.charCodeAt(this.#at);
    if (first === QUOTE || first === APOSTROPHE) {
      const quote = first === QUOTE ? '"' : "'";
      const colon = text.indexOf(quote, this.#at + 1) + 1;
      this.#keyIsText = false;
      return colon > 0 && colon < end && this.#isColon(colon) ? colon : -1;
    }
    if (!startsKey[first]) return -1;
    this.#keyIsText = first > NINE;
    for (let at = this.#at + 1; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === COLON && this.#isColon(at)) return at;
      if (code <= SPACE) return -1;
      if (code === QUOTE || code === BACKSLASH) this.#keyIsText = false;
    }
    return -1;
  }

  /** Does the colon that stands here end a key? */
  #isColon(at: number): boolean {
    if (this.#text.charCodeAt(at) !== COLON) return false;
    return at + 1 === this.#end || this.#text.charCodeAt(at + 1) === SPACE;
  }

  /** Goes to the value of the line, or to its end, where nothing or a comment is left. */
  #skipSpaces(): 'value' | 'end' {
    const text = this.#text;
    const start = this.#at;
    this.#at = behindSpaces(text, start);
    if (this.#at === this.#end) return 'end';
    if (this.#at === start) throw notPlain;
    return text.charCodeAt(this.#at) === HASH ? 'end' : 'value';
  }

  /** The value on the line; what is indented further than `indent` belongs to it. */
  #value(indent: number): void {
    const first = this.#text.charCodeAt(this.#at);
    if (first === PIPE) {
      this.#textBlock(indent);
      return;
    }
    if (first === QUOTE) this.#quoted(indent);
    else if (first === APOSTROPHE) this.#apostrophes(indent);
    else if (first === OPEN_BRACKET || first === OPEN_BRACE) this.#flow();
    else this.#unquoted(first, indent);
    this.#nextLine();
  }

  #unquoted(first: number, indent: number): void {
    if (isIndicator[first] || this.#isEntry()) throw notPlain;
    const text = this.#text;
    let written = this.#untilComment();
    // Lines that go on.
    while (this.#at === this.#end) {
      const start = this.#end + 1;
      const at = behindSpaces(text, start);
      const next = text.charCodeAt(at);
      if (at >= text.length || at - start <= indent || next === NEWLINE || next === HASH) break;
      this.#at = at;
      this.#end = endOfLine(text, at);
      written += ` ${this.#untilComment()}`;
    }
    const value = startsOther[first] ? yamlScalar(written) : written;
    const isText = typeof value === 'string' && !needsEscape.test(value);
    this.#json += isText ? `"${written}"` : JSON.stringify(value);
  }

  /** What stands on the line without quotes, up to spaces at its end or a comment. */
  #untilComment(): string {
    const text = this.#text;
    const start = this.#at;
    let end = start;
    let at = start;
    for (; at < this.#end; at++) {
      const code = text.charCodeAt(at);
      if (code === SPACE) {
        if (text.charCodeAt(at + 1) === HASH) break;
        continue;
      }
      if (code < SPACE || (code === COLON && this.#isColon(at))) throw notPlain;
      end = at + 1;
    }
    this.#at = at;
    return text.slice(start, end);
  }

  /** In double quotes. */
  #quoted(indent: number): void {
    const text = this.#text;
    let end = this.#at + 1;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === QUOTE) break;
      if (code === BACKSLASH) end++;
    }
    if (end >= text.length) throw notPlain;
    const written = this.#upTo(end, indent);
    if (written.includes('\\') && !jsonString.test(`"${written}"`)) throw notPlain;
    this.#json += `"${written}"`;
  }

  /** In single quotes. */
  #apostrophes(indent: number): void {
    const text = this.#text;
    let end = text.indexOf("'", this.#at + 1);
    while (end >= 0 && text.charCodeAt(end + 1) === APOSTROPHE) end = text.indexOf("'", end + 2);
    if (end < 0) throw notPlain;
    this.#json += JSON.stringify(this.#upTo(end, indent).replaceAll("''", "'"));
  }

  /** What is in quotes, up to the second one; a line that goes on is set apart by a space. */
  #upTo(quote: number, indent: number): string {
    const text = this.#text;
    let written = text.slice(this.#at + 1, quote);
    if (written.includes('\t')) throw notPlain;
    if (quote > this.#end) {
      if (written.includes('\\')) throw notPlain;
      written = folded(written.split('\n'), indent);
      this.#end = endOfLine(text, quote);
    }
    this.#at = quote + 1;
    if (this.#at < this.#end && this.#skipSpaces() !== 'end') throw notPlain;
    return written;
  }

  /** `{}`, and a list of texts in brackets. */
  #flow(): void {
    const written = this.#text.slice(this.#at, this.#end);
    if (written.includes('\t')) throw notPlain;
    if (emptyObject.test(written)) this.#json += '{}';
    else {
      const list = flowList.exec(written);
      if (!list) throw notPlain;
      this.#json += `[${(list[1]?.match(flowEntry) ?? []).map(jsonOfEntry).join(',')}]`;
    }
  }

  /** The text behind `|` or `|-`, whose lines are indented further than `indent`. */
  #textBlock(indent: number): void {
    const text = this.#text;
    const header = text.slice(this.#at, this.#end);
    if (header !== '|' && header !== '|-') throw notPlain;
    let start = this.#end + 1;
    const margin = behindSpaces(text, start) - start;
    if (margin <= indent || text.charCodeAt(start + margin) <= NEWLINE) throw notPlain;
    const lines: string[] = [];
    for (;;) {
      const end = text.indexOf('\n', start);
      // Whether the last line ends is left to the parser.
      if (end < 0) throw notPlain;
      let at = start;
      while (at < start + margin && text.charCodeAt(at) === SPACE) at++;
      if (at < start + margin && at !== end) break;
      lines.push(text.slice(at, end));
      start = end + 1;
      if (start >= text.length) break;
    }
    while (lines.at(-1) === '') lines.pop();
    if (header === '|') lines.push('');
    this.#json += JSON.stringify(lines.join('\n'));
    this.#end = start - 1;
    this.#nextLine();
  }
}

function behindSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === SPACE) at++;
  return at;
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline < 0 ? text.length : newline;
}

/** The lines without the spaces where they were broken; each but the first is indented further than `indent`. */
function folded(lines: readonly string[], indent: number): string {
  const parts = lines.map((line, index) => {
    const start = index === 0 ? 0 : line.search(/[^ ]/);
    if (index > 0 && start <= indent) throw notPlain;
    let end = line.length;
    while (index < lines.length - 1 && line.charCodeAt(end - 1) === SPACE) end--;
    return line.slice(start, end);
  });
  return parts.join(' ');
}

function textOfKey(key: string): string {
  const first = key.charCodeAt(0);
  if (first === QUOTE || first === APOSTROPHE) {
    if (/[\\\t]/.test(key)) throw notPlain;
    return key.slice(1, -1);
  }
  const value = yamlScalar(key);
  if (value === null) throw notPlain;
  return String(value);
}

function jsonOfEntry(entry: string): string {
  return entry.startsWith('"') ? entry : JSON.stringify(yamlScalar(entry));
}

/** By the code of an ASCII character: does it match? */
function charactersOf(pattern: RegExp): readonly boolean[] {
  return Array.from({ length: 0x80 }, (_, code) => pattern.test(String.fromCharCode(code)));
}
