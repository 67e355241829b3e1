import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from '../../syntax/ascii.ts';
import { holdsElements, type InputPart, TextCapture, tooLargePart } from './input-part.ts';

/** The bit that makes a bracket a brace. */
const BRACKET_OR_BRACE = 0x20;
/** Behind it stands the value of a field that may hold the elements of a list. */
const elementsField = /(?<!\\)"(\w+)"\s*:\s*\[$/;
/** So much is looked at for it. */
const longestField = 64;
const misplaced = 'a bracket or brace where none may stand';
/** As Go's decoder has it. */
const deepestNesting = 10_000;

/**
 * Cuts one JSON value, byte by byte, into the elements of its `items` (or of the array it is, or of another field that
 * `holds` names) and the rest. It only counts brackets; JSON.parse checks whether a part is valid.
 */
export class JsonSplitter {
  /** 1-based line of the next byte. */
  line: number;
  /** The value ended where it must not: what follows cannot be trusted. */
  broken = false;
  /** Is the place where it broke the beginning of a line? */
  atLineStart = false;
  readonly #emit: (part: InputPart) => void;
  readonly #holds: typeof holdsElements;
  readonly #startLine: number;
  readonly #rest = new TextCapture();
  readonly #element = new TextCapture();
  #elementLine = 0;
  #inElement = false;
  /** Where the part of this chunk begins that belongs to the element or to the rest; -1: none does. */
  #from = -1;
  /** The brackets that are open; their number is the depth. */
  readonly #open: number[] = [];
  /** The last byte that was no white space; a quote behind a string. */
  #last = 0;
  #endsWithLine = false;
  #inString = false;
  #escaped = false;
  /** Depth right inside the array whose elements are cut out; 0 outside of it. */
  #elementDepth = 0;
  #isArray = false;
  #isList = false;

  constructor(emit: (part: InputPart) => void, line: number, holds = holdsElements) {
    this.#emit = emit;
    this.#holds = holds;
    this.line = line;
    this.#startLine = line;
  }

  /** Reads on from `start`; returns the index behind the value, or -1 when it goes on in the next chunk. */
  write(chunk: Buffer, start: number): number {
    const open = this.#open;
    let at = start;
    this.#from = this.#isCapturing() ? start : -1;
    while (at < chunk.length) {
      if (this.#inString) {
        at = this.#endOfString(chunk, at);
        if (this.#inString && at < chunk.length) {
          return this.#break(chunk, at, 'a line break inside a string');
        }
        continue;
      }
      // Most bytes are deep inside, where only strings and brackets matter.
      if (open.length > 2) at = this.#toStringOrBracket(chunk, at);
      const byte = chunk[at];
      if (byte === undefined) break;
      if (byte === NEWLINE) this.line++;
      if (byte <= SPACE) {
        at++;
        continue;
      }
      if (open.length === this.#elementDepth && this.#elementDepth > 0) {
        this.#betweenElements(chunk, at, byte);
      }
      if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (!this.#mayOpen()) return this.#break(chunk, at, misplaced);
        this.#openBracket(chunk, at, byte);
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (!this.#closeBracket(chunk, at, byte)) return this.#break(chunk, at, misplaced);
        if (open.length === 0) {
          this.#end();
          return at + 1;
        }
      }
      this.#last = byte;
      at++;
    }
    this.#keep(chunk, this.#from, at);
    this.#endsWithLine = chunk[chunk.length - 1] === NEWLINE;
    return -1;
  }

  /** Between the elements, or in one that is neither object nor array. */
  #betweenElements(chunk: Buffer, at: number, byte: number): void {
    if (byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      if (this.#inElement) this.#endElement(chunk, this.#from, at);
      this.#from = byte === COMMA ? -1 : at;
    } else if (!this.#inElement) {
      this.#inElement = true;
      this.#elementLine = this.line;
      this.#from = at;
    }
  }

  #openBracket(chunk: Buffer, at: number, byte: number): void {
    const open = this.#open;
    if (open.length === 0) this.#from = at;
    open.push(byte);
    if (byte === OPEN_BRACKET && open.length <= 2 && this.#elementDepth === 0) {
      this.#rest.add(chunk, this.#from, at + 1);
      this.#from = this.#startsElements() ? -1 : at + 1;
    }
  }

  /** Does it close the bracket that was opened last? */
  #closeBracket(chunk: Buffer, at: number, byte: number): boolean {
    const open = this.#open;
    if (open.length === this.#elementDepth) this.#elementDepth = 0;
    if (open.pop() !== byte - 2) return false;
    if (open.length === 0) this.#rest.add(chunk, this.#from, at + 1);
    else if (open.length === this.#elementDepth) {
      this.#endElement(chunk, this.#from, at + 1);
      this.#from = -1;
    }
    return true;
  }

  /** The input ends inside the value. */
  cutOff(): void {
    const line = this.#inElement ? this.#elementLine : this.#startLine;
    const text = this.#inElement ? this.#element.text() : this.#rest.text();
    this.#emitBroken('truncated', 'the JSON that begins here is cut off', line, text);
  }

  #isCapturing(): boolean {
    return this.#inElement || (this.#open.length > 0 && this.#elementDepth === 0);
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    if (from < 0) return;
    (this.#inElement ? this.#element : this.#rest).add(chunk, from, to);
  }

  /** Index behind the string, or of the line break in it, which JSON forbids. */
  #endOfString(chunk: Buffer, start: number): number {
    let escaped = this.#escaped;
    let at = start;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === NEWLINE) break;
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) {
        this.#inString = false;
        this.#last = QUOTE;
        at++;
        break;
      }
    }
    this.#escaped = escaped;
    return at;
  }

  #toStringOrBracket(chunk: Buffer, start: number): number {
    let at = start;
    let lines = 0;
    let last = this.#last;
    for (; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (byte === NEWLINE) lines++;
      else if (byte > SPACE) {
        const bracket = byte | BRACKET_OR_BRACE;
        if (byte === QUOTE || bracket === OPEN_BRACE || bracket === CLOSE_BRACE) break;
        last = byte;
      }
    }
    this.line += lines;
    this.#last = last;
    return at;
  }

  /** An object or array can only be a value: where none may stand, something is missing before it. */
  #mayOpen(): boolean {
    const open = this.#open;
    if (open.length >= deepestNesting) return false;
    if (open.length === 0 || this.#last === COLON) return true;
    const isInArray = open[open.length - 1] === OPEN_BRACKET;
    return isInArray && (this.#last === OPEN_BRACKET || this.#last === COMMA);
  }

  /** Does the bracket that was read last open the array whose elements are cut out? */
  #startsElements(): boolean {
    if (this.#open.length === 1) {
      this.#isArray = true;
      this.#elementDepth = 1;
      return true;
    }
    const field = elementsField.exec(this.#rest.tail(longestField))?.[1];
    const text = (): string => `${this.#rest.text()}]}`;
    if (field === undefined || this.#isList || !this.#holds(field, text)) return false;
    this.#isList = true;
    this.#elementDepth = 2;
    this.#emit({ kind: 'list-start', syntax: 'json', text: text(), line: this.#startLine });
    return true;
  }

  #endElement(chunk: Buffer, from: number, to: number): void {
    this.#element.add(chunk, from, to);
    const { tooLarge } = this.#element;
    const text = this.#element.take();
    this.#inElement = false;
    const line = this.#elementLine;
    if (tooLarge) this.#emit(tooLargePart('JSON', line));
    else if (this.#isArray)
      this.#emit({ kind: 'document', syntax: 'json', text, line, inArray: true });
    else this.#emit({ kind: 'element', syntax: 'json', text, line });
  }

  #end(): void {
    const { tooLarge } = this.#rest;
    if (this.#isArray && !tooLarge) return;
    const text = this.#rest.take();
    const line = this.#startLine;
    if (tooLarge) this.#emit(tooLargePart('JSON', line));
    if (this.#isList) {
      this.#emit({ kind: 'list-end', syntax: 'json', text: tooLarge ? undefined : text, line });
    } else if (!tooLarge) {
      this.#emit({ kind: 'document', syntax: 'json', text, line });
    }
  }

  #break(chunk: Buffer, at: number, fault: string): number {
    this.#keep(chunk, this.#from, at);
    this.broken = true;
    this.atLineStart = at > 0 ? chunk[at - 1] === NEWLINE : this.#endsWithLine;
    const text = this.#inElement ? this.#element.text() : this.#rest.text();
    this.#emitBroken('unreadable', `invalid JSON: ${fault}`, this.line, text);
    return at;
  }

  #emitBroken(
    reason: 'truncated' | 'unreadable',
    message: string,
    line: number,
    text: string,
  ): void {
    this.#emit({ kind: 'broken', reason, message, line, text, lostMore: true });
    if (this.#isList) {
      this.#emit({ kind: 'list-end', syntax: 'json', text: undefined, line: this.#startLine });
    }
  }
}
