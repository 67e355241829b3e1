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
  #written = '';
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
    return this.#written;
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
    this.#written += written;
  }

  /** The same of a scalar, an anchor or an alias, which may span lines. */
  #scalar(found: string, written = found): void {
    this.#saveKey();
    const last = Math.max(found.lastIndexOf('\n'), found.lastIndexOf('\r'));
    if (last >= 0) this.#lineStart = this.#at + last + 1;
    this.#take(found.length, written);
  }

  #step(): void {
    const character = this.#text.charAt(this.#at);
    const isFlow = this.#flow > 0;
    if (character === ' ' || character === '\t') {
      this.#take(1, isFlow || !this.#keyAllowed ? ' ' : character);
    } else if (character === '\n' || character === '\r') {
      const found = this.#match(lineBreak) ?? '';
      this.#take(found.length, isFlow ? ' ' : found);
      this.#lineStart = this.#at;
      if (isFlow) return;
      this.#key = undefined;
      this.#keyAllowed = true;
    } else if (character === '#') {
      const found = this.#match(comment) ?? '';
      const isBehindToken = this.#column > 0 && !isWhitespace(this.#text[this.#at - 1]);
      this.#take(found.length, isFlow ? '' : isBehindToken ? ` ${found}` : found);
    } else if (this.#column === 0 && (character === '%' || this.#match(marker))) {
      // A directive, or the marker of a document.
      this.#columns.length = 0;
      if (isFlow) this.#written += '\n';
      this.#take((this.#match(marker) ?? this.#match(toLineEnd) ?? '').length);
      this.#keyAllowed = false;
    } else this.#token(character, isFlow);
  }

  #token(character: string, isFlow: boolean): void {
    if (!isFlow) while (this.#indent > this.#column) this.#columns.pop();
    const isAlone = this.#match(blank, this.#at + 1) !== undefined;
    if (character === '[' || character === '{') {
      this.#saveKey();
      this.#flow++;
      this.#take(1);
    } else if (character === ']' || character === '}') {
      this.#flow = Math.max(0, this.#flow - 1);
      this.#take(1);
      this.#keyAllowed = false;
    } else if ((character === '-' && isAlone) || (character === '?' && (isFlow || isAlone))) {
      // The content after the indicator counts as the beginning of a line.
      this.#indicate(this.#column, character === '?' && !isAlone);
      this.#keyAllowed = true;
    } else if (character === ':' && (isFlow || isAlone)) {
      const key = this.#key;
      this.#indicate(key ?? this.#column, !isAlone);
      this.#key = undefined;
      this.#keyAllowed = key === undefined;
    } else if ('&*!'.includes(character)) this.#scalar(this.#match(property) ?? character);
    else if (!isFlow && '|>'.includes(character)) this.#block();
    else if (character === "'") this.#quoted(singleQuoted);
    else if (character === '"') this.#quoted(doubleQuoted);
    else if (indicator.test(character)) this.#take(1);
    else if (isFlow) this.#unquotedInBrackets();
    else this.#unquotedInLines();
  }

  /** A mapping or list begins at a column, unless it goes on; the indicator is set apart from what follows. */
  #indicate(column: number, isAdjacent: boolean): void {
    if (this.#flow === 0 && this.#indent < column) this.#columns.push(column);
    this.#take(1);
    if (isAdjacent) this.#written += ' ';
  }

  #saveKey(): void {
    if (this.#flow > 0) return;
    if (this.#keyAllowed) this.#key = this.#column;
    this.#keyAllowed = false;
  }

  #quoted(pattern: RegExp): void {
    const found = this.#match(pattern);
    if (found === undefined) this.#take(this.#text.length - this.#at);
    else this.#scalar(found, /[\r\n]/.test(found) ? onOneLine(found) : found);
  }

  #unquotedInBrackets(): void {
    const found = trimmedEnd(this.#match(inBrackets) ?? '');
    const value = fold(found, '\n');
    const isQuoted = value === '-' || value.endsWith(':') || value.includes('\n');
    if (found === '') this.#take(1);
    else this.#scalar(found, isQuoted ? JSON.stringify(value) : value);
  }

  /** It goes on in lines that are indented further. */
  #unquotedInLines(): void {
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
    if (end === this.#at) this.#take(1);
    else this.#scalar(this.#text.slice(this.#at, end));
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
    const line = index === 0 ? whole : whole.replace(/^[ \t]+/, '');
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

function trimmedEnd(line: string): string {
  let end = line.length;
  while (isWhitespace(line[end - 1])) end--;
  return line.slice(0, end);
}

function isWhitespace(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r';
}
