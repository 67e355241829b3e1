import type { ObjectRecord } from '../../kube/object-record.ts';
import type { SnapshotHeader } from '../saved-snapshot.ts';

/** A part of an input that is parsed on its own. */
export type InputPart = TextPart | SnapshotPart | BrokenPart;

/**
 * A document; or of a list the fields in front of its elements, its elements, and all its fields but these, so that
 * no list has to be in memory as a whole.
 */
export interface TextPart {
  readonly kind: 'document' | 'list-start' | 'element' | 'list-end';
  readonly syntax: 'json' | 'yaml';
  /** Parsed on its own; an element of YAML with its dash, to a list of one. Undefined: the list was cut off. */
  readonly text: string | undefined;
  readonly line: number;
  /** Lines of the elements, when the document is a list that had to stay in one piece. */
  readonly elementLines?: readonly number[];
  /** An entry of a top-level array. */
  readonly inArray?: true;
}

/** A saved snapshot that is whole. */
export interface SnapshotPart {
  readonly kind: 'snapshot';
  readonly header: SnapshotHeader;
  readonly records: readonly ObjectRecord[];
  readonly line: number;
}

export interface BrokenPart {
  readonly kind: 'broken';
  readonly reason: 'unreadable' | 'truncated';
  readonly message: string;
  readonly line: number;
  /** The available part of the lost text, to find the kinds in it. */
  readonly text?: string;
  /** More was lost than the text: what followed, or more than can be kept. */
  readonly lostMore: boolean;
}

/** How much text one part may have; more is nothing a Kubernetes API server would store. */
export const maxPartBytes = 32 * 1024 * 1024;

export function tooLargePart(syntax: 'JSON' | 'YAML', line: number): BrokenPart {
  const message = `the ${syntax} that begins here is too large to be read in one piece`;
  return { kind: 'broken', reason: 'unreadable', message, line, lostMore: true };
}

/** May a field of this name hold the elements of a list, given the fields in front of it? */
export function holdsElements(field: string, fieldsBefore: () => string): boolean {
  if (field === 'items') return true;
  if (field !== 'objects') return false;
  // Other kinds have a field `objects` too: an OpenShift Template, a deletion plan, a saved snapshot.
  const before = fieldsBefore();
  return /["']?kind["']?: *["']?Simulation\b/.test(before) && before.includes('kubectl-gc/');
}

/** Collects the bytes of one part across chunks, up to a limit. */
export class TextCapture {
  readonly #limit: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(limit = maxPartBytes) {
    this.#limit = limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get tooLarge(): boolean {
    return this.#bytes > this.#limit;
  }

  add(chunk: Buffer, from: number, to: number): void {
    if (to <= from) return;
    this.#bytes += to - from;
    if (this.tooLarge) this.#parts = [];
    else this.#parts.push(chunk.subarray(from, to));
  }

  /** What was collected so far; nothing when it was too large. */
  text(): string {
    const [only] = this.#parts;
    const content = only && this.#parts.length === 1 ? only : Buffer.concat(this.#parts);
    return content.toString('utf8');
  }

  /** Its last bytes, as characters. */
  tail(count: number): string {
    let tail = '';
    for (let at = this.#parts.length - 1; at >= 0 && tail.length < count; at--) {
      tail = `${this.#parts[at]?.subarray(-count).toString('latin1')}${tail}`;
    }
    return tail.slice(-count);
  }

  /** What was collected, leaving nothing. */
  take(): string {
    const text = this.text();
    this.#parts = [];
    this.#bytes = 0;
    return text;
  }
}
