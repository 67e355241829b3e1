/**
 * The same document with each of its tokens written so that js-yaml finds it, too: what kubectl reads, but
 * YAML 1.2 forbids or reads otherwise. Cuts the text as scannerc.go of go.yaml.in/yaml/v2 does: in brackets
 * and quotes it does not look at indentation, a tab separates as a space does, `#` behind a token begins a
 * comment, and `:` in brackets ends an unquoted scalar only in front of a blank. What it cannot cut stays as
 * it is written, for the parser to refuse.
 */
export function withPlainTokens(text: string): string {
  return new TokenWriter(text).write();
}

/** In brackets, an unquoted scalar that the parsers cut differently: both take it. */
export const isCutDifferently = /[^\s"'\]}]:[,\]}]|[[{,]\s*\?[^\s,\]}]/;

const blank = /[ \t\r\n]|$/y;
const comment = /#[^\r\n]*/y;
const marker = /(?:---|\.\.\.)(?=[ \t\r\n]|$)/y;
const lineBreak = /\r\n?|\n/y;
const toLineEnd = /[^\r\n]*/y;
/** An anchor, alias or tag. */
const property = /[&*!][^ \t\r\n,[\]{}]*/y;
const singleQuoted = /'(?:[^']|'')*'/y;
const doubleQuoted = /"(?:[^"\\]|\\[\s\S])*"/y;
/** Its header, then lines that are blank or begin with spaces; where it ends depends on their number. */
const blockHeader = /[|>][-+0-9]*[ \t]*(?:#[^\r\n]*)?(?=[\r\n]|$)/y;
const blockIndicator = /[1-9]/;
const blockLine = /(?:\r\n?|\n) */y;
const blanks = /[ \t\r\n]+/y;
/** Of an unquoted scalar: a word; in brackets all of it, with the blanks behind it. */
const inLines = /(?:(?!:(?:[ \t\r\n]|$))[^ \t\r\n])+/y;
const inBrackets = /(?:(?!:(?:[ \t\r\n]|$)|(?<=[ \t\r\n])#)[^,?[\]{}])+/y;
/** What begins no unquoted scalar. */
const indicator = /[,[\]{}#&*!|>'"%@`]/;

class TokenWriter {
  readonly #text: string;
  readonly #written: string[] = [];
  #at = 0;
  #lineStart = 0;
  /** How many brackets are open. */
  #flow = 0;
  /** The columns of the mappings and lists that are open. */
  readonly #columns: number[] = [];
  /** Where a key may begin, as behind a line break: a tab is none of the blanks there. */
  #keyAllowed = true;
  /** The column of what may turn out to be a key. */
  #key: number | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  write(): string {
    while (this.#at < this.#text.length) this.#step();
    return this.#written.join('');
  }

  #step(): void {
    const character = this.#text.charAt(this.#at);
    if (character === ' ' || character === '\t') this.#blank(character);
    else if (character === '\n' || character === '\r') this.#lineBreak();
    else if (character === '#') this.#comment();
    else if (this.#column === 0 && (character === '%' || this.#match(marker))) this.#whole();
    else this.#token(character);
  }

  get #column(): number {
    return this.#at - this.#lineStart;
  }

  /** The column of the innermost mapping or list; -1 outside of all. */
  get #indent(): number {
    return this.#columns.at(-1) ?? -1;
  }

  #match(pattern: RegExp, at = this.#at): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.#text)?.[0];
  }

  /** Goes on behind `length` characters, in whose place something is written. */
  #take(length: number, written = this.#text.slice(this.#at, this.#at + length)): void {
    this.#at += length;
    this.#written.push(written);
  }

  #blank(character: string): void {
    const isSpace = this.#flow > 0 || !this.#keyAllowed;
    this.#take(1, isSpace ? ' ' : character);
  }

  #lineBreak(): void {
    const found = this.#match(lineBreak) ?? '';
    this.#take(found.length, this.#flow > 0 ? ' ' : found);
    this.#lineStart = this.#at;
    if (this.#flow > 0) return;
    this.#key = undefined;
    this.#keyAllowed = true;
  }

  #comment(): void {
    const found = this.#match(comment) ?? '';
    const isBehindToken = this.#at > this.#lineStart && !isBlank(this.#text[this.#at - 1]);
    if (this.#flow > 0) this.#take(found.length, '');
    else this.#take(found.length, isBehindToken ? ` ${found}` : found);
  }

  /** A directive, or the marker of a document. */
  #whole(): void {
    this.#columns.length = 0;
    if (this.#flow > 0) this.#written.push('\n');
    this.#take((this.#match(marker) ?? this.#match(toLineEnd) ?? '').length);
    this.#keyAllowed = false;
  }

  #token(character: string): void {
    const isFlow = this.#flow > 0;
    if (!isFlow) while (this.#indent > this.#column) this.#columns.pop();
    const isAlone = this.#match(blank, this.#at + 1) !== undefined;
    if (character === '[' || character === '{') this.#open();
    else if (character === ']' || character === '}') this.#close();
    else if (character === ',' && isFlow) this.#take(1);
    else if (character === '-' && isAlone) this.#entry();
    else if (character === '?' && (isFlow || isAlone)) this.#entry(isFlow && !isAlone);
    else if (character === ':' && (isFlow || isAlone)) this.#value(isFlow && !isAlone);
    else if ('&*!'.includes(character)) this.#scalar(this.#match(property) ?? character);
    else if (!isFlow && '|>'.includes(character)) this.#block();
    else if (character === "'") this.#quoted(singleQuoted);
    else if (character === '"') this.#quoted(doubleQuoted);
    else if (indicator.test(character)) this.#take(1);
    else this.#unquoted();
  }

  #open(): void {
    this.#saveKey();
    this.#flow++;
    this.#take(1);
  }

  #close(): void {
    this.#flow = Math.max(0, this.#flow - 1);
    this.#take(1);
    this.#keyAllowed = false;
  }

  /** `-` or `?`: what follows begins a line of its own, so to speak. */
  #entry(isAdjacent = false): void {
    this.#enter(this.#column);
    this.#take(1);
    if (isAdjacent) this.#written.push(' ');
    this.#keyAllowed = true;
  }

  #value(isAdjacent: boolean): void {
    const isImplicit = this.#key !== undefined;
    this.#enter(this.#key ?? this.#column);
    this.#take(1);
    if (isAdjacent) this.#written.push(' ');
    this.#key = undefined;
    this.#keyAllowed = !isImplicit;
  }

  /** A mapping or list begins here, unless it goes on. */
  #enter(column: number): void {
    if (this.#flow === 0 && this.#indent < column) this.#columns.push(column);
  }

  #saveKey(): void {
    if (this.#flow === 0 && this.#keyAllowed) this.#key = this.#column;
    if (this.#flow === 0) this.#keyAllowed = false;
  }

  #scalar(found: string, written = found): void {
    this.#saveKey();
    this.#take(found.length, written);
  }

  #quoted(pattern: RegExp): void {
    const found = this.#match(pattern);
    if (found === undefined) this.#take(this.#text.length - this.#at);
    else if (!/[\r\n]/.test(found)) this.#scalar(found);
    else {
      const line = this.#lineStartIn(found);
      this.#scalar(found, onOneLine(found));
      this.#lineStart = line;
    }
  }

  #lineStartIn(found: string): number {
    const last = Math.max(found.lastIndexOf('\n'), found.lastIndexOf('\r'));
    return last < 0 ? this.#lineStart : this.#at + last + 1;
  }

  #unquoted(): void {
    const start = this.#at;
    const [end, value] = this.#flow > 0 ? this.#unquotedInBrackets() : this.#unquotedInLines();
    if (end === start) this.#take(1);
    else {
      const found = this.#text.slice(start, end);
      const line = this.#lineStartIn(found);
      this.#scalar(found, value ?? found);
      this.#lineStart = line;
    }
  }

  /** Where it ends, and how to write it. */
  #unquotedInBrackets(): readonly [number, string] {
    const found = trimmedEnd(this.#match(inBrackets) ?? '');
    const value = fold(found, '\n');
    const isQuoted = value === '-' || value.endsWith(':') || value.includes('\n');
    return [this.#at + found.length, isQuoted ? JSON.stringify(value) : value];
  }

  /** Where it ends: it goes on in lines that are indented further. */
  #unquotedInLines(): readonly [number, undefined] {
    let end = this.#at;
    for (let at = end; ; ) {
      const word = this.#match(inLines, at);
      if (word === undefined || (at > this.#at && word.startsWith('#'))) break;
      end = at + word.length;
      const gap = this.#match(blanks, end);
      if (gap === undefined) break;
      at = end + gap.length;
      const column = gap.length - 1 - Math.max(gap.lastIndexOf('\n'), gap.lastIndexOf('\r'));
      if (column < gap.length && column <= this.#indent) break;
      if (column === 0 && this.#match(marker, at) !== undefined) break;
    }
    return [end, undefined];
  }

  /** A literal or folded scalar: as it is written, to the line that is indented less. */
  #block(): void {
    const header = this.#match(blockHeader);
    if (header === undefined) {
      this.#take(1);
      return;
    }
    const [indicators = ''] = header.split('#');
    this.#take(header.length, indicators);
    const given = Number(blockIndicator.exec(indicators)?.[0] ?? 0);
    let indent = given === 0 ? 0 : Math.max(this.#indent, 0) + given;
    for (;;) {
      const start = this.#match(blockLine);
      if (start === undefined) break;
      const spaces = start.length - (this.#match(lineBreak)?.length ?? 0);
      const rest = this.#match(toLineEnd, this.#at + start.length) ?? '';
      if (rest !== '' && indent === 0) indent = Math.max(spaces, this.#indent + 1, 1);
      if (rest !== '' && spaces < indent) break;
      this.#take(start.length + rest.length);
    }
    this.#keyAllowed = true;
  }
}

/** A quoted scalar of several lines. */
function onOneLine(quoted: string): string {
  const inner = quoted.slice(1, -1);
  if (quoted.startsWith('"')) return `"${fold(inner, '\\n', true)}"`;
  return JSON.stringify(fold(inner, '\n').replaceAll("''", "'"));
}

/** Puts lines together: of one break comes a blank, of several all but the first; none of one behind a backslash. */
function fold(text: string, lineBreak: string, mayEscape = false): string {
  const lines = text.split(/\r\n?|\n/);
  let folded = '';
  let pending = '';
  for (const [index, whole] of lines.entries()) {
    const isLast = index === lines.length - 1;
    const line = index === 0 ? whole : trimmedStart(whole);
    const isEscaped = mayEscape && !isLast && isEscaping(line);
    const content = isLast ? line : isEscaped ? line.slice(0, -1) : trimmedEnd(line);
    // A blank behind a backslash stays.
    const kept = mayEscape && isEscaping(content) ? line.slice(0, content.length + 1) : content;
    if (kept === '' && index > 0 && !isLast && !isEscaped) {
      pending = pending === ' ' ? lineBreak : pending + lineBreak;
      continue;
    }
    folded += pending + kept;
    pending = isEscaped ? '' : ' ';
  }
  return folded;
}

/** Does an odd number of backslashes end the line? */
function isEscaping(line: string): boolean {
  let at = line.length;
  while (line[at - 1] === '\\') at--;
  return (line.length - at) % 2 === 1;
}

function trimmedStart(line: string): string {
  let start = 0;
  while (isBlank(line[start])) start++;
  return line.slice(start);
}

function trimmedEnd(line: string): string {
  let end = line.length;
  while (isBlank(line[end - 1])) end--;
  return line.slice(0, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r';
}
