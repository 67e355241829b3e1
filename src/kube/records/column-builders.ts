import { blockRows } from './columns.ts';
import type { ValueColumn } from './record-columns.ts';

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
  characters = 0;
  readonly #numbers = new Map<string, number>();

  add(row: number, text: string | undefined, key = text): void {
    if (text === undefined || key === undefined) return;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.texts.push(text);
      this.characters += text.length;
      this.#numbers.set(key, number);
    }
    this.at[row] = number;
  }

  finish(rows: number): ValueColumn | undefined {
    if (this.texts.length === 0) return undefined;
    const values = this.texts.map((text) => JSON.parse(text) as unknown);
    return { values, at: this.at.slice(0, rows) };
  }
}
