import { isAscii } from 'node:buffer';
import type { InputPart } from '../../files/parsing/input-part.ts';
import { JsonSplitter } from '../../files/parsing/json-splitter.ts';
import {
  CLOSE_BRACKET,
  COMMA,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  SPACE,
} from '../../syntax/ascii.ts';
import { listFields } from './audit-formats.ts';
import { CsvRecords, isCsvHeader } from './csv-records.ts';

/** Takes what stands in a file; each with the line on which it begins. */
export interface AuditTexts {
  /** Answers whether a whole line is an event as the API server writes it, and was taken. */
  readonly takes: (line: string) => boolean;
  readonly value: (value: unknown, line: number) => void;
  /** The text of a value that stands on several lines, or is very long. Answers whether it is JSON. */
  readonly text: (text: string, line: number) => boolean;
  readonly problem: (message: string, line: number) => void;
}

/** A longer line is cut into the elements of its list, where it is one; it need not be in memory as a whole. */
const longestLine = 1024 * 1024;
/** Where one begins while a document is open, the document was cut off: nested lines are indented, or are a brace alone. */
const lineStart = Buffer.from('\n{"');
/** Where one begins within a line, the API server ended before it had written the event in front of it. */
const eventStart = Buffer.from('{"kind":"Event","apiVersion":"audit.k8s.io/');
/** What other programs write in front of a line: a time (CloudWatch's exports, containers' logs), a node (oc adm node-logs). */
const prefix = /^[!-~]{1,253} (?:std(?:out|err) [FP] )?(?=\{")/;
const empty = Buffer.alloc(0);
const listNames: ReadonlySet<string> = new Set(listFields);

/**
 * Cuts a log into JSON values: one a line, or documents of many lines, one after the other or as the elements of a
 * list; or a CSV. What is none is reported, and reading goes on with the next line.
 */
export class AuditTextReader {
  readonly #texts: AuditTexts;
  #rest: Buffer = empty;
  #line = 1;
  #isFirst = true;
  #document: JsonSplitter | undefined;
  #csv: CsvRecords | undefined;
  /** The rest of this line belongs to something that was reported. */
  #skipsLine = false;
  /** On this line ended a value that began in front of it, or was not the only one. */
  #isBehindValue = false;
  #isInGarbage = false;
  /** In the bytes that are being read, where the next line begins as lineStart has it. */
  #nextStart = -1;
  #newline = -1;
  /** The text of these bytes; empty where they are not ASCII. */
  #ascii: string | undefined;

  constructor(texts: AuditTexts) {
    this.#texts = texts;
  }

  write(chunk: Buffer): void {
    const newline = this.#rest.length > 0 ? chunk.indexOf(NEWLINE) : -1;
    // Only the line that the last chunk began is copied.
    if (newline >= 0) this.#read(Buffer.concat([this.#rest, chunk.subarray(0, newline + 1)]));
    const rest = newline >= 0 ? chunk.subarray(newline + 1) : chunk;
    this.#read(this.#rest.length > 0 ? Buffer.concat([this.#rest, rest]) : rest);
  }

  #read(bytes: Buffer): void {
    this.#nextStart = -1;
    this.#newline = -1;
    this.#ascii = undefined;
    let at = 0;
    while (at < bytes.length && !this.#csv) {
      const document = this.#document;
      const next = document ? this.#readDocument(document, bytes, at) : this.#readLine(bytes, at);
      if (next === at && document === this.#document && !this.#csv) break;
      at = next;
    }
    this.#csv?.write(bytes.subarray(at));
    this.#rest = this.#csv ? empty : bytes.subarray(at);
  }

  /** The input ends here, by itself or cut off. */
  end(): void {
    const isOpenLine = this.#rest.length > 0 && !this.#document;
    if (isOpenLine) this.#read(Buffer.concat([this.#rest, lineStart.subarray(0, 1)]));
    const document = this.#document;
    if (document && document.write(this.#rest, 0) < 0) document.cutOff();
    if (this.#csv && !this.#csv.end()) {
      this.#problem('the record that begins here is cut off', this.#csv.startLine);
    }
  }

  #readLine(bytes: Buffer, at: number): number {
    const newline = this.#newlineFrom(bytes, at);
    if (newline < 0 && bytes.length - at <= longestLine) return at;
    const end = newline < 0 ? bytes.length : newline;
    let start = at;
    while (start < end && isBlank(bytes[start])) start++;
    if (this.#skipsLine || start === end) return newline < 0 ? end : this.#endLine(newline);
    const isJson = bytes[start] === OPEN_BRACE || bytes[start] === OPEN_BRACKET;
    if (isJson && (newline < 0 || this.#isBehindValue)) return this.#begin(start);
    if (newline >= 0) return this.#readWholeLine(bytes, start, newline);
    this.#problem('a line that is too long, and no JSON', this.#line);
    this.#skipsLine = true;
    return end;
  }

  /** Looked for once: a line may hold thousands of values. */
  #newlineFrom(bytes: Buffer, at: number): number {
    if (this.#newline < at) {
      const found = bytes.indexOf(NEWLINE, at);
      this.#newline = found < 0 ? bytes.length : found;
    }
    return this.#newline < bytes.length ? this.#newline : -1;
  }

  #readWholeLine(bytes: Buffer, start: number, newline: number): number {
    const isObject = bytes[start] === OPEN_BRACE;
    let end = newline;
    // The lines of a list that has one element a line, and the brackets around it.
    while (end > start && mayFollow(bytes[end - 1], isObject)) end--;
    if (end === start || (end === start + 1 && isBracket(bytes[start]))) {
      return this.#endLine(newline);
    }
    const text = this.#textOf(bytes, start, end);
    if (isObject && this.#texts.takes(text)) return this.#endLine(newline, true);
    const skipped = isObject || bytes[start] === OPEN_BRACKET ? 0 : prefixLength(text);
    if (skipped === undefined) return this.#readOther(text, start, newline);
    const value = parsed(text.slice(skipped));
    if (value === undefined) return this.#readPart(bytes, start + skipped, end);
    this.#texts.value(value, this.#line);
    return this.#endLine(newline, true);
  }

  /** Where all bytes are ASCII, as mostly, they are decoded once for all lines. */
  #textOf(bytes: Buffer, start: number, end: number): string {
    this.#ascii ??= isAscii(bytes) ? bytes.toString('latin1') : '';
    const all = this.#ascii;
    return all === '' ? bytes.toString('utf8', start, end) : all.slice(start, end);
  }

  /** A line that is not one value. */
  #readPart(bytes: Buffer, start: number, end: number): number {
    const line = bytes.subarray(start, end);
    const next = line.indexOf(eventStart, 1);
    const isCutOff =
      next > 0 &&
      line.indexOf(eventStart) === 0 &&
      parsed(line.toString('utf8', 0, next)) === undefined;
    if (!isCutOff) return this.#begin(firstOfList(bytes, start, end) ?? start);
    this.#problem('an event that is cut off', this.#line);
    return start + line.lastIndexOf(eventStart);
  }

  #readOther(text: string, start: number, newline: number): number {
    if (this.#isFirst && isCsvHeader(text)) {
      this.#csv = new CsvRecords((row, line) => this.#row(row, line), this.#line);
      return start;
    }
    this.#problem('no JSON', this.#line, true);
    return this.#endLine(newline);
  }

  #endLine(newline: number, isEvent = false): number {
    if (isEvent) {
      this.#isFirst = false;
      this.#isInGarbage = false;
    }
    this.#line++;
    this.#skipsLine = false;
    this.#isBehindValue = false;
    return newline + 1;
  }

  /** A value that does not end on its line, or too late, or before the line does. */
  #begin(start: number): number {
    this.#isFirst = false;
    const holds = (field: string): boolean => listNames.has(field);
    this.#document = new JsonSplitter((part) => this.#part(part), this.#line, holds);
    return start;
  }

  #readDocument(document: JsonSplitter, bytes: Buffer, at: number): number {
    if (this.#nextStart <= at) {
      const found = bytes.indexOf(lineStart, at);
      this.#nextStart = found < 0 ? bytes.length : found + 1;
    }
    const isCutOff = this.#nextStart < bytes.length;
    const limit = isCutOff ? this.#nextStart : bytes.length - beginningOfLineStart(bytes);
    if (at >= limit) return at;
    const end = document.write(limit < bytes.length ? bytes.subarray(0, limit) : bytes, at);
    if (end < 0 && !isCutOff) return limit;
    this.#document = undefined;
    if (end < 0) document.cutOff();
    this.#line = document.line;
    this.#skipsLine = end >= 0 && document.broken && !document.atLineStart;
    this.#isBehindValue = end >= 0 && !document.broken;
    return end < 0 ? limit : end;
  }

  #part(part: InputPart): void {
    if (part.kind === 'broken') this.#problem(part.message, part.line);
    else if (part.kind === 'document' || part.kind === 'element') {
      const { text, line } = part;
      if (text !== undefined && this.#texts.text(text, line)) this.#isInGarbage = false;
      else this.#problem('invalid JSON', line);
    }
  }

  #row(row: Readonly<Record<string, string>> | undefined, line: number): void {
    if (row) this.#texts.value(row, line);
    else this.#problem('a record that is too large', line);
  }

  /** `isLine`: of many lines one after the other that are no JSON, only the first is reported. */
  #problem(message: string, line: number, isLine = false): void {
    this.#isFirst = false;
    if (!isLine || !this.#isInGarbage) this.#texts.problem(message, line);
    this.#isInGarbage = true;
  }
}

/** Of a list whose first element begins on the same line: each is read alone, so that one that is cut off loses no other. */
function firstOfList(bytes: Buffer, start: number, end: number): number | undefined {
  if (bytes[start] !== OPEN_BRACKET) return undefined;
  let next = start + 1;
  while (next < end && isBlank(bytes[next])) next++;
  return next < end && bytes[next] === OPEN_BRACE ? next : undefined;
}

/** How many bytes at the end may be the first ones of what is looked for. */
function beginningOfLineStart(bytes: Buffer): number {
  if (bytes.at(-1) === NEWLINE) return 1;
  return bytes.at(-1) === OPEN_BRACE && bytes.at(-2) === NEWLINE ? 2 : 0;
}

/** Between values: white space, and the commas of a list. */
function isBlank(byte: number | undefined): boolean {
  return byte !== undefined && (byte <= SPACE || byte === COMMA);
}

function mayFollow(byte: number | undefined, isObject: boolean): boolean {
  return isBlank(byte) || (isObject && byte === CLOSE_BRACKET);
}

function isBracket(byte: number | undefined): boolean {
  return byte === OPEN_BRACKET || byte === CLOSE_BRACKET;
}

/** The length of the text that other programs write before JSON; undefined if the line contains no JSON. */
function prefixLength(text: string): number | undefined {
  return prefix.exec(text.slice(0, 400))?.[0].length;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
