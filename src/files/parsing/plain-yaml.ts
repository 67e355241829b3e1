import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  DASH,
  HASH,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  TAB,
} from '../../kube/ascii.ts';
import { bytesOf, controlsAnd } from './byte-sets.ts';
import { plainFlowValue } from './flow-list.ts';
import { JsonBytes } from './json-bytes.ts';
import { printableText } from './printable-text.ts';
import { copyTextBlock } from './text-block.ts';
import { isJsonScalar, isOddScalar, yamlScalar } from './yaml-scalar.ts';

const APOSTROPHE = 0x27;
const PIPE = 0x7c;
const LETTER_U = 0x75;

/** Deeper than any object of Kubernetes. */
const maxDepth = 100;
/** YAML allows 1,024 characters for a key. */
const longestKey = 1000;

const startsKey = bytesOf(/[A-Za-z0-9_./]/);
/** What an unquoted value cannot begin with; a dash can, where no space follows. */
const isIndicator = bytesOf(/[?:,[\]{}#&*!|>'"%@`]/);
const isHex = bytesOf(/[0-9a-fA-F]/);
/** In double quotes, escapes that mean the same in JSON. */
const isJsonEscape = bytesOf(/["\\/bfnrt]/);

// What needs a look within text, besides control characters.
const endsUnquoted = controlsAnd(' :"\\');
const endsQuoted = controlsAnd('"\\');
const endsApostrophes = controlsAnd('\'"\\');
const isControl = controlsAnd('');
/** A comment may hold a tab. */
const endsComment = isControl.map((isIn, byte) => (byte === TAB ? 0 : isIn));

/** The text is not plain: the YAML parser has to say what it means, or what is wrong with it. */
class NotPlain extends Error {
  override readonly name = 'NotPlain';
}
const notPlain = new NotPlain('not plain YAML');

/** What PlainYamlReader makes of one document, as text. */
export function jsonOfPlainYaml(text: string): string | undefined {
  if (!text.isWellFormed()) return undefined;
  return new PlainYamlReader().read(Buffer.from(text))?.toString('utf8');
}

/**
 * Makes JSON of a YAML document that is in the plain form in which kubectl, Helm and Kustomize print objects: mappings
 * and sequences as blocks, each value on its line, text also as a block behind `|`. It goes through the bytes once, and
 * makes no strings of what means the same in JSON.
 */
export class PlainYamlReader {
  #bytes: Buffer = none;
  readonly #json = new JsonBytes();
  #depth = 0;
  /** How far the line is indented that is read now; -1 behind the last one. */
  #indent = -1;
  #at = 0;
  /** Is the last line whole? Else a line break was put behind it. */
  #isWhole = true;
  /** The key that was looked at last: where it begins, where its colon stands, and is it text, and the same in JSON? */
  #keyAt = -1;
  #colon = -1;
  #keyIsText = false;

  /**
   * The JSON, until the next call. Undefined for everything that is not plain, and for all that is wrong: the YAML
   * parser reads it, which takes several times as long.
   */
  read(text: Buffer): Buffer | undefined {
    const bytes = printableText(text);
    if (!bytes) return undefined;
    this.#isWhole = bytes[bytes.length - 1] === NEWLINE;
    this.#bytes = this.#isWhole ? bytes : Buffer.concat([bytes, lineBreak]);
    // No line grows more than `a:` to `{"a":null}`.
    this.#json.begin(4 * (this.#bytes.length + 4));
    this.#depth = 0;
    this.#keyAt = -1;
    try {
      this.#document();
    } catch (error) {
      if (error === notPlain) return undefined;
      throw error;
    }
    return this.#json.written();
  }

  #document(): void {
    const bytes = this.#bytes;
    this.#nextLine(0);
    const at = this.#at;
    const isMarker = bytes[at] === DASH && bytes[at + 1] === DASH && bytes[at + 2] === DASH;
    if (this.#indent === 0 && isMarker) {
      this.#at += 3;
      if (this.#skipSpaces() !== 'end') throw notPlain;
      this.#nextLine(this.#endOfLine());
    }
    if (this.#indent < 0) throw notPlain;
    this.#block();
    if (this.#indent >= 0) throw notPlain;
  }

  /** Goes to the first line from there on that holds more than spaces or a comment. */
  #nextLine(from: number): void {
    const bytes = this.#bytes;
    const { length } = bytes;
    let start = from;
    while (start < length) {
      let at = start;
      while (bytes[at] === SPACE) at++;
      const first = bytes[at];
      if (first !== NEWLINE && first !== HASH) {
        this.#indent = at - start;
        this.#at = at;
        return;
      }
      this.#at = at;
      start = this.#endOfLine();
    }
    this.#indent = -1;
    this.#at = length;
  }

  /** Behind the line, on which nothing or a comment is left. */
  #endOfLine(): number {
    const bytes = this.#bytes;
    let at = this.#at;
    while (endsComment[bytes[at] as number] === 0) at++;
    if (bytes[at] !== NEWLINE) throw notPlain;
    return at + 1;
  }

  /** The mapping or sequence that begins here, up to a line that is indented less. */
  #block(): void {
    if (++this.#depth > maxDepth) throw notPlain;
    if (this.#isEntry()) this.#sequence();
    else this.#mapping();
    this.#depth--;
  }

  #isEntry(): boolean {
    return this.#bytes[this.#at] === DASH && isGap(this.#bytes[this.#at + 1] as number);
  }

  #sequence(): void {
    const indent = this.#indent;
    let separator = OPEN_BRACKET;
    do {
      this.#json.push(separator);
      separator = COMMA;
      const dash = this.#at++;
      if (this.#skipSpaces() === 'end') {
        this.#nextLine(this.#endOfLine());
        this.#nested(indent, false);
      } else if (this.#isEntry() || this.#endOfKey() >= 0) {
        // What stands behind the dash is indented as far as it stands there.
        this.#indent = indent + this.#at - dash;
        this.#block();
      } else this.#value(indent);
    } while (this.#indent === indent && this.#isEntry());
    if (this.#indent > indent) throw notPlain;
    this.#json.push(CLOSE_BRACKET);
  }

  #mapping(): void {
    const indent = this.#indent;
    let separator = OPEN_BRACE;
    do {
      this.#json.push(separator);
      separator = COMMA;
      this.#key();
      if (this.#skipSpaces() === 'end') {
        this.#nextLine(this.#endOfLine());
        this.#nested(indent, true);
      } else this.#value(indent);
    } while (this.#indent === indent && !this.#isEntry());
    if (this.#indent > indent) throw notPlain;
    this.#json.push(CLOSE_BRACE);
  }

  /** What belongs to a key or a dash without a value on its line. A key's sequence may be indented no further. */
  #nested(indent: number, ofKey: boolean): void {
    if (this.#indent > indent || (ofKey && this.#indent === indent && this.#isEntry()))
      this.#block();
    else this.#json.copy(nullWord, 0, nullWord.length);
  }

  /** Writes the key, and goes behind its colon. */
  #key(): void {
    const colon = this.#endOfKey();
    if (colon < 0) throw notPlain;
    const bytes = this.#bytes;
    const at = this.#at;
    if (this.#keyIsText && !isOddScalar(bytes, at, colon)) {
      this.#json.push(QUOTE);
      this.#json.copy(bytes, at, colon);
      this.#json.push(QUOTE);
    } else this.#json.add(textOfKey(bytes.toString('utf8', at, colon)));
    this.#json.push(COLON);
    this.#at = colon + 1;
  }

  /** Where the colon stands behind the key that begins here; -1: none begins here. */
  #endOfKey(): number {
    const start = this.#at;
    // An entry of a sequence asks before the mapping in it does.
    if (this.#keyAt !== start) {
      this.#keyAt = start;
      this.#colon = this.#findColon(start);
    }
    return this.#colon;
  }

  #findColon(start: number): number {
    const bytes = this.#bytes;
    const end = start + longestKey;
    const first = bytes[start] as number;
    let at = start + 1;
    this.#keyIsText = false;
    if (first === QUOTE || first === APOSTROPHE) {
      while (bytes[at] !== first) if (isControl[bytes[at++] as number] === 1) return -1;
      return at + 1 < end && this.#isColon(at + 1) ? at + 1 : -1;
    }
    if (startsKey[first] === 0) return -1;
    this.#keyIsText = true;
    for (;;) {
      while (endsUnquoted[bytes[at] as number] === 0) at++;
      if (at >= end) return -1;
      const byte = bytes[at] as number;
      if (byte === QUOTE || byte === BACKSLASH) this.#keyIsText = false;
      else if (byte !== COLON) return -1;
      else if (this.#isColon(at)) return at;
      at++;
    }
  }

  /** Does the colon that stands here end a key? */
  #isColon(at: number): boolean {
    return this.#bytes[at] === COLON && isGap(this.#bytes[at + 1] as number);
  }

  /** Goes to the value of the line, or to its end, where nothing or a comment is left. */
  #skipSpaces(): 'value' | 'end' {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    while (bytes[at] === SPACE) at++;
    this.#at = at;
    if (bytes[at] === NEWLINE) return 'end';
    if (at === start) throw notPlain;
    return bytes[at] === HASH ? 'end' : 'value';
  }

  /** The value on the line; what is indented further than `indent` belongs to it. */
  #value(indent: number): void {
    const first = this.#bytes[this.#at] as number;
    if (first === PIPE) {
      this.#textBlock(indent);
      return;
    }
    if (first === QUOTE) this.#quoted(indent);
    else if (first === APOSTROPHE) this.#apostrophes(indent);
    else if (first === OPEN_BRACKET || first === OPEN_BRACE) this.#flow(first);
    else this.#unquoted(first, indent);
    this.#nextLine(this.#endOfLine());
  }

  #unquoted(first: number, indent: number): void {
    if (isIndicator[first] === 1 || this.#isEntry()) throw notPlain;
    const start = this.#at;
    const before = this.#json.length;
    this.#json.push(QUOTE);
    const end = this.#copyLine();
    let next = this.#goesOn(indent);
    if (next < 0 && isOddScalar(this.#bytes, start, end)) {
      this.#json.length = before;
      this.#scalar(start, end);
      return;
    }
    // What has a space in it is text.
    for (; next >= 0; next = this.#goesOn(indent)) {
      this.#json.push(SPACE);
      this.#at = next;
      this.#copyLine();
    }
    this.#json.push(QUOTE);
  }

  /** Where an unquoted text goes on in the next line; -1: it ends here. */
  #goesOn(indent: number): number {
    const bytes = this.#bytes;
    // A comment ends it.
    if (bytes[this.#at] !== NEWLINE) return -1;
    const start = this.#at + 1;
    let at = start;
    while (bytes[at] === SPACE) at++;
    const isText = at < bytes.length && bytes[at] !== NEWLINE && bytes[at] !== HASH;
    return isText && at - start > indent ? at : -1;
  }

  /** Copies the text that begins here without quotes, up to spaces at the end of the line or a comment: that is where it ends. */
  #copyLine(): number {
    const bytes = this.#bytes;
    const json = this.#json.bytes;
    let at = this.#at;
    let to = this.#json.length;
    let end = at;
    let { length } = this.#json;
    for (;;) {
      let byte = bytes[at] as number;
      if (endsUnquoted[byte] === 0) {
        do {
          json[to++] = byte;
          byte = bytes[++at] as number;
        } while (endsUnquoted[byte] === 0);
        end = at;
        length = to;
      }
      if (byte === SPACE) {
        if (bytes[at + 1] === HASH) break;
        json[to++] = byte;
      } else if (byte === QUOTE || byte === BACKSLASH || (byte === COLON && !this.#isColon(at))) {
        if (byte !== COLON) json[to++] = BACKSLASH;
        json[to++] = byte;
        end = at + 1;
        length = to;
      } else if (byte === NEWLINE) break;
      else throw notPlain;
      at++;
    }
    this.#at = at;
    this.#json.length = length;
    return end;
  }

  /** Writes what an unquoted text means that may be none. */
  #scalar(start: number, end: number): void {
    const bytes = this.#bytes;
    if (isJsonScalar(bytes, start, end)) this.#json.copy(bytes, start, end);
    else this.#json.add(yamlScalar(bytes.toString('utf8', start, end)));
  }

  /** In double quotes. */
  #quoted(indent: number): void {
    const bytes = this.#bytes;
    const start = this.#at + 1;
    let at = start;
    let hasEscape = false;
    let hasBreak = false;
    for (;;) {
      while (endsQuoted[bytes[at] as number] === 0) at++;
      const byte = bytes[at];
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        hasEscape = true;
        at = this.#behindEscape(at + 1);
      } else if (byte === NEWLINE && at + 1 < bytes.length) {
        hasBreak = true;
        at++;
      } else throw notPlain;
    }
    if (!hasBreak) this.#json.copy(bytes, start - 1, at + 1);
    else if (hasEscape) throw notPlain;
    else this.#json.add(foldedLines(bytes.toString('utf8', start, at), indent));
    this.#behindQuote(at + 1);
  }

  /** Surrogates are left to the parser, and whatever JSON writes otherwise. */
  #behindEscape(at: number): number {
    const bytes = this.#bytes;
    const byte = bytes[at] as number;
    if (isJsonEscape[byte] === 1) return at + 1;
    if (byte !== LETTER_U) throw notPlain;
    for (let digit = at + 1; digit <= at + 4; digit++) {
      if (isHex[bytes[digit] as number] !== 1) throw notPlain;
    }
    if (((bytes[at + 1] as number) | 0x20) === 0x64) throw notPlain;
    return at + 5;
  }

  /** In single quotes. */
  #apostrophes(indent: number): void {
    const bytes = this.#bytes;
    const start = this.#at + 1;
    let at = start;
    let hasBreak = false;
    let isJson = true;
    for (;;) {
      while (endsApostrophes[bytes[at] as number] === 0) at++;
      const byte = bytes[at];
      if (byte === APOSTROPHE) {
        if (bytes[at + 1] !== APOSTROPHE) break;
        isJson = false;
        at++;
      } else if (byte === NEWLINE && at + 1 < bytes.length) hasBreak = true;
      else if (byte === QUOTE || byte === BACKSLASH) isJson = false;
      else throw notPlain;
      at++;
    }
    if (isJson && !hasBreak) {
      this.#json.push(QUOTE);
      this.#json.copy(bytes, start, at);
      this.#json.push(QUOTE);
    } else {
      const text = bytes.toString('utf8', start, at);
      const written = hasBreak ? foldedLines(text, indent) : text;
      this.#json.add(written.replaceAll("''", "'"));
    }
    this.#behindQuote(at + 1);
  }

  /** Behind it, nothing but a comment may be left. */
  #behindQuote(at: number): void {
    this.#at = at;
    if (this.#skipSpaces() !== 'end') throw notPlain;
  }

  /** `{}`, and a list of texts in brackets. */
  #flow(first: number): void {
    const bytes = this.#bytes;
    const at = this.#at;
    // The brackets of ASCII lie two apart.
    if (bytes[at + 1] === first + 2 && bytes[at + 2] === NEWLINE) {
      this.#json.push(first);
      this.#json.push(first + 2);
      this.#at += 2;
      return;
    }
    const end = this.#endOfLine() - 1;
    const written = bytes.toString('utf8', at, end);
    this.#at = end;
    const value = written.includes('\t') ? undefined : plainFlowValue(written);
    if (value === undefined) throw notPlain;
    this.#json.add(value);
  }

  /** The text behind `|` or `|-`, whose lines are indented further than `indent`. */
  #textBlock(indent: number): void {
    const bytes = this.#bytes;
    const { length } = bytes;
    const endsWithBreak = bytes[this.#at + 1] !== DASH;
    const header = this.#at + (endsWithBreak ? 1 : 2);
    let first = header + 1;
    while (bytes[first] === SPACE) first++;
    const margin = first - header - 1;
    const isHeader = bytes[header] === NEWLINE && first < length;
    if (!isHeader || margin <= indent || (bytes[first] as number) <= NEWLINE) throw notPlain;
    this.#json.push(QUOTE);
    const end = copyTextBlock(bytes, header + 1, margin, this.#json);
    // Whether the last line ends is left to the parser.
    if (end < 0 || (end >= length && !this.#isWhole)) throw notPlain;
    if (endsWithBreak) this.#json.copy(escapedBreak, 0, 2);
    this.#json.push(QUOTE);
    this.#nextLine(end);
  }
}

const none = Buffer.alloc(0);
const lineBreak = Buffer.from('\n');
const nullWord = Buffer.from('null');
const escapedBreak = Buffer.from('\\n');

/** Does a space or the end of the line stand behind a mark, so that it is one? */
function isGap(byte: number): boolean {
  return byte === SPACE || byte === NEWLINE;
}

/** Lines without the spaces where they were broken; each but the first is indented further than `indent`. */
function foldedLines(text: string, indent: number): string {
  const lines = text.split('\n');
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
    if (key.includes('\\')) throw notPlain;
    return key.slice(1, -1);
  }
  const value = yamlScalar(key);
  if (value === null) throw notPlain;
  return String(value);
}
