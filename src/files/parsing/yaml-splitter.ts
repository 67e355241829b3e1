import { EQUALS, NEWLINE } from '../../kube/ascii.ts';
import {
  entryIndent,
  isContainerLogStart,
  isDocumentMarker,
  isEmptyLine,
  lineText,
  startsAtMargin,
} from './input-lines.ts';
import { holdsElements, type InputPart, TextCapture, tooLargePart } from './input-part.ts';

/** The parser takes 150 times the memory of what it parses; an object has 1 to 2 MiB. */
const longestYaml = 8 * 1024 * 1024;
/** A list with more text than this is handed out element by element while it is read. */
const largestWhole = 4 * 1024 * 1024;
/** A node property `&anchor`: elements that may refer to each other are parsed together. */
const anchor = /(?:^|[\s[{,])&[^\s&]/;
/** A quoted string that goes on at the margin, where elsewhere a field or an element begins. */
const quotedAtMargin = /[:\-,[{][ \t]*(?:"(?:[^"\\\n]|\\.)*\\?|'(?:[^'\n]|'')*)\n(?![ \t\r\n])/;
const shortLine = 100;
const listField = /^(items|objects):\s*(?:#.*)?$/;

interface Segment {
  readonly isElement: boolean;
  readonly line: number;
  readonly text: TextCapture;
}

/**
 * Cuts one YAML document, line by line, into the entries of its block-style `items` and the rest.
 * Indentation alone decides: a scalar that spans lines is nearly always indented further than its key.
 */
export class YamlSplitter {
  /** 1-based line of the next byte. */
  line: number;
  readonly #emit: (part: InputPart) => void;
  readonly #startLine: number;
  /** What has not been handed out yet, in the document's order. */
  #segments: Segment[];
  #current: Segment;
  #bytes = 0;
  #handsOut = false;
  #isList = false;
  /** How far the entries are indented; -1 in front of the first; undefined outside of them. */
  #indent: number | undefined;

  constructor(emit: (part: InputPart) => void, line: number) {
    this.#emit = emit;
    this.line = line;
    this.#startLine = line;
    this.#current = { isElement: false, line, text: new TextCapture(longestYaml) };
    this.#segments = [this.#current];
  }

  /** Takes whole lines; stops in front of the document's end or of a line that is not complete. */
  write(chunk: Buffer, start: number): { readonly at: number; readonly ended: boolean } {
    let at = start;
    let from = start;
    let ended = false;
    for (;;) {
      const newline = endOfLine(chunk, at);
      if (newline < 0) break;
      const margin = startsAtMargin(chunk, at);
      if (margin && this.line > this.#startLine && endsDocument(chunk, at, newline)) {
        ended = true;
        break;
      }
      const next = this.#segmentAt(chunk, at, margin);
      if (next) {
        this.#add(chunk, from, at);
        from = at;
        this.#begin(next);
      }
      if (margin && !this.#isList) this.#enterList(chunk, at, newline, from);
      this.line++;
      at = newline + 1;
    }
    this.#add(chunk, from, at);
    return { at, ended };
  }

  /**
   * The document is complete, unless it shows that it is not. `isOpen`: the line break at its end was not in
   * the input.
   */
  end(isOpen = false): void {
    if (isOpen) this.#current.text.dropLast();
    if (this.#isCutList()) {
      this.cutOff();
      return;
    }
    if (this.#handsOut) {
      this.#handOutElements(true);
      this.#endList();
      return;
    }
    const whole = contentOf(this.#segments);
    if (this.#bytes < largestWhole && whole.trim() === '') return;
    // Lines within a string are no elements.
    const found = quotedAtMargin.test(whole) ? [] : this.#segments;
    const elements = found.filter(({ isElement }) => isElement);
    if (elements.length > 0 && !anchor.test(whole)) {
      this.#startList();
      this.#handOutElements(true);
      this.#endList();
    } else if (this.#current.text.tooLarge) {
      this.#emit(tooLargePart('YAML', this.#startLine));
    } else {
      this.#emit({
        kind: 'document',
        syntax: 'yaml',
        text: whole,
        line: this.#startLine,
        ...(elements.length > 0 && { elementLines: elements.map(({ line }) => line) }),
      });
    }
  }

  /** The input ends inside the document, or may do so: its last part cannot be trusted. */
  cutOff(): void {
    const isList = this.#handsOut || this.#segments.some(({ isElement }) => isElement);
    if (isList && !this.#handsOut) this.#startList();
    if (isList) this.#handOutElements(false);
    const line = isList ? this.#current.line : this.#startLine;
    this.#emit({
      kind: 'broken',
      reason: 'truncated',
      message: 'the YAML that begins here is cut off',
      line,
      text: this.#current.text.text(),
      lostMore: true,
    });
    if (isList) this.#emitEnd(undefined);
  }

  /** kubectl writes the kind of a list behind its items: without it, the list does not end where its text does. */
  #isCutList(): boolean {
    if (!this.#handsOut && !this.#segments.some(({ isElement }) => isElement)) return false;
    const rest = this.#segments.filter(({ isElement }) => !isElement);
    const fields = rest.map(({ text }) => text.text()).join('');
    return /^apiVersion:/m.test(fields) && !/^kind:[ \t]*(?!L?i?s?[ \t]*$)\S/m.test(fields);
  }

  /** Does another segment begin with this line? */
  #segmentAt(chunk: Buffer, at: number, margin: boolean): 'element' | 'rest' | undefined {
    if (this.#indent === undefined) return undefined;
    const indent = entryIndent(chunk, at);
    if (this.#indent === -1) {
      if (indent === undefined && isEmptyLine(chunk, at)) return undefined;
      // Not a list after all, or one that is written in another way.
      if (indent === undefined) this.#isList = false;
      this.#indent = indent;
      return indent === undefined ? undefined : 'element';
    }
    if (indent === this.#indent) return 'element';
    if (!margin) return undefined;
    this.#indent = undefined;
    return 'rest';
  }

  #enterList(chunk: Buffer, at: number, newline: number, from: number): void {
    const field = listField.exec(lineText(chunk, at, newline))?.[1];
    if (field === undefined) return;
    const before = (): string => this.#current.text.text() + chunk.toString('utf8', from, at);
    if (!holdsElements(field, before)) return;
    this.#isList = true;
    this.#indent = -1;
  }

  #begin(kind: 'element' | 'rest'): void {
    if (!this.#handsOut && this.#bytes > largestWhole && this.#current.isElement) this.#startList();
    if (this.#handsOut) this.#handOutElements(true);
    this.#current = {
      isElement: kind === 'element',
      line: this.line,
      text: new TextCapture(longestYaml),
    };
    this.#segments.push(this.#current);
  }

  #add(chunk: Buffer, from: number, to: number): void {
    this.#bytes += to - from;
    this.#current.text.add(chunk, from, to);
  }

  #startList(): void {
    this.#handsOut = true;
    const text = contentOf(this.#segments.filter(({ isElement }) => !isElement).slice(0, 1));
    this.#emit({ kind: 'list-start', syntax: 'yaml', text, line: this.#startLine });
  }

  #handOutElements(withLast: boolean): void {
    for (const { isElement, line, text } of this.#segments) {
      if (!isElement || (!withLast && text === this.#current.text)) continue;
      if (text.tooLarge) this.#emit(tooLargePart('YAML', line));
      else this.#emit({ kind: 'element', syntax: 'yaml', text: text.text(), line });
    }
    this.#segments = this.#segments.filter(({ isElement }) => !isElement);
  }

  #endList(): void {
    const tooLarge = this.#segments.some(({ text }) => text.tooLarge);
    if (tooLarge) this.#emit(tooLargePart('YAML', this.#startLine));
    this.#emitEnd(tooLarge ? undefined : contentOf(this.#segments));
  }

  #emitEnd(text: string | undefined): void {
    this.#emit({ kind: 'list-end', syntax: 'yaml', text, line: this.#startLine });
  }
}

/** Where the line ends; -1: behind the chunk. Most are so short that asking for it takes longer than looking. */
function endOfLine(chunk: Buffer, start: number): number {
  const near = Math.min(chunk.length, start + shortLine);
  for (let at = start; at < near; at++) if (chunk[at] === NEWLINE) return at;
  return chunk.indexOf(NEWLINE, near);
}

function contentOf(segments: readonly Segment[]): string {
  return segments.map(({ text }) => text.text()).join('');
}

function endsDocument(chunk: Buffer, at: number, newline: number): boolean {
  return isDocumentMarker(chunk, at) || isContainerLogStart(lineStart(chunk, at, newline));
}

function lineStart(chunk: Buffer, at: number, newline: number): string {
  return chunk[at] === EQUALS ? lineText(chunk, at, newline) : '';
}
