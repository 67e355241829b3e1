import { ByteList } from './byte-list.ts';
import { blockRows } from './columns.ts';
import { factSeparator, type ValueColumn } from './record-columns.ts';

/** Texts, each once, by numbers from 0. */
export class Numbers {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.texts.push(text) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }
}

/** Values by their JSON, each once. */
export class ValuesBuilder {
  readonly texts: string[] = [];
  /** For each row the number of its value, from 1; 0 where it has none. */
  readonly at = new Uint16Array(blockRows);
  readonly #numbers = new Map<string, number>();

  add(row: number, text: string | undefined): void {
    if (text === undefined) return;
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.texts.push(text);
      this.#numbers.set(text, number);
    }
    this.at[row] = number;
  }

  finish(rows: number): ValueColumn | undefined {
    if (this.texts.length === 0) return undefined;
    const values = this.texts.map((text) => JSON.parse(text) as unknown);
    return { values, at: this.at.slice(0, rows) };
  }
}

/** What facts are read from, in JSON: equal ones of one type once. */
export class FactsBuilder {
  /** For each row the number of its facts, from 1; 0 where it has none. */
  readonly at = new Uint16Array(blockRows);
  count = 0;
  readonly #texts = new ByteList(1024);
  readonly #numbers = new Map<string, number>();

  /** How many bytes they take. */
  get bytes(): number {
    return this.#texts.length;
  }

  add(row: number, type: number, text: string): void {
    const key = `${type} ${text}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#next();
      this.#texts.addText(text);
      this.#numbers.set(key, number);
    }
    this.at[row] = number;
  }

  /** Joined by `factSeparator`. */
  text(): string {
    return this.#texts.text();
  }

  #next(): number {
    if (this.count > 0) this.#texts.addText(factSeparator);
    return ++this.count;
  }
}
