import { NEWLINE, OPEN_BRACE, OPEN_BRACKET, SPACE } from '../../kube/ascii.ts';
import { refusalOfVersion } from '../../snapshot/saved-snapshot.ts';
import {
  containerLogEnd,
  isContainerLogStart,
  isDocumentMarker,
  isEmptyLine,
  lineText,
} from './input-lines.ts';
import { type InputPart, maxPartBytes } from './input-part.ts';
import { JsonSplitter } from './json-splitter.ts';
import { NotText } from './parse-json.ts';
import { SnapshotSplitter, snapshotVersionAt } from './snapshot-splitter.ts';
import { YamlSplitter } from './yaml-splitter.ts';

const endOfLine = Buffer.from('\n');
/** No line that begins or ends something is longer. */
const longestMarker = 4096;

type State =
  | { readonly in: 'gap' }
  | { readonly in: 'json'; readonly splitter: JsonSplitter }
  | { readonly in: 'yaml'; readonly splitter: YamlSplitter }
  | { readonly in: 'snapshot'; readonly splitter: SnapshotSplitter }
  | { readonly in: 'refused-snapshot' }
  | { readonly in: 'container-log'; readonly end: string; readonly line: number }
  | { readonly in: 'garbage' };

const gap: State = { in: 'gap' };

/**
 * Recognises by content what an input holds (JSON values one after the other, YAML documents, a
 * cluster-info dump with logs in between) and cuts it into parts, whatever the chunks' sizes.
 */
export class DocumentReader {
  readonly #emit: (part: InputPart) => void;
  #state: State = gap;
  #line = 1;
  /** Bytes of a line that goes on in the next chunk. */
  #unfinished: Buffer | undefined;
  #atLineStart = true;
  #afterMarker = false;
  #sawJson = false;
  #isEnding = false;

  constructor(emit: (part: InputPart) => void) {
    this.#emit = emit;
  }

  write(bytes: Buffer): void {
    let chunk = bytes;
    // Only the line that was waited for is put together: the rest of the chunk stays where it is.
    while (this.#unfinished && (this.#isEnding || chunk.length > 0)) {
      const newline = chunk.indexOf(NEWLINE);
      const end = newline < 0 ? chunk.length : newline + 1;
      const line = Buffer.concat([this.#unfinished, chunk.subarray(0, end)]);
      this.#unfinished = undefined;
      this.#read(line);
      chunk = chunk.subarray(end);
      if (this.#isEnding && chunk.length === 0) return;
    }
    this.#read(chunk);
  }

  #read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      const next = this.#step(chunk, at);
      if (next === undefined) return;
      if (next < 0) {
        this.#unfinished = chunk.subarray(at);
        return;
      }
      at = next;
    }
  }

  /** The input ends here: by itself, or cut off. */
  end(cutOff: boolean): void {
    this.#isEnding = true;
    // A line that was waited for, and did not end.
    this.write(Buffer.alloc(0));
    const isOpen = this.#unfinished !== undefined;
    const needsEnd = this.#state.in !== 'json' && (isOpen || this.#state.in !== 'yaml');
    if (!cutOff && needsEnd) this.write(endOfLine);
    const state = this.#state;
    if (state.in === 'json' || state.in === 'snapshot') {
      state.splitter.cutOff();
    } else if (cutOff && state.in === 'yaml') {
      state.splitter.cutOff();
    } else if (state.in === 'container-log') {
      this.#emitCutOff('the container log that begins here is cut off', state.line);
    } else if (cutOff) {
      this.#emitCutOff('the input is cut off', this.#line);
    } else if (state.in === 'yaml') {
      state.splitter.end(isOpen);
    }
  }

  #emitCutOff(message: string, line: number): void {
    this.#emit({ kind: 'broken', reason: 'truncated', message, line, lostMore: true });
  }

  /** Reads on from `at`: how far it came, -1 when the line must be complete first, undefined when all was taken. */
  #step(chunk: Buffer, at: number): number | undefined {
    const state = this.#state;
    switch (state.in) {
      case 'json':
        return this.#json(state.splitter, chunk, at);
      case 'yaml':
        return this.#yaml(state.splitter, chunk, at);
      case 'snapshot':
        return this.#snapshot(state.splitter, chunk, at);
      case 'refused-snapshot':
        return undefined;
      case 'gap':
        return this.#gap(chunk, at);
      default:
        return this.#skipLine(state, chunk, at);
    }
  }

  #json(splitter: JsonSplitter, chunk: Buffer, at: number): number | undefined {
    const end = splitter.write(chunk, at);
    if (end < 0) return undefined;
    this.#line = splitter.line;
    this.#atLineStart = splitter.atLineStart;
    this.#state = splitter.broken ? { in: 'garbage' } : gap;
    return end;
  }

  #snapshot(splitter: SnapshotSplitter, chunk: Buffer, at: number): number | undefined {
    const end = splitter.write(chunk, at);
    this.#line = splitter.line;
    if (end < 0) return undefined;
    this.#atLineStart = true;
    this.#state = gap;
    return end;
  }

  #yaml(splitter: YamlSplitter, chunk: Buffer, at: number): number {
    const { at: next, ended } = splitter.write(chunk, at);
    this.#line = splitter.line;
    if (ended) {
      splitter.end();
      this.#state = gap;
      return next;
    }
    if (next === at) this.#refuseEndlessLine(chunk.length - at);
    return next === at ? -1 : next;
  }

  /** Between two documents. */
  #gap(chunk: Buffer, start: number): number | undefined {
    let lineStart = start;
    let at = start;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === undefined || byte > SPACE) break;
      if (byte !== NEWLINE) continue;
      this.#line++;
      this.#atLineStart = true;
      lineStart = at + 1;
    }
    if (at === chunk.length) {
      if (lineStart === at) return undefined;
      this.#refuseEndlessLine(at - lineStart);
      this.#unfinished = chunk.subarray(lineStart);
      return undefined;
    }
    const byte = chunk[at];
    if (!this.#afterMarker && (byte === OPEN_BRACE || byte === OPEN_BRACKET)) {
      if (at + 1 === chunk.length) {
        this.#unfinished = chunk.subarray(lineStart);
        return undefined;
      }
      // `{{` begins a template, not an object.
      if (chunk[at + 1] !== OPEN_BRACE || byte === OPEN_BRACKET) {
        const version = snapshotVersionAt(chunk, at);
        if (version === 'unknown') {
          this.#unfinished = chunk.subarray(lineStart);
          return undefined;
        }
        return version === undefined ? this.#startJson(at) : this.#startSnapshot(version, at);
      }
    }
    const newline = chunk.indexOf(NEWLINE, at);
    if (newline < 0) {
      this.#refuseEndlessLine(chunk.length - lineStart);
      this.#unfinished = chunk.subarray(lineStart);
      return undefined;
    }
    return this.#startOther(chunk, lineStart, newline);
  }

  #startJson(at: number): number {
    this.#sawJson = true;
    this.#state = { in: 'json', splitter: new JsonSplitter(this.#emit, this.#line) };
    return at;
  }

  #startSnapshot(version: string, at: number): number {
    this.#sawJson = true;
    const message = refusalOfVersion(version);
    if (message === undefined) {
      this.#state = { in: 'snapshot', splitter: new SnapshotSplitter(this.#emit, this.#line) };
      return at;
    }
    const line = this.#line;
    this.#emit({ kind: 'broken', reason: 'unreadable', message, line, lostMore: true });
    this.#state = { in: 'refused-snapshot' };
    return at;
  }

  #startOther(chunk: Buffer, lineStart: number, newline: number): number {
    const text = lineText(chunk, lineStart, newline);
    if (isContainerLogStart(text)) {
      this.#state = { in: 'container-log', end: containerLogEnd(text), line: this.#line };
      return this.#nextLine(newline);
    }
    if (this.#atLineStart && isDocumentMarker(chunk, lineStart)) {
      this.#sawJson = false;
      this.#afterMarker = text.startsWith('-');
      const behind = text.slice(3).trim();
      if (behind === '' || behind.startsWith('#')) return this.#nextLine(newline);
    } else if (isEmptyLine(chunk, lineStart) || text.startsWith('%')) {
      return this.#nextLine(newline);
    } else if (this.#sawJson) {
      const message = 'neither JSON nor the beginning of a YAML document';
      this.#emit({
        kind: 'broken',
        reason: 'unreadable',
        message,
        line: this.#line,
        lostMore: false,
      });
      this.#state = { in: 'garbage' };
      return this.#nextLine(newline);
    }
    this.#afterMarker = false;
    this.#state = { in: 'yaml', splitter: new YamlSplitter(this.#emit, this.#line) };
    return lineStart;
  }

  #skipLine(
    state: Extract<State, { in: 'container-log' | 'garbage' }>,
    chunk: Buffer,
    at: number,
  ): number | undefined {
    const newline = chunk.indexOf(NEWLINE, at);
    if (newline < 0) return this.#skipLongLine(state, chunk, at);
    if (state.in === 'container-log') {
      // A log need not end with a line break.
      if (lineText(chunk, at, newline).endsWith(state.end)) this.#state = gap;
    } else if (this.#atLineStart && canFollowGarbage(chunk, at, newline)) {
      this.#state = gap;
      return at;
    }
    return this.#nextLine(newline);
  }

  /** Of a line that goes on, only as much is kept as shows what it is. */
  #skipLongLine({ in: where }: State, chunk: Buffer, at: number): number | undefined {
    if (chunk.length - at <= longestMarker) return -1;
    if (where === 'garbage' && this.#atLineStart && startsDocument(chunk, at)) {
      this.#state = gap;
      return at;
    }
    this.#atLineStart = false;
    this.#unfinished = Buffer.from(chunk.subarray(-longestMarker));
    return undefined;
  }

  #nextLine(newline: number): number {
    this.#line++;
    this.#atLineStart = true;
    return newline + 1;
  }

  #refuseEndlessLine(bytes: number): void {
    if (bytes > maxPartBytes) throw new NotText(`line ${this.#line} does not end`);
  }
}

function canFollowGarbage(chunk: Buffer, at: number, newline: number): boolean {
  return startsDocument(chunk, at) || isContainerLogStart(lineText(chunk, at, newline));
}

function startsDocument(chunk: Buffer, at: number): boolean {
  const byte = chunk[at];
  return byte === OPEN_BRACE || byte === OPEN_BRACKET || isDocumentMarker(chunk, at);
}
