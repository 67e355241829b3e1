import { mayBeOtherThanText, yamlScalar } from './yaml-scalar.ts';

/** Thrown for whatever this translator leaves to the full parser. */
const notPlain = new Error('not in the plain style');

const SPACE = 0x20;
const QUOTE = 0x22;
const HASH = 0x23;
const APOSTROPHE = 0x27;
const DASH = 0x2d;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const UNDERSCORE = 0x5f;

/** No unquoted scalar begins with these, or it would have a meaning that is not read here. */
const indicators = /^[\s,[\]{}#&*!|>'"%@`?:]/;
const needsEscape = /["\\]/;
const endsPlain = /: |[\s]#|:$|\t/;

/**
 * Reads YAML in the plain block style that kubectl and most people write, many times faster than a
 * full parser; undefined when anything else occurs: anchors, tags, filled brackets, and scalars over
 * several lines other than with `|`.
 */
export function parsePlainYaml(text: string): { readonly value: unknown } | undefined {
  if (text.includes('\r')) return undefined;
  try {
    return { value: JSON.parse(new BlockYaml(text).toJson()) };
  } catch (error) {
    // JSON.parse finds the escapes that only YAML knows.
    if (error === notPlain || error instanceof RangeError || error instanceof SyntaxError) {
      return undefined;
    }
    throw error;
  }
}

/** Writes the document as JSON while it goes along the lines: no tree has to be built for it. */
class BlockYaml {
  readonly #text: string;
  #json = '';
  /** Where the next line begins. */
  #next = 0;
  /** The current line: its indentation (-1 behind the last line), first and last place. */
  #indent = -1;
  #start = 0;
  #end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  toJson(): string {
    this.#advance();
    if (this.#indent < 0) return 'null';
    this.#block();
    if (this.#indent >= 0) throw notPlain;
    return this.#json;
  }

  /** Goes to the next line that is neither blank nor a comment. */
  #advance(): void {
    const text = this.#text;
    while (this.#next < text.length) {
      const line = this.#next;
      let end = text.indexOf('\n', line);
      if (end < 0) end = text.length;
      this.#next = end + 1;
      let start = line;
      while (text.charCodeAt(start) === SPACE) start++;
      if (start >= end || text.charCodeAt(start) === HASH) continue;
      while (text.charCodeAt(end - 1) === SPACE) end--;
      if (start === line && /^(?:---|\.\.\.)/.test(text.slice(line, line + 3))) throw notPlain;
      this.#indent = start - line;
      this.#start = start;
      this.#end = end;
      return;
    }
    this.#indent = -1;
  }

  #block(): void {
    if (this.#isEntry()) this.#sequence(this.#indent);
    else this.#mapping(this.#indent);
  }

  #isEntry(): boolean {
    return (
      this.#text.charCodeAt(this.#start) === DASH &&
      (this.#start + 1 === this.#end || this.#text.charCodeAt(this.#start + 1) === SPACE)
    );
  }

  #sequence(indent: number): void {
    let separator = '[';
    while (this.#indent === indent && this.#isEntry()) {
      this.#json += separator;
      separator = ',';
      const dash = this.#start;
      this.#start = this.#skipSpaces(dash + 1);
      if (this.#start >= this.#end) {
        this.#nested(indent, false);
        continue;
      }
      // What stands behind the dash is a block that begins in this column.
      this.#indent = indent + this.#start - dash;
      if (this.#isEntry()) this.#sequence(this.#indent);
      else if (this.#colon() >= 0) this.#mapping(this.#indent);
      else this.#scalar(indent);
    }
    if (this.#indent > indent) throw notPlain;
    this.#json += ']';
  }

  #mapping(indent: number): void {
    let separator = '{';
    while (this.#indent === indent && !this.#isEntry()) {
      const colon = this.#colon();
      if (colon < 0) throw notPlain;
      const key = this.#text.slice(this.#start, colon);
      const isSimple = isWord(this.#text, this.#start, colon) && colon - this.#start < 1000;
      this.#json += isSimple ? `${separator}"${key}":` : `${separator}${keyJson(key)}:`;
      separator = ',';
      this.#start = this.#skipSpaces(colon + 1);
      if (this.#start >= this.#end) this.#nested(indent, true);
      else this.#scalar(indent);
    }
    if (separator === '{' || this.#indent > indent) throw notPlain;
    this.#json += '}';
  }

  /** The value on the lines below a key or dash; a key's list may be indented like the key. */
  #nested(indent: number, isKey: boolean): void {
    this.#advance();
    if (this.#indent > indent) this.#block();
    else if (isKey && this.#indent === indent && this.#isEntry()) this.#sequence(indent);
    else this.#json += 'null';
  }

  /** The rest of the line, and the end of the line. */
  #scalar(indent: number): void {
    const text = this.#text.slice(this.#start, this.#end);
    switch (text.charCodeAt(0)) {
      case QUOTE:
        if (closingQuote(text) !== text.length - 1) throw notPlain;
        this.#json += text;
        break;
      case APOSTROPHE:
        if (closingApostrophe(text) !== text.length - 1) throw notPlain;
        this.#json += JSON.stringify(text.slice(1, -1).replaceAll("''", "'"));
        break;
      default:
        if (text === '{}' || text === '[]') this.#json += text;
        else if (isWord(text, 0, text.length)) this.#json += `"${text}"`;
        else if (text === '|' || text === '|-' || text === '|+') {
          this.#literal(indent, text.slice(1));
          return;
        } else this.#json += plainJson(text);
    }
    this.#advance();
    if (this.#indent > indent) throw notPlain;
  }

  #literal(indent: number, chomping: string): void {
    const text = this.#text;
    const lines: string[] = [];
    let margin = -1;
    while (this.#next < text.length) {
      const line = this.#next;
      let end = text.indexOf('\n', line);
      if (end < 0) end = text.length;
      let start = line;
      while (text.charCodeAt(start) === SPACE) start++;
      if (start >= end) {
        // Blanks beyond the margin would count.
        if (end - line > Math.max(margin, indent)) throw notPlain;
        lines.push('');
      } else {
        if (margin < 0) margin = start - line;
        if (start - line < margin || margin <= indent) break;
        lines.push(text.slice(line + margin, end));
      }
      this.#next = end + 1;
    }
    if (margin <= indent) throw notPlain;
    let last = lines.length;
    while (lines[last - 1] === '') last--;
    const kept = chomping === '+' ? lines : lines.slice(0, last);
    this.#json += JSON.stringify(kept.join('\n') + (chomping === '-' ? '' : '\n'));
    this.#advance();
    if (this.#indent > indent) throw notPlain;
  }

  /** Where the colon behind the line's key stands; -1 when it has no key. */
  #colon(): number {
    const text = this.#text;
    let at = this.#start;
    const first = text.charCodeAt(at);
    if (first === QUOTE || first === APOSTROPHE) {
      const quoted = text.slice(at, this.#end);
      const close = first === QUOTE ? closingQuote(quoted) : closingApostrophe(quoted);
      if (close < 0) throw notPlain;
      at += close + 1;
      return this.#isKeyEnd(at) ? at : -1;
    }
    for (at = text.indexOf(':', at); at >= 0 && at < this.#end; at = text.indexOf(':', at + 1)) {
      if (this.#isKeyEnd(at)) return at;
    }
    return -1;
  }

  #isKeyEnd(at: number): boolean {
    if (this.#text.charCodeAt(at) !== COLON) return false;
    return at + 1 === this.#end || this.#text.charCodeAt(at + 1) === SPACE;
  }

  #skipSpaces(start: number): number {
    let at = start;
    while (this.#text.charCodeAt(at) === SPACE) at++;
    return at;
  }
}

/** Letters, digits and what else needs no second look inside of a word. */
const isWordCharacter = new Uint8Array(128);
for (const character of '-./:_0123456789') isWordCharacter[character.charCodeAt(0)] = 1;
for (let letter = 0; letter < 26; letter++) {
  isWordCharacter[0x41 + letter] = 1;
  isWordCharacter[0x61 + letter] = 1;
}

/** Most keys and many values: longer than any word with a meaning, and nothing special in it. */
function isWord(text: string, start: number, end: number): boolean {
  if (end - start < 6 || text.charCodeAt(start) < 0x41) return false;
  for (let at = start; at < end; at++) {
    if (isWordCharacter[text.charCodeAt(at)] !== 1) return false;
  }
  return text.charCodeAt(start) !== UNDERSCORE && text.charCodeAt(end - 1) !== COLON;
}

function keyJson(text: string): string {
  const first = text.charCodeAt(0);
  if (text.length > 1000) throw notPlain;
  if (first === QUOTE) return text;
  if (first === APOSTROPHE) return JSON.stringify(text.slice(1, -1).replaceAll("''", "'"));
  if (text === '<<' || text.endsWith(' ')) throw notPlain;
  const json = plainJson(text);
  if (json === 'null') throw notPlain;
  return json.startsWith('"') ? json : `"${json}"`;
}

/** An unquoted scalar as JSON. */
function plainJson(text: string): string {
  if (indicators.test(text) || endsPlain.test(text) || /^-(?:\s|$)/.test(text)) throw notPlain;
  const value = mayBeOtherThanText.test(text) ? yamlScalar(text) : text;
  if (typeof value !== 'string') return JSON.stringify(value);
  return needsEscape.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Index of the quote that ends the string; -1 when it is not in this line. */
function closingQuote(text: string): number {
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return -1;
}

function closingApostrophe(text: string): number {
  for (let at = text.indexOf("'", 1); at >= 0; at = text.indexOf("'", at + 2)) {
    if (text.charCodeAt(at + 1) !== APOSTROPHE) return at;
  }
  return -1;
}
