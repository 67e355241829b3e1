import type { OwnerReference } from '../object-record.ts';
import { ByteList, isPlain } from './byte-list.ts';
import { blockRows } from './columns.ts';
import {
  fieldSeparator,
  referenceSeparator,
  setSeparator,
  type TextSets,
  valueSeparator,
} from './text-sets.ts';

/** Which set each row has, while a block is made. */
export class TextSetsBuilder {
  /** For each row the number of its set, from 1; 0 where it has none. */
  readonly at = new Uint16Array(blockRows);
  readonly #shapes: unknown[] = [];
  readonly #shapeNumbers = new Map<string, number>();
  readonly #texts = new ByteList(1024);
  #sets = 0;
  readonly #setNumbers = new Map<string, number>();

  /** The number of the set; 0 when the texts cannot be written so. */
  ofMap(map: Readonly<Record<string, string>>): number {
    const keys = Object.keys(map);
    let text = '';
    for (const key of keys) {
      const value = map[key] as string;
      if (!isPlain(key) || !isPlain(value)) return 0;
      text += valueSeparator + value;
    }
    return this.#number(this.#mapShape(keys) + text);
  }

  /** The number of the set; 0 when the texts cannot be written so. */
  ofReferences(references: readonly OwnerReference[]): number {
    let text = '';
    for (const reference of references) {
      const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = reference;
      if (!isPlain(name) || !isPlain(uid) || name.includes(fieldSeparator)) return 0;
      const shape = this.#referenceShape(apiVersion, kind, controller, blockOwnerDeletion);
      if (text !== '') text += referenceSeparator;
      text += shape + fieldSeparator + name + fieldSeparator + uid;
    }
    return this.#number(text);
  }

  #mapShape(keys: readonly string[]): number {
    return this.#shape([keys.length, ...keys].join(setSeparator), keys);
  }

  #referenceShape(
    apiVersion: string,
    kind: string,
    controller: boolean | undefined,
    blockOwnerDeletion: boolean | undefined,
  ): number {
    const key = `${controller} ${blockOwnerDeletion} ${kind.length} ${kind} ${apiVersion}`;
    return this.#shape(key, { apiVersion, kind, controller, blockOwnerDeletion });
  }

  #shape(key: string, shape: unknown): number {
    let number = this.#shapeNumbers.get(key);
    if (number === undefined) {
      number = this.#shapes.push(shape) - 1;
      this.#shapeNumbers.set(key, number);
    }
    return number;
  }

  #number(text: string): number {
    let number = this.#setNumbers.get(text);
    if (number === undefined) {
      number = this.#start();
      this.#texts.addText(text);
      this.#setNumbers.set(text, number);
    }
    return number;
  }

  /** The number of a further set, whose text is added next. */
  #start(): number {
    if (this.#sets > 0) this.#texts.addText(setSeparator);
    return ++this.#sets;
  }

  /** Undefined when no row has a set. */
  finish(rows: number): (TextSets & { readonly at: Uint16Array }) | undefined {
    if (this.#sets === 0) return undefined;
    return { shapes: this.#shapes, sets: this.#texts.text(), at: this.at.slice(0, rows) };
  }
}
