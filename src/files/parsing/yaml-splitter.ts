import { isContainerLogStart, isDocumentMarker, isEmptyLine, withoutBreak } from './input-lines.ts';
import { holdsElements, type InputPart, tooLargePart } from './input-part.ts';

/** The parser takes 150 times the memory of what it parses; an object has 1 to 2 MiB. */
const longestYaml = 8 * 1024 * 1024;
/** A list with more text than this is handed out element by element while it is read. */
const largestWhole = 4 * 1024 * 1024;
/** A node property `&anchor`: elements that may refer to each other are parsed together. */
const anchor = /(?:^|[\s[{,])&[^\s&]/;
/** A quoted string that goes on at the margin, where elsewhere a field or an element begins. */
const quotedAtMargin = /[:\-,[{][ \t]*(?:"(?:[^"\\\n]|\\.)*\\?|'(?:[^'\n]|'')*)\n(?![ \t\r\n])/;
const listField = /^(items|objects):\s*(?:#.*)?$/;
/** Neither indented, nor empty, nor a comment. */
const atMargin = /^[^ \t\r\n#]/;
/** How far the dash of a list entry is indented. */
const entryDash = /^( *)-[ \t\r\n]/;

/** A part of the document: an element, or what stands before, between or behind elements. */
interface Segment {
  readonly isElement: boolean;
  readonly line: number;
  text: string;
  /** Its text would be more than is ever parsed, and is not kept. */
  tooLarge: boolean;
}

/**
 * Cuts one YAML document, line by line, into the entries of its block-style `items` and the rest.
 * Indentation alone decides: a scalar that spans lines is nearly always indented further than its key.
 */
export class YamlSplitter {
  readonly #emit: (part: InputPart) => void;
  readonly #startLine: number;
  /** What has not been handed out yet, in the document's order. */
  #segments: Segment[];
  #current: Segment;
  #length = 0;
  #handsOut = false;
  #isList = false;
  /** How far the entries are indented; -1 in front of the first; undefined outside of them. */
  #indent: number | undefined;

  constructor(emit: (part: InputPart) => void, line: number) {
    this.#emit = emit;
    this.#startLine = line;
    this.#current = { isElement: false, line, text: '', tooLarge: false };
    this.#segments = [this.#current];
  }

  /** Takes a line with its line break; not the one that ends the document: answers false to that. */
  add(text: string, line: number): boolean {
    const isAtMargin = atMargin.test(text);
    const mayEnd = isAtMargin && line > this.#startLine;
    if (mayEnd && (isDocumentMarker(text) || isContainerLogStart(withoutBreak(text)))) return false;
    const next = this.#segmentAt(text, isAtMargin);
    if (next) this.#begin(next, line);
    if (isAtMargin && !this.#isList) this.#enterList(text);
    const current = this.#current;
    this.#length += text.length;
    current.tooLarge ||= current.text.length + text.length > longestYaml;
    current.text = current.tooLarge ? '' : current.text + text;
    return true;
  }

  /** The document is complete, unless it shows that it is not. */
  end(): void {
    if (this.#isCutList()) {
      this.cutOff();
      return;
    }
    if (this.#handsOut) {
      this.#handOutElements(true);
      this.#endList();
      return;
    }
    const whole = joinedText(this.#segments);
    if (this.#length < largestWhole && whole.trim() === '') return;
    // Lines within a string are no elements.
    const found = quotedAtMargin.test(whole) ? [] : this.#segments;
    const elements = found.filter(({ isElement }) => isElement);
    if (elements.length > 0 && !anchor.test(whole)) {
      this.#startList();
      this.#handOutElements(true);
      this.#endList();
    } else if (this.#current.tooLarge) {
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
      text: this.#current.text,
      lostMore: true,
    });
    if (isList) this.#emitEnd(undefined);
  }

  /** kubectl writes the kind of a list behind its items: without it, the list does not end where its text does. */
  #isCutList(): boolean {
    if (!this.#handsOut && !this.#segments.some(({ isElement }) => isElement)) return false;
    const fields = joinedText(this.#segments.filter(({ isElement }) => !isElement));
    const kinds = [...fields.matchAll(/^kind:(.*)$/gm)].map(([, kind = '']) => kind.trim());
    return /^apiVersion:/m.test(fields) && kinds.every((kind) => /^L?i?s?$/.test(kind));
  }

  /** Does another segment begin with this line? */
  #segmentAt(text: string, isAtMargin: boolean): 'element' | 'rest' | undefined {
    if (this.#indent === undefined) return undefined;
    const indent = entryDash.exec(text)?.[1]?.length;
    if (this.#indent === -1) {
      if (indent === undefined && isEmptyLine(text)) return undefined;
      // Not a list after all, or one that is written in another way.
      if (indent === undefined) this.#isList = false;
      this.#indent = indent;
      return indent === undefined ? undefined : 'element';
    }
    if (indent === this.#indent) return 'element';
    if (!isAtMargin) return undefined;
    this.#indent = undefined;
    return 'rest';
  }

  #enterList(text: string): void {
    const field = listField.exec(withoutBreak(text))?.[1];
    if (field === undefined || !holdsElements(field, () => this.#current.text)) return;
    this.#isList = true;
    this.#indent = -1;
  }

  #begin(kind: 'element' | 'rest', line: number): void {
    const isLong = this.#length > largestWhole && this.#current.isElement;
    if (!this.#handsOut && isLong) this.#startList();
    if (this.#handsOut) this.#handOutElements(true);
    this.#current = { isElement: kind === 'element', line, text: '', tooLarge: false };
    this.#segments.push(this.#current);
  }

  #startList(): void {
    this.#handsOut = true;
    const text = joinedText(this.#segments.filter(({ isElement }) => !isElement).slice(0, 1));
    this.#emit({ kind: 'list-start', syntax: 'yaml', text, line: this.#startLine });
  }

  #handOutElements(withLast: boolean): void {
    for (const segment of this.#segments) {
      const { isElement, line, text, tooLarge } = segment;
      if (!isElement || (!withLast && segment === this.#current)) continue;
      if (tooLarge) this.#emit(tooLargePart('YAML', line));
      else this.#emit({ kind: 'element', syntax: 'yaml', text, line });
    }
    this.#segments = this.#segments.filter(({ isElement }) => !isElement);
  }

  #endList(): void {
    const isTooLarge = this.#segments.some(({ tooLarge }) => tooLarge);
    if (isTooLarge) this.#emit(tooLargePart('YAML', this.#startLine));
    this.#emitEnd(isTooLarge ? undefined : joinedText(this.#segments));
  }

  #emitEnd(text: string | undefined): void {
    this.#emit({ kind: 'list-end', syntax: 'yaml', text, line: this.#startLine });
  }
}

function joinedText(segments: readonly Segment[]): string {
  return segments.map(({ text }) => text).join('');
}
