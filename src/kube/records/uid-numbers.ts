import type { ObjectRecord } from '../object-record.ts';
import { HashTable, mixed } from './hash-table.ts';
import { StoredRecord } from './stored-record.ts';
import { packUid, uidLength, uidWords, unpackUid } from './uids.ts';

const noNumbers: readonly number[] = [];

/** Gives each uid a number, from 0: some forty bytes each, where a Map of texts takes a hundred. */
export class UidNumbers {
  #words: Uint32Array;
  #size = 0;
  readonly #table: HashTable;
  /** Those that are no UUID. */
  readonly #others = new Map<string, number>();
  readonly #otherTexts = new Map<number, string>();
  readonly #sought = new Uint32Array(uidWords);
  readonly #only = [0];

  /** `expected`: so many uids are given a number at least. */
  constructor(expected = 0) {
    this.#words = new Uint32Array(Math.max(expected, 16) * uidWords);
    this.#table = new HashTable(expected);
  }

  get size(): number {
    return this.#size;
  }

  /** Of a record, which has a uid. */
  ofRecord(record: ObjectRecord): number {
    if (record instanceof StoredRecord && record.copyUid(this.#sought)) return this.#ofSought();
    return this.of(record.uid);
  }

  /** Of the owners that a record refers to, until the next call. */
  ofOwners(record: ObjectRecord): readonly number[] {
    if (record instanceof StoredRecord) {
      if (record.copyOwnerUid(this.#sought)) return this.#single(this.#ofSought());
    }
    const { ownerReferences } = record;
    return ownerReferences.length === 0
      ? noNumbers
      : ownerReferences.map(({ uid }) => this.of(uid));
  }

  /** A list that holds only until the next call. */
  #single(number: number): readonly number[] {
    this.#only[0] = number;
    return this.#only;
  }

  of(uid: string): number {
    if (this.#seek(uid)) return this.#ofSought();
    let number = this.#others.get(uid);
    if (number === undefined) {
      number = this.#next();
      this.#others.set(uid, number);
      this.#otherTexts.set(number, uid);
    }
    return number;
  }

  /** Undefined when it has none yet. */
  find(uid: string): number | undefined {
    if (!this.#seek(uid)) return this.#others.get(uid);
    const number = this.#table.find(this.#hash(), this.#isSought);
    return number < 0 ? undefined : number;
  }

  /** Of a record; undefined when it has none yet. */
  findRecord(record: ObjectRecord): number | undefined {
    if (!(record instanceof StoredRecord && record.copyUid(this.#sought))) {
      return this.find(record.uid);
    }
    const number = this.#table.find(this.#hash(), this.#isSought);
    return number < 0 ? undefined : number;
  }

  has(uid: string): boolean {
    return this.find(uid) !== undefined;
  }

  textOf(number: number): string {
    return this.#otherTexts.get(number) ?? unpackUid(this.#words, number * uidWords);
  }

  #seek(uid: string): boolean {
    return uid.length === uidLength && packUid(uid, 0, this.#sought, 0);
  }

  #ofSought(): number {
    const hash = this.#hash();
    const known = this.#table.find(hash, this.#isSought);
    if (known >= 0) return known;
    const number = this.#next();
    this.#words.set(this.#sought, number * uidWords);
    this.#table.add(hash, number);
    return number;
  }

  #next(): number {
    const number = this.#size++;
    if (this.#size * uidWords > this.#words.length) {
      const larger = new Uint32Array(this.#words.length * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    return number;
  }

  #hash(): number {
    let hash = 0;
    for (let word = 0; word < uidWords; word++) hash = mixed(hash ^ (this.#sought[word] as number));
    return hash;
  }

  readonly #isSought = (number: number): boolean => {
    const at = number * uidWords;
    const words = this.#words;
    const sought = this.#sought;
    return (
      words[at] === sought[0] &&
      words[at + 1] === sought[1] &&
      words[at + 2] === sought[2] &&
      words[at + 3] === sought[3]
    );
  };
}
